#include "gate/duet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/units.h"
#include "gate/change_text.h"
#include "gate/compare_metric.h"
#include "gate/compare_series.h"
#include "gate/constants.h"
#include "gate/sides.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr std::size_t kLeastStepsOfBlock = knowledge::kGateLeastBlock.as<std::size_t>();
constexpr double kTwoSided = 1.959964;      // 95 % of normal values are within ± this.
constexpr double kNineOfTen = 1.281552;     // 90 % are below this.
constexpr double kOnePercent = 0.00995033;  // ln 1.01

/// The number of iterations to cut from each block. If the warm-up is as long as the longest block,
/// it was before the first block, and nothing is cut.
std::int64_t WarmupOfBlocks(const Duet& duet) {
  std::size_t longest = 0;
  for (const DuetBlock& block : duet.blocks) longest = std::max(longest, block.lengths.size());
  return duet.warmup < static_cast<std::int64_t>(longest) ? duet.warmup : 0;
}

/// The iterations of a block after its warm-up.
std::vector<double> SteadyOf(const DuetBlock& block, std::int64_t warmup) {
  std::vector<double> values;
  for (std::size_t i = static_cast<std::size_t>(warmup); i < block.lengths.size(); ++i) {
    values.push_back(static_cast<double>(block.lengths[i]));
  }
  return values;
}

void Append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

double SquareOfValue(double value) { return value * value; }

double StandardDeviation(std::span<const double> values) {
  return std::sqrt(stats::Variance(values));
}

/// The part of the variance of a block's median (as a logarithm) that its iterations cause, as a
/// mean over blocks. MeasureDuet() subtracts it from the spread of pairs, which leaves the starts.
double OwnVariance(const DuetPairs& pairs) {
  constexpr double kOfMedian = 1.5708;  // π/2: a median's variance, in those of the mean.
  stats::Autocorrelation correlation;
  for (const auto* side : {&pairs.a, &pairs.b}) {
    for (const stats::Series& series : *side) correlation.Add(series.values);
  }
  double sum = 0;
  for (const auto* side : {&pairs.a, &pairs.b}) {
    for (const stats::Series& series : *side) {
      const auto n = static_cast<double>(series.values.size());
      const double spread = stats::RobustSigma(series.values) / stats::Median(series.values);
      sum +=
          kOfMedian * SquareOfValue(spread) / n * stats::MeanInflation(correlation.Estimate(), n);
    }
  }
  return sum / static_cast<double>(pairs.a.size() + pairs.b.size());
}

/// The policy's limit on the typical iteration.
rules::BaselineLimit LimitOfDuet(const rules::PolicyBaseline& policy) {
  for (const MetricId id : {metric::kStepTimeMedian, metric::kIterationTimeMedian}) {
    for (const rules::BaselineLimit& limit : policy.limits) {
      if (limit.metric == id && limit.max_increase) return limit;
    }
  }
  rules::BaselineLimit limit;
  limit.max_increase = rules::BaselineLimit::Amount{stats::CompareOptions{}.limit, true};
  return limit;
}

stats::CompareOptions OptionsOf(const rules::BaselineLimit& limit,
                                const rules::PolicyBaseline& policy, double level) {
  stats::CompareOptions options;
  options.limit =
      limit.max_increase->relative ? limit.max_increase->value : limit.max_increase->value / level;
  options.total_limit =
      limit.judges_total ? std::optional(limit.total.value_or(options.limit)) : std::nullopt;
  options.noise_floor = policy.noise_floor.value_or(stats::kUsualNoiseFloor);
  options.absolute_floor = limit.min_abs.value_or(0);
  if (policy.certain) options.strictness = stats::Strictness::kCertain;
  return options;
}

