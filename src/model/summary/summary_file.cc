#include "model/summary/summary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/gzip.h"
#include "base/hashes.h"
#include "base/parallel.h"

namespace profgauge {
namespace {

constexpr std::string_view kHead = "{\"kind\":\"profgauge-summary\",\"schema\":";

std::string HashOf(std::string_view bytes) {
  ContentHash hash;
  hash.Add(bytes);
  return hash.Hex();
}

Error Refused(const std::string& path, std::string code, std::string message, std::string help) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = std::move(code);
  error.message = std::move(message);
  error.where.file = path;
  error.notes.push_back(std::move(help));
  return error;
}

Error Damaged(const std::string& path) {
  return Refused(path, "summary/damaged", "the summary is damaged: its checksum differs",
                 "help: write it again with `profgauge summarize`");
}

/// Returns the integer after `"key":` on the first line, which is read before anything is parsed;
/// the whole line is compared with FirstLine() later.
std::optional<std::int64_t> NumberAt(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(fmt::format("\"{}\":", key));
  if (at == std::string_view::npos) return std::nullopt;
  const char* const begin = line.data() + at + key.size() + 3;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(begin, line.data() + line.size(), value);
  return parsed.ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::string FirstLine(std::size_t ranks, std::string_view bytes) {
  return fmt::format("{}{},\"ranks\":{},\"bytes\":{},\"hash\":\"{}\"}}", kHead, kSummarySchema,
                     ranks, bytes.size(), HashOf(bytes));
}

/// Concatenates ranks, each preceded by its length in eight bytes.
std::string Joined(const std::vector<const Profile*>& stand_ins) {
  std::string bytes;
  for (const Profile* stand_in : stand_ins) {
    const std::string rank = EncodedSummaryOf(*stand_in);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes += static_cast<char>(static_cast<std::uint64_t>(rank.size()) >> shift & 0xff);
    }
    bytes += rank;
  }
  return bytes;
}

/// Splits the result of Joined(); nullopt if it is none.
std::optional<std::vector<std::string_view>> Parted(std::string_view bytes) {
  std::vector<std::string_view> ranks;
  while (!bytes.empty()) {
    if (bytes.size() < 8) return std::nullopt;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    }
    bytes.remove_prefix(8);
    if (length > bytes.size()) return std::nullopt;
    ranks.push_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return ranks;
}

}  // namespace

bool LooksLikeSummaries(std::string_view head) { return head.starts_with(kHead); }

std::string WriteSummaries(const std::vector<Summary>& ranks) {
  std::vector<Profile> stand_ins;
  for (const Summary& rank : ranks) stand_ins.push_back(ProfileOfSummary(rank, ""));
  return WriteSummaries(stand_ins);
}

std::string WriteSummaries(std::span<const Profile> stand_ins) {
  std::vector<const Profile*> ranks;
  for (const Profile& rank : stand_ins) ranks.push_back(&rank);
  std::stable_sort(ranks.begin(), ranks.end(), [](const Profile* a, const Profile* b) {
    return std::tie(a->distributed.rank, a->source.hash) <
           std::tie(b->distributed.rank, b->source.hash);
  });
  const std::string bytes = Joined(ranks);
  return Gzip(FirstLine(ranks.size(), bytes) + "\n" + bytes);
}

Result<std::vector<Summary>> ReadSummaries(std::string_view bytes, const std::string& path) {
  PROFGAUGE_TRY(const auto stand_ins, ReadStandIns(bytes, path));
  std::vector<Summary> ranks;
  for (const Profile& rank : stand_ins) ranks.push_back(*SummaryOf(rank));
  return ranks;
}

// Before decoding, checks the schema, whether all bytes are present, and the whole first line,
// which has their hash.
Result<std::vector<Profile>> ReadStandIns(std::string_view bytes, const std::string& path) {
  const std::size_t end = bytes.find('\n');
  const std::string_view line = bytes.substr(0, end);
  const auto schema = NumberAt(line, "schema");
  // The schema comes first, because other schemas may have another first line.
  if (schema && *schema > kSummarySchema) {
    return Fail(Refused(
        path, "summary/newer",
        fmt::format("the summary is of schema {}, this program reads {}", *schema, kSummarySchema),
        "help: use the program that wrote it, or a newer one"));
  }
  if (schema && *schema < kSummarySchema) {
    return Fail(Refused(
        path, "summary/older",
        fmt::format("the summary is of schema {}, which keeps less than schema {}, which this "
                    "program reads",
                    *schema, kSummarySchema),
        "help: write it again with `profgauge summarize`, or use the program that wrote it"));
  }
  const auto size = NumberAt(line, "bytes"), count = NumberAt(line, "ranks");
  if (end != std::string_view::npos && (!schema || !size || !count)) return Fail(Damaged(path));
  const bool is_cut =
      end == std::string_view::npos || bytes.size() - end - 1 < static_cast<std::uint64_t>(*size);
  if (is_cut) {
    return Fail(Refused(path, "summary/truncated", "the summary ends early",
                        "help: it was probably copied while it was written; write it again with "
                        "`profgauge summarize`"));
  }
  const std::string_view rest = bytes.substr(end + 1);
  if (line != FirstLine(static_cast<std::size_t>(*count), rest)) return Fail(Damaged(path));
  const auto encoded = Parted(rest);
  if (!encoded || encoded->empty() || encoded->size() != static_cast<std::uint64_t>(*count)) {
    return Fail(Damaged(path));
  }
  std::vector<std::optional<Profile>> read(encoded->size());
  ForEachAtOnce(read.size(),
                [&](std::size_t i) { read[i] = ProfileOfSummary((*encoded)[i], path); });
  std::vector<Profile> ranks;
  for (std::optional<Profile>& rank : read) {
    if (!rank) return Fail(Damaged(path));
    ranks.push_back(*std::move(rank));
  }
  return ranks;
}

}  // namespace profgauge
