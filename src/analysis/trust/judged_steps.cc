#include "analysis/trust/judged_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/breakdown/warmup.h"
#include "base/numbers.h"
#include "knowledge/unrecorded.h"

namespace profgauge::analysis::trust {
namespace {

constexpr double kSureLevel = 0.975;  // One-sided: the interval has a confidence of 95 %.
// With fewer batches, the long-run variance is unknown; assumes an autocorrelation of 0.8.
constexpr std::size_t kLeastBatches = 4;
constexpr double kAssumedInflation = (1 + 0.8) / (1 - 0.8);
constexpr double kAssumedDegrees = 3;
// Least number in a file without a profile. Next to a profile, few times are of less use.
constexpr std::size_t kLeastAlone = knowledge::kUnrecordedLeastAlone.as<std::size_t>();
// Lengths that are all multiples of this were rounded.
constexpr Ns kCoarseLength = 1'000'000;

/// One value of a document.
struct StepValue {
  std::int64_t first = 0, steps = 1;
  Ns length = 0;
  bool is_unusual = false;
};

bool Touches(const StepValue& value, const StepRange& range) {
  return value.first <= range.last && range.first < value.first + value.steps;
}

/// Ranges of numbers of the recorded iterations.
std::vector<StepRange> RecordedOf(const iterations::RankContext& rank,
                                  const RunDocument& document) {
  if (!document.recorded.empty()) return document.recorded;
  const iterations::Iterations& iterations = rank.iterations;
  if (!iterations.has_numbers) return {};
  StepRange range{std::numeric_limits<std::int64_t>::max(), -1};
  for (const iterations::Iteration& iteration : iterations.all) {
    std::int64_t number = 0;
    const char* const end = iteration.name.data() + iteration.name.size();
    const auto [stop, failed] = std::from_chars(iteration.name.data(), end, number);
    if (failed != std::errc{} || stop != end) return {};
    range.first = std::min(range.first, number);
    range.last = std::max(range.last, number);
  }
  if (range.last < 0) return {};
  // The profiler warms up in the iteration before, and writes its file in the one after.
  return {{range.first - 1, range.last + 1}};
}

std::vector<StepValue> SinglesOf(const RunDocument& document) {
  std::vector<StepValue> values;
  for (const StepSegment& segment : document.segments) {
    for (std::size_t i = 0; i < segment.lengths.size(); ++i) {
      values.push_back({segment.first + static_cast<std::int64_t>(i), 1, segment.lengths[i]});
    }
  }
  return values;
}

std::vector<StepValue> MeansOf(const RunDocument& document) {
  std::vector<StepValue> values;
  for (const StepSum& sum : document.batches) {
    values.push_back({sum.first, sum.steps, std::max<Ns>(1, sum.length / sum.steps)});
  }
  return values;
}

/// Iterations without the profiler: neither recorded nor affected by its start or stop.
std::vector<StepValue> ValuesOf(const RunDocument& document, std::span<const StepRange> recorded) {
  std::vector<StepValue> values = SinglesOf(document);
  if (values.size() < knowledge::kUnrecordedConfidentLeast &&
      document.batches.size() > values.size()) {
    values = MeansOf(document);
  }
  std::erase_if(values, [&](const StepValue& value) {
    return std::ranges::any_of(recorded,
                               [&](const StepRange& range) { return Touches(value, range); });
  });
  for (const StepRange& mark : document.marks) {
    if (mark.word == "profiler") {
      std::erase_if(values, [&](const StepValue& value) { return Touches(value, mark); });
      continue;
    }
    for (StepValue& value : values) value.is_unusual = value.is_unusual || Touches(value, mark);
  }
  return values;
}

/// Usual lengths without warm-up, as consecutive series.
struct Usual {
  std::vector<Ns> lengths;
  std::vector<std::size_t> starts;
  std::size_t warmup = 0;
};

// Unusual and recorded iterations leave gaps, and a new series starts after each gap, because
// batches must not extend over one.
Usual UsualOf(std::span<const StepValue> values) {
  Usual usual;
  std::vector<double> times;
  for (const StepValue& value : values) {
    if (!value.is_unusual) times.push_back(static_cast<double>(value.length));
  }
  usual.warmup = breakdown::FindWarmup(times);
  std::size_t seen = 0;
  std::int64_t next = -1;
  for (const StepValue& value : values) {
    if (value.is_unusual || seen++ < usual.warmup) continue;
    if (value.first != next) usual.starts.push_back(usual.lengths.size());
    usual.lengths.push_back(value.length);
    next = value.first + value.steps;
  }
  return usual;
}

std::optional<StepLevel> LevelOfValues(std::span<const StepValue> values) {
  const Usual usual = UsualOf(values);
  if (usual.lengths.size() < knowledge::kUnrecordedConfidentLeast) return std::nullopt;
  return LevelOfSteps(usual.lengths, usual.starts);
}

/// Returns the variance of the number of values below the median, relative to independent values,
/// and its degrees of freedom.
///
/// For independent values, the share at or below the median in batches of `size` has the variance 1
/// / (4 size). Iterations depend on each other (slow phases last for many), so the batches' shares
/// vary more, and the median's interval must be wider accordingly.
std::pair<double, double> InflationOf(std::span<const Ns> lengths,
                                      std::span<const std::size_t> starts, double median) {
  const auto size = static_cast<std::size_t>(std::sqrt(static_cast<double>(lengths.size())));
  std::vector<double> means;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, starts.size()); ++i) {
    const std::size_t begin = starts.empty() ? 0 : starts[i];
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : lengths.size();
    for (std::size_t at = begin; at + size <= end; at += size) {
      const auto batch = lengths.subspan(at, size);
      const auto below = std::ranges::count_if(
          batch, [&](Ns length) { return static_cast<double>(length) <= median; });
      means.push_back(static_cast<double>(below) / static_cast<double>(size) - 0.5);
    }
  }
  if (means.size() < kLeastBatches) return {kAssumedInflation, kAssumedDegrees};
  const auto count = static_cast<double>(means.size());
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / count;
  double squares = 0;
  for (const double value : means) squares += (value - mean) * (value - mean);
  return {std::max(1.0, 4 * static_cast<double>(size) * squares / (count - 1)), count - 1};
}