/// Widens the interval by the noise of a single start per side, which the blocks cannot show.
/// Independent errors add as squares, so each half of the interval becomes the hypotenuse of its
/// length and the noise. The verdict can only become less certain.
void WidenByStarts(double noise_floor, const stats::CompareOptions& options,
                   stats::Comparison& comparison) {
  const double more = stats::kSureNormal * std::sqrt(2.0) * noise_floor;
  const double shift = std::log1p(comparison.shift);
  const double down = std::hypot(shift - std::log1p(comparison.low), more);
  const double up = std::hypot(std::log1p(comparison.high) - shift, more);
  comparison.low = std::expm1(shift - down);
  comparison.high = std::expm1(shift + up);
  comparison.sees = std::max(comparison.sees, options.limit + more);
  const bool is_certain = options.strictness == stats::Strictness::kCertain;
  const double surely = is_certain ? options.limit : 0;
  if (comparison.change == stats::Change::kFail && comparison.low <= surely) {
    comparison.change = stats::Change::kInconclusive;
    comparison.over_limit = true;
  }
  if (comparison.change == stats::Change::kPass && comparison.high >= comparison.excluded) {
    comparison.change = stats::Change::kInconclusive;
  }
  if (comparison.change == stats::Change::kImproved && comparison.high >= 0) {
    comparison.change = stats::Change::kPass;
  }
}

std::string NameOfSide(std::string_view side, const DuetSide& keys) {
  return keys.commit.empty() ? std::string(side) : fmt::format("{} ({})", side, keys.commit);
}

std::string WorkText(const DuetSide& side) {
  std::string text;
  for (const auto& [name, amount] : side.work) {
    text += fmt::format("{}{:g} {}", text.empty() ? "" : ", ", amount, name);
  }
  return text;
}

}  // namespace

// Makes pairs. If each side is restarted after some blocks, two processes' blocks are one pair:
//
//     block     A    B    B    A    A    B    B    A
//     start     a0   b0   b0   a0   a1   b1   b1   a1
//     pairs     '--- a0,b0 ---'     '--- a1,b1 ---'         two pairs, of two blocks a side each
Result<DuetPairs> PairsOf(const Duet& duet) {
  DuetPairs pairs;
  const std::int64_t warmup = WarmupOfBlocks(duet);
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> by_starts;
  double steps = 0;
  for (std::size_t i = 0; i + 1 < duet.blocks.size(); i += 2) {
    const DuetBlock &first = duet.blocks[i], &second = duet.blocks[i + 1];
    if (first.is_b == second.is_b) {
      return Fail(InputError("", "duet/order",
                             fmt::format("blocks {} and {} are both of {}: each pair needs one of "
                                         "each side",
                                         i, i + 1, first.is_b ? "B" : "A"),
                             "run the sides in the order A B B A A B"));
    }
    const DuetBlock& a = first.is_b ? second : first;
    const DuetBlock& b = first.is_b ? first : second;
    const std::vector<double> values_a = SteadyOf(a, warmup), values_b = SteadyOf(b, warmup);
    if (std::min(values_a.size(), values_b.size()) < kLeastStepsOfBlock) continue;
    ++pairs.blocks;
    steps += static_cast<double>(values_a.size() + values_b.size()) / 2;
    // Blocks of the same two processes form one pair.
    const bool shares = duet.process == DuetProcess::kRestarted && a.start >= 0 && b.start >= 0;
    const auto next = pairs.a.size();
    const std::size_t at =
        shares ? by_starts.try_emplace({a.start, b.start}, next).first->second : next;
    if (at == next) {
      pairs.a.emplace_back();
      pairs.b.emplace_back();
    }
    Append(pairs.a[at].values, values_a);
    Append(pairs.b[at].values, values_b);
  }
  if (pairs.a.size() < stats::kLeastPairs) {
    return Fail(InputError(
        "", "duet/few-blocks",
        fmt::format("{} pairs of blocks, each with {} or more iterations after {} of warm-up: {} "
                    "pairs are needed",
                    pairs.a.size(), kLeastStepsOfBlock, warmup, stats::kLeastPairs),
        "run more blocks (`--blocks`), or more iterations each"));
  }
  pairs.steps = steps / static_cast<double>(pairs.blocks);
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    pairs.differences.push_back(std::log(stats::Median(pairs.b[i].values)) -
                                std::log(stats::Median(pairs.a[i].values)));
  }
  return pairs;
}

