// Summaries of ranks: each input is one encoded summary, or a file of them past gzip. Seeds are
// traces, of which the mutator makes summaries: whatever is kept, they are never out of date.
//
// Checks: no crash, no memory that the input does not pay for; a decoded summary is encoded and
// decoded as the same, by itself and in a file; any columns are refused with a reason, or analyzed
// and attributed with tables in shape (for a sample: it takes far longer than the rest).
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/breakdown/attribution.h"
#include "analysis/ranks/analyze_run.h"
#include "base/byte_source.h"
#include "model/summary/summary.h"
#include "model/summary/summary_file.h"
#include "readers/kineto/kineto_reader.h"
#include "report/redact.h"
#include "support/dice.h"
#include "support/fuzz.h"

namespace {

using namespace profgauge;

template <class Columns>
auto& AnyColumn(Columns& columns, fuzz::Dice& dice) {
  return std::next(columns.begin(), static_cast<std::ptrdiff_t>(dice.Below(columns.size())))
      ->second;
}

template <class T>
void Resize(std::vector<T>& column, fuzz::Dice& dice) {
  if (!column.empty() && dice.OneIn(2)) {
    column.erase(column.begin() + static_cast<std::ptrdiff_t>(dice.Below(column.size())));
  } else if (!column.empty()) {
    column.push_back(dice.Of(column));
  } else {
    column.emplace_back();
  }
}

void ChangeOnce(Summary& summary, fuzz::Dice& dice) {
  if (summary.numbers.empty() || summary.texts.empty()) return;
  auto& numbers = AnyColumn(summary.numbers, dice);
  auto& texts = AnyColumn(summary.texts, dice);
  switch (dice.Below(8)) {
    case 0:
      return Resize(numbers, dice);
    case 1:
      return Resize(texts, dice);
    case 2:
      if (!texts.empty()) dice.Of(texts) = fuzz::OddText(dice);
      return;
    case 3:
      if (!texts.empty()) dice.Of(texts) = fuzz::MutatedText(dice.Of(texts), 4);
      return;
    default: {
      if (numbers.empty()) return;
      std::int64_t& number = dice.Of(numbers);
      const auto wrapped = static_cast<std::uint64_t>(number);
      const std::uint64_t choices[] = {wrapped + 1, wrapped - 1, wrapped * 2, ~wrapped + 1};
      number = dice.OneIn(2) ? fuzz::OddNumber(dice) : static_cast<std::int64_t>(dice.Of(choices));
    }
  }
}

void Check(const Summary& summary) {
  std::vector<Profile> ranks;
  ranks.push_back(ProfileOfSummary(summary, "fuzz.pgsum"));
  fuzz::Require(SummaryOf(ranks.front()) == summary, "a profile stands for its summary");
  auto analysed = profgauge::analysis::ranks::AnalyzeRun(ranks, profgauge::analysis::Selection{});
  const profgauge::analysis::Analysis* analysis = fuzz::ValueOf(analysed);
  if (analysis == nullptr) return;
  for (const Table& table : analysis->tables) {
    fuzz::Require(table.CheckShape(), "columns of a table are equally long");
  }
  auto attributed =
      profgauge::analysis::breakdown::AttributeTime(ranks, profgauge::analysis::Selection{});
  fuzz::ValueOf(attributed);
}

std::optional<Summary> SummaryOfTrace(std::string_view text) {
  const auto source = MakeMemorySource("fuzz", std::as_bytes(std::span(text)));
  auto profile = readers::MakeKinetoReader()->Read(*source, {.threads = 1, .progress = {}});
  if (!profile) return std::nullopt;
  std::vector<Profile> ranks;
  ranks.push_back(*std::move(profile));
  auto summaries =
      profgauge::analysis::ranks::SummarizeRanks(ranks, profgauge::analysis::Selection{});
  if (!summaries) return std::nullopt;
  return summaries->front();
}

/// The same for a trace that was there before: seeds are repeated, and a trace takes longer than
/// the use of its summary.
std::optional<Summary> KeptSummaryOf(std::string_view text) {
  static std::map<std::string, std::optional<Summary>, std::less<>> made;
  constexpr std::size_t kMost = 64;
  if (const auto found = made.find(text); found != made.end()) return found->second;
  if (made.size() == kMost) made.clear();
  return made.emplace(text, SummaryOfTrace(text)).first->second;
}

std::string Unzipped(std::string_view stored) {
  const auto source = MakeMemorySource("fuzz.pgsum", std::as_bytes(std::span(stored)));
  std::string bytes, part(1 << 14, '\0');
  while (const std::size_t got =
             source->Read(std::as_writable_bytes(std::span(part))).value_or(0)) {
    bytes.append(part, 0, got);
  }
  return bytes;
}

/// The summary that the bytes hold, or the summary of the trace that they hold.
std::optional<Summary> SummaryIn(std::string_view bytes) {
  if (bytes.starts_with('{')) return KeptSummaryOf(bytes);
  return DecodeSummary(bytes);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  fuzz::Dice dice(seed);
  const std::string_view text = fuzz::TextOf(data, size);
  const bool is_changed_as_bytes = !text.starts_with('{') && dice.OneIn(8);  // Traces never are.
  auto summary = is_changed_as_bytes ? std::nullopt : SummaryIn(text);
  if (!summary) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t left = 1 + dice.Below(3); left > 0; --left) ChangeOnce(*summary, dice);
  std::string bytes = EncodeSummary(*summary);
  if (dice.OneIn(16)) {
    bytes = fuzz::MutatedText(Unzipped(WriteSummaries(std::vector(2, *std::move(summary)))), 8);
  }
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto file = ReadStandIns(fuzz::TextOf(data, size), "fuzz.pgsum");
  fuzz::ValueOf(file);
  const auto summary = SummaryIn(fuzz::TextOf(data, size));
  if (!summary) return 0;
  const std::string bytes = EncodeSummary(*summary);
  fuzz::Require(DecodeSummary(bytes) == summary, "what is decoded is encoded as the same");
  if (!fuzz::IsSampled(fuzz::TextOf(data, size), 64)) return 0;
  auto kept = ReadSummaries(Unzipped(WriteSummaries({*summary})), "fuzz.pgsum");
  fuzz::Require(kept && *kept == std::vector(1, *summary), "a file keeps what it was given");
  Check(*summary);
  Summary redacted = *summary;
  report::RedactSummary(redacted);
  Check(redacted);
  return 0;
}