/// 1 ms if all lengths are multiples of it (e.g. from a log in whole milliseconds), or all are
/// equal; else 0.
double ResolutionOf(std::span<const Ns> lengths) {
  const bool is_equal =
      std::ranges::all_of(lengths, [&](Ns length) { return length == lengths.front(); });
  const bool is_coarse =
      std::ranges::all_of(lengths, [](Ns length) { return length % kCoarseLength == 0; });
  return is_equal || is_coarse ? static_cast<double>(kCoarseLength) : 0;
}

void SetWork(const RunDocument& document, JudgedSteps& out) {
  for (const char* name : {"samples", "tokens"}) {
    const auto found = document.work.find(name);
    if (found == document.work.end()) continue;
    out.work_name = name;
    out.work = found->second;
    return;
  }
}

}  // namespace

// The interval is between two of the sorted lengths. Example: for n = 100 in 10 batches and an
// inflation of 1, Student's quantile for 9 degrees of freedom is 2.26:
//
//   half = 2.26 * sqrt(100) / 2 = 11.3      from sorted[38] to sorted[62]
//
// Makes no assumption on the distribution of lengths. The interval is never narrower than the
// resolution of the lengths.
StepLevel LevelOfSteps(std::span<const Ns> lengths, std::span<const std::size_t> starts) {
  // Only three of the sorted lengths are needed: sorting a million would dominate the cost.
  std::vector<double> values(lengths.begin(), lengths.end());
  const auto ranked = [&](double place) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  StepLevel level;
  level.values = values.size();
  level.median = Median(values);
  const auto [inflation, degrees] = InflationOf(lengths, starts, level.median);
  const auto n = static_cast<double>(values.size());
  const double half = StudentQuantile(kSureLevel, degrees) * std::sqrt(n * inflation) / 2;
  const double low = std::max(0.0, std::floor(n / 2 - half));
  const double high = std::min(n - 1, std::ceil(n / 2 + half));
  const double width = ranked(high) - ranked(low);
  level.own = std::max(width / 2, ResolutionOf(lengths) / 2) / level.median;
  return level;
}

bool ChangeAfter::IsAlike() const {
  return std::abs(ratio - 1) <= knowledge::kUnrecordedAgreeShare;
}

std::optional<ChangeAfter> FindChangeAfter(const JudgedSteps& steps) {
  if (!steps.before || !steps.after) return std::nullopt;
  ChangeAfter change;
  change.ratio = steps.after->median / steps.before->median;
  const double widths = std::hypot(steps.before->own, steps.after->own * change.ratio);
  change.is_sure =
      std::abs(change.ratio - 1) > std::max(knowledge::kUnrecordedAgreeShare.value(),
                                            knowledge::kUnrecordedAgreeWidths * widths);
  return change;
}

//   numbers    0 ... 99      100 ... 109     110 ... 400
//              before        recorded        after
//
// Iterations after the profile only count if they are as fast as those before, or if there are too
// few before. If the recorded iterations' numbers are unknown, all count.
std::optional<JudgedSteps> JudgeSteps(const iterations::RankContext& rank, std::string& why_not) {
  const RunSide* side = rank.profile->run_side.get();
  if (side == nullptr || !side->document) return std::nullopt;
  const RunDocument& document = *side->document;
  const std::vector<StepRange> recorded = RecordedOf(rank, document);
  std::vector<StepValue> values = ValuesOf(document, recorded);
  JudgedSteps out;
  if (!recorded.empty()) {
    const auto behind = std::ranges::find_if(
        values, [&](const StepValue& value) { return value.first > recorded.front().first; });
    const auto place = static_cast<std::size_t>(behind - values.begin());
    out.before = LevelOfValues(std::span(values).first(place));
    out.after = LevelOfValues(std::span(values).subspan(place));
    // CUPTI stays attached after a profile: then host-bound iterations were 24 % slower
    // (examples/h200). So later ones only count if they are as fast.
    const auto change = FindChangeAfter(out);
    out.is_before_only = out.before && !(change && change->IsAlike());
    if (out.is_before_only) values.resize(place);
  }
  const Usual usual = UsualOf(values);
  const std::size_t least = side->carrier == RunCarrier::kItself
                                ? kLeastAlone
                                : knowledge::kUnrecordedConfidentLeast.as<std::size_t>();
  if (usual.lengths.size() < least) {
    why_not = fmt::format("{} unrecorded iterations are known ({} or more are needed)",
                          usual.lengths.size(), least);
    return std::nullopt;
  }
  out.level = LevelOfSteps(usual.lengths, usual.starts);
  out.usual.assign(usual.lengths.begin(), usual.lengths.end());
  out.warmup = usual.warmup;
  out.resolution = ResolutionOf(usual.lengths);
  std::vector<std::int64_t> counts;
  for (const StepValue& value : values) {
    if (value.is_unusual) out.unusual.push_back(static_cast<std::uint32_t>(out.lengths.size()));
    out.lengths.push_back(value.length);
    counts.push_back(value.steps);
  }
  out.a_value = Median(std::move(counts));
  out.carrier = side->carrier;
  out.clock = document.clock;
  out.is_of_process = side->is_of_process;
  out.rank = rank.rank;
  SetWork(document, out);
  return out;
}

}  // namespace profgauge::analysis::trust