stats::Comparison CompareDuet(const Duet& duet, const DuetPairs& pairs,
                              const stats::CompareOptions& options) {
  stats::CompareOptions of_pairs = options;
  if (duet.process == DuetProcess::kOne) of_pairs.noise_floor = 0;
  stats::Comparison comparison = stats::ComparePairs(pairs.a, pairs.b, of_pairs);
  if (duet.process == DuetProcess::kBothLoaded) {
    WidenByStarts(options.noise_floor, options, comparison);
  }
  return comparison;
}

// Compares by the limit. Unlike work per step is not comparable; unknown work is accepted.
Result<RunComparison> JudgeDuet(const Duet& duet, const rules::PolicyBaseline& policy) {
  PROFGAUGE_TRY(const DuetPairs pairs, PairsOf(duet));
  const rules::BaselineLimit limit = LimitOfDuet(policy);
  const stats::CompareOptions options = OptionsOf(limit, policy, LevelOf(pairs.a));
  const stats::Comparison result = CompareDuet(duet, pairs, options);
  RunComparison comparison;
  comparison.base_name = NameOfSide("A", duet.a);
  comparison.current_name = NameOfSide("B", duet.b);
  comparison.baseline_runs = comparison.current_runs = static_cast<std::int64_t>(pairs.a.size());
  if (duet.a.work != duet.b.work) {
    const std::string there = WorkText(duet.a), here = WorkText(duet.b);
    comparison.differences.push_back({"per_step", there, here, !there.empty() && !here.empty()});
    comparison.is_comparable = !comparison.differences.back().is_hard;
  }
  MetricComparison& metric = comparison.metrics.emplace_back();
  metric.metric = metric::kStepTimeMedian.text();
  metric.unit = Unit::kTime;
  metric.method = CompareMethod::kStatistics;
  metric.level = limit.level;
  metric.limit = fmt::format("≤ {}", RelativeChange(options.limit));
  TakeNumbers(result, metric);
  metric.reason = DescribeChange(result, {Unit::kTime, options.limit, true});
  if (duet.process == DuetProcess::kBothLoaded) {
    comparison.notes.push_back(fmt::format(
        "all blocks are of one start of each side: starts are assumed to differ by {}; restart the "
        "sides at least 5 times to measure it",
        FormatShare(options.noise_floor)));
  }
  return comparison;
}

DuetPower MeasureDuet(const DuetPairs& pairs) {
  DuetPower power;
  power.pairs = pairs.differences.size();
  power.steps = pairs.steps;
  const double of_pair = StandardDeviation(pairs.differences);
  const double both = kTwoSided + kNineOfTen;
  power.sees = std::expm1(both * of_pair / std::sqrt(static_cast<double>(power.pairs)));
  power.blocks_for_one_percent =
      static_cast<std::size_t>(std::ceil(SquareOfValue(both * of_pair / kOnePercent)));
  double least = 0, most = 0;
  for (std::size_t i = 0; i < pairs.a.size(); ++i) {
    const double level =
        (std::log(stats::Median(pairs.a[i].values)) + std::log(stats::Median(pairs.b[i].values))) /
        2;
    least = i == 0 ? level : std::min(least, level);
    most = i == 0 ? level : std::max(most, level);
  }
  power.starts = std::sqrt(std::max(0.0, SquareOfValue(of_pair) / 2 - OwnVariance(pairs)));
  power.drift = std::expm1(most - least);
  return power;
}

std::string DuetPowerText(const DuetPower& power) {
  return fmt::format(
      "this machine sees {} in nine of ten with {} blocks of {:.0f} iterations; noise between "
      "starts {}, drift {} over the run; for {}: {} blocks",
      RelativeChange(power.sees), power.pairs, power.steps, FormatShare(power.starts),
      FormatShare(power.drift), RelativeChange(0.01), power.blocks_for_one_percent);
}

}  // namespace profgauge::gate
