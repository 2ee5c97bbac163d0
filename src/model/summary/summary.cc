#include "model/summary/summary.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <utility>

#include "base/gzip.h"
#include "base/varint.h"
#include "model/certificate.h"
#include "model/devices.h"
#include "model/known_names.h"
#include "model/summary/run_side_columns.h"

namespace profgauge {
namespace {

/// The maximum of text bytes in a summary, with repetitions. A rank needs below a thousandth.
constexpr std::size_t kMostText = std::size_t{1} << 28;

void PutNumber(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// Maps small numbers of either sign to small numbers.
std::uint64_t Folded(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t Unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

void PutText(std::string_view text, std::string& out) {
  PutNumber(text.size(), out);
  out += text;
}

/// Counts are limited by the remaining bytes, so that a damaged number cannot demand memory.
class Parser {
 public:
  explicit Parser(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool done() const { return bytes_.empty(); }

  std::uint64_t Number() {
    std::uint64_t value = 0;
    if (TakeVarint(bytes_, value)) return value;
    ok_ = false;
    return 0;
  }

  /// A number of following items that take at least a byte each.
  std::size_t Count() {
    const std::uint64_t count = Number();
    if (count > bytes_.size()) ok_ = false;
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }

  std::string_view Text() {
    const std::size_t size = Count();
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

  std::string_view Rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

template <class Map>
const auto& ColumnOf(const Map& columns, std::string_view column) {
  static const typename Map::mapped_type kNone;
  const auto found = columns.find(column);
  return found == columns.end() ? kNone : found->second;
}

void AddGpus(const Profile& profile, Summary& summary) {
  for (const Gpu& gpu : profile.gpus) {
    summary.texts["gpu.name"].push_back(gpu.name);
    auto& numbers = summary.numbers["gpu"];
    for (const std::int64_t value :
         {std::int64_t{gpu.id}, std::int64_t{gpu.compute_major}, std::int64_t{gpu.compute_minor},
          std::int64_t{gpu.sms}, gpu.memory, std::int64_t{gpu.max_threads_per_sm},
          std::int64_t{gpu.warp_size}}) {
      numbers.push_back(value);
    }
  }
}

/// "gpu" has seven numbers per GPU: id, major, minor, SMs, memory, threads per SM, warp size.
std::vector<Gpu> GpusOf(const Summary& summary) {
  constexpr std::size_t kColumns = 7;
  const auto& numbers = summary.Numbers("gpu");
  const auto& names = summary.Texts("gpu.name");
  std::vector<Gpu> gpus;
  for (std::size_t i = 0; i < names.size() && (i + 1) * kColumns <= numbers.size(); ++i) {
    const std::int64_t* of = &numbers[i * kColumns];
    Gpu gpu;
    gpu.name = names[i];
    gpu.id = static_cast<decltype(gpu.id)>(of[0]);
    gpu.compute_major = static_cast<decltype(gpu.compute_major)>(of[1]);
    gpu.compute_minor = static_cast<decltype(gpu.compute_minor)>(of[2]);
    gpu.sms = static_cast<decltype(gpu.sms)>(of[3]);
    gpu.memory = of[4];
    gpu.max_threads_per_sm = static_cast<decltype(gpu.max_threads_per_sm)>(of[5]);
    gpu.warp_size = static_cast<decltype(gpu.warp_size)>(of[6]);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

void AddGroups(const DistributedInfo& info, Summary& summary) {
  for (const ProcessGroup& group : info.groups) {
    summary.texts["group.name"].push_back(group.name);
    summary.texts["group.description"].push_back(group.description);
    summary.numbers["group.size"].push_back(group.size);
    summary.numbers["group.members"].push_back(static_cast<std::int64_t>(group.ranks.size()));
    auto& ranks = summary.numbers["group.ranks"];
    ranks.insert(ranks.end(), group.ranks.begin(), group.ranks.end());
  }
}

///   group.name      tp     dp
///   group.members   2      3         how many of the following ranks belong to it
///   group.ranks     0 1    0 2 4
std::vector<ProcessGroup> GroupsOf(const Summary& summary) {
  const auto& names = summary.Texts("group.name");
  const auto& descriptions = summary.Texts("group.description");
  const auto& sizes = summary.Numbers("group.size");
  const auto& members = summary.Numbers("group.members");
  const auto& ranks = summary.Numbers("group.ranks");
  std::vector<ProcessGroup> groups;
  std::size_t at = 0;
  const std::size_t count =
      std::min({names.size(), descriptions.size(), sizes.size(), members.size()});
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(0, members[i]));
    if (size > ranks.size() - at) break;
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(at);
    groups.push_back(
        {names[i], descriptions[i], sizes[i], {first, first + static_cast<std::ptrdiff_t>(size)}});
    at += size;
  }
  return groups;
}

void AddLog(const ImportLog& log, Summary& summary) {
  for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    if (log[counter] == 0) continue;
    summary.texts["log.name"].emplace_back(InfoOf(counter).name);
    summary.numbers["log.count"].push_back(static_cast<std::int64_t>(log[counter]));
  }
}

ImportLog LogOf(const Summary& summary) {
  ImportLog log;
  const auto& names = summary.Texts("log.name");
  const auto& counts = summary.Numbers("log.count");
  for (std::size_t k = 0; k < std::min(names.size(), counts.size()); ++k) {
    for (std::uint16_t i = 0; i < static_cast<std::uint16_t>(Counter::kCount_); ++i) {
      const auto counter = static_cast<Counter>(i);
      if (InfoOf(counter).name == names[k] && counts[k] > 0) {
        log.Add(counter, static_cast<std::uint64_t>(counts[k]));
      }
    }
  }
  return log;
}

}  // namespace

const std::vector<std::int64_t>& Summary::Numbers(std::string_view column) const {
  return ColumnOf(numbers, column);
}
const std::vector<std::string>& Summary::Texts(std::string_view column) const {
  return ColumnOf(texts, column);
}
std::int64_t Summary::Number(std::string_view column, std::int64_t otherwise) const {
  const auto& values = Numbers(column);
  return values.empty() ? otherwise : values.front();
}
std::string Summary::Text(std::string_view column) const {
  const auto& values = Texts(column);
  return values.empty() ? std::string() : values.front();
}

std::string EncodeSummary(const Summary& summary) {
  std::string out;
  PutNumber(summary.numbers.size(), out);
  for (const auto& [name, values] : summary.numbers) {
    PutText(name, out);
    PutNumber(values.size(), out);
    // Differences wrap around, here and when they are read.
    std::uint64_t before = 0;
    for (const std::int64_t value : values) {
      PutNumber(Folded(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - before)), out);
      before = static_cast<std::uint64_t>(value);
    }
  }
  // Kernel names are in several columns and take most of the space, so each text is stored once.
  boost::unordered_flat_map<std::string_view, std::uint64_t> numbers;
  std::vector<std::string_view> texts;
  for (const auto& [name, values] : summary.texts) {
    for (const std::string& value : values) {
      if (numbers.emplace(value, 0).second) texts.push_back(value);
    }
  }
  std::sort(texts.begin(), texts.end());
  PutNumber(texts.size(), out);
  for (std::uint64_t i = 0; i < texts.size(); ++i) {
    numbers[texts[i]] = i;
    PutText(texts[i], out);
  }
  PutNumber(summary.texts.size(), out);
  for (const auto& [name, values] : summary.texts) {
    PutText(name, out);
    PutNumber(values.size(), out);
    for (const std::string& value : values) PutNumber(numbers.find(value)->second, out);
  }
  return out;
}

std::optional<Summary> DecodeSummary(std::string_view bytes) {
  Summary summary;
  Parser parser(bytes);
  for (std::size_t left = parser.Count(); left > 0 && parser.ok(); --left) {
    auto& values = summary.numbers[std::string(parser.Text())];
    std::uint64_t value = 0;
    for (std::size_t more = parser.Count(); more > 0 && parser.ok(); --more) {
      value += static_cast<std::uint64_t>(Unfolded(parser.Number()));
      values.push_back(static_cast<std::int64_t>(value));
    }
  }
  std::vector<std::string_view> texts;
  for (std::size_t left = parser.Count(); left > 0 && parser.ok(); --left) {
    texts.push_back(parser.Text());
  }
  std::size_t room = kMostText;
  for (std::size_t left = parser.Count(); left > 0 && parser.ok(); --left) {
    auto& values = summary.texts[std::string(parser.Text())];
    for (std::size_t more = parser.Count(); more > 0 && parser.ok(); --more) {
      const std::uint64_t number = parser.Number();
      if (number >= texts.size() || texts[number].size() > room) return std::nullopt;
      room -= texts[number].size();
      values.emplace_back(texts[number]);
    }
  }
  if (!parser.ok() || !parser.done()) return std::nullopt;
  return summary;
}

Summary BeginSummary(const Profile& profile) {
  Summary summary;
  summary.texts["format"] = {profile.source.format};
  summary.texts["dialect"] = {profile.source.dialect};
  summary.texts["hash"] = {profile.source.hash};
  summary.texts["accelerator"] = {
      std::string(AcceleratorId(AcceleratorOf(std::span(&profile, 1))))};
  summary.texts["framework"] = {profile.source.framework};
  summary.numbers["is_of_any_program"] = {profile.source.is_of_any_program ? 1 : 0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(Sign::kCount_); ++i) {
    const Sign sign = static_cast<Sign>(i);
    if (Shows(profile, sign)) summary.texts["shows"].emplace_back(NameWith(sign));
  }
  summary.numbers["bytes"] = {static_cast<std::int64_t>(profile.source.bytes)};
  summary.numbers["origin"] = {profile.origin_ns};
  summary.numbers["extent"] = {profile.first, profile.last};
  summary.numbers["has_timeline"] = {profile.has_timeline ? 1 : 0};
  const DistributedInfo& info = profile.distributed;
  summary.texts["backend"] = {info.backend};
  summary.numbers["rank"] = {info.rank};
  summary.numbers["world_size"] = {info.world_size};
  for (const auto& [key, value] : profile.facts) {
    summary.texts["fact.key"].push_back(key);
    summary.texts["fact.value"].push_back(value);
  }
  for (const RecordingHint& hint : profile.hints) {
    summary.numbers["hint.capability"].push_back(static_cast<std::int64_t>(hint.capability));
    summary.texts["hint.how"].emplace_back(hint.how);
  }
  AddGroups(info, summary);
  AddGpus(profile, summary);
  AddLog(profile.log, summary);
  AddRunSide(profile, summary);
  return summary;
}

// Numbers may be damaged: times are limited so that their differences fit into 64 bits.
Profile DescribedBy(const Summary& summary, const std::string& path) {
  Profile profile;
  profile.source = {.path = path,
                    .format = summary.Text("format"),
                    .dialect = summary.Text("dialect"),
                    .bytes = static_cast<std::uint64_t>(summary.Number("bytes")),
                    .hash = summary.Text("hash"),
                    .accelerator = summary.Text("accelerator"),
                    .framework = summary.Text("framework"),
                    .is_of_any_program = summary.Number("is_of_any_program") != 0};
  const auto time = [](std::int64_t number) {
    return std::clamp(number, -kFarthestTime, kFarthestTime);
  };
  profile.origin_ns = time(summary.Number("origin"));
  if (const auto& extent = summary.Numbers("extent"); extent.size() == 2) {
    profile.first = time(extent[0]);
    profile.last = time(extent[1]);
  }
  profile.has_timeline = summary.Number("has_timeline") != 0;
  for (const std::string& name : summary.Texts("shows")) profile.strings.Intern(name);
  profile.distributed = {summary.Text("backend"), summary.Number("rank", -1),
                         summary.Number("world_size", -1), GroupsOf(summary)};
  const auto& keys = summary.Texts("fact.key");
  const auto& values = summary.Texts("fact.value");
  for (std::size_t i = 0; i < std::min(keys.size(), values.size()); ++i) {
    profile.facts.emplace_back(keys[i], values[i]);
  }
  profile.gpus = GpusOf(summary);
  profile.log = LogOf(summary);
  profile.run_side = RunSideOf(summary);
  return profile;
}

namespace {

// "n" before the gzip is the decompressed length, which Gunzip() needs.
Profile StandIn(const Summary& summary, std::string_view encoded, const std::string& path) {
  Profile profile = DescribedBy(summary, path);
  PutNumber(encoded.size(), profile.summary);
  profile.summary += Gzip(encoded);
  profile.summary.shrink_to_fit();
  return profile;
}

}  // namespace

Profile ProfileOfSummary(const Summary& summary, const std::string& path) {
  return StandIn(summary, EncodeSummary(summary), path);
}

std::optional<Profile> ProfileOfSummary(std::string_view encoded, const std::string& path) {
  const auto summary = DecodeSummary(encoded);
  if (!summary) return std::nullopt;
  return StandIn(*summary, encoded, path);
}

bool IsSummary(const Profile& profile) { return !profile.summary.empty(); }

std::optional<Summary> SummaryOf(const Profile& profile) {
  if (!IsSummary(profile)) return std::nullopt;
  return DecodeSummary(EncodedSummaryOf(profile));
}

std::string EncodedSummaryOf(const Profile& profile) {
  Parser kept(profile.summary);
  const std::uint64_t size = kept.Number();
  return Gunzip(kept.Rest(), static_cast<std::size_t>(size));
}

}  // namespace profgauge
