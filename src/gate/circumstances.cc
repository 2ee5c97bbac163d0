#include "gate/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/breakdown/warmup.h"
#include "analysis/classify/eligibility.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/numbers.h"
#include "gate/change_text.h"
#include "gate/comparable.h"
#include "gate/compare_metric.h"
#include "gate/compare_series.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"
#include "knowledge/unrecorded.h"

namespace profgauge::gate {
namespace {

// The dimensions of tensors, from text like "[[64, 1024], [1024, 1024]]".
using Shapes = std::vector<std::vector<std::int64_t>>;

Shapes ShapesOf(std::string_view text) {
  Shapes shapes;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '[') shapes.emplace_back();
    std::int64_t number = 0;
    const char* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    const bool is_number = error == std::errc() && !shapes.empty();
    if (is_number) shapes.back().push_back(number);
    at += is_number ? static_cast<std::size_t>(end - begin) : 1;
  }
  return shapes;
}

// The ratio between the shapes of two calls, if at most one dimension per tensor differs and all of
// them by one factor. A changed model dimension differs twice in weights, so it gives no ratio.
std::optional<double> RatioOf(const Shapes& base, const Shapes& run) {
  if (base.size() != run.size()) return std::nullopt;
  std::optional<double> ratio;
  for (std::size_t tensor = 0; tensor < base.size(); ++tensor) {
    if (base[tensor].size() != run[tensor].size()) return std::nullopt;
    bool differs = false;
    for (std::size_t i = 0; i < base[tensor].size(); ++i) {
      const std::int64_t there = base[tensor][i], here = run[tensor][i];
      if (there == here) continue;
      if (differs || there <= 0 || here <= 0) return std::nullopt;
      differs = true;
      const double its = static_cast<double>(here) / static_cast<double>(there);
      if (ratio && *ratio != its) return std::nullopt;
      ratio = its;
    }
  }
  return ratio.value_or(1);
}

// Finds the ratio of batch sizes. Each matmul and convolution of `run` votes, weighted by its time,
// for each ratio to a call of the same operator in `base`:
//
//     base   aten::addmm [[64, 1024], [1024, 4096]]
//     run    aten::addmm [[32, 1024], [1024, 4096]]     0.5: one dimension, in one tensor
//
// A ratio with 90 % of the time wins. Without one, the batch size is unknown, not equal.
std::optional<double> RatioByShapes(const Snapshot& base, const Snapshot& run) {
  std::map<std::string_view, std::vector<Shapes>> there;
  for (const analysis::breakdown::TimePart& part : base.parts) {
    if (analysis::classify::IsProduct(part.op) && !part.shapes.empty())
      there[part.op].push_back(ShapesOf(part.shapes));
  }
  std::map<double, double> times;  // Times of the matmuls that a ratio explains.
  double whole = 0;
  for (const analysis::breakdown::TimePart& part : run.parts) {
    if (!analysis::classify::IsProduct(part.op) || part.shapes.empty()) continue;
    const Shapes here = ShapesOf(part.shapes);
    std::set<double> ratios;
    for (const Shapes& shapes : there[part.op]) {
      if (const auto ratio = RatioOf(shapes, here)) ratios.insert(*ratio);
    }
    // The baseline has these shapes, too, so no other call of it explains them.
    if (ratios.contains(1)) ratios = {1};
    for (const double ratio : ratios) times[ratio] += static_cast<double>(part.time);
    whole += static_cast<double>(part.time);
  }
  for (const auto& [ratio, time] : times) {
    if (time >= knowledge::kGateBatchShare * whole && whole > 0) return ratio;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> SamplesRatio(const Snapshot& base, const Snapshot& run) {
  if (base.samples > 0 && run.samples > 0) return run.samples / base.samples;
  return RatioByShapes(base, run);
}

// Reasons why a metric cannot be compared, or why a comparison is undecided.

namespace {

// If `min_abs` exceeds this many allowed changes, the limit is meaningless.
constexpr double kFloorOverLimit = knowledge::kGateFloorOverLimit.value();

}  // namespace

// True, with the reason, if the runs have different definitions of the metric.
bool MetricComparer::LackDefinition(MetricComparison& out) const {
  // A run without the number has no definition of it.
  const auto has = [&](const Snapshot& run) {
    return run.metrics.contains(out.metric) || run.definitions.contains(out.metric);
  };
  if (!std::ranges::all_of(candidates_, has)) return false;
  const std::int32_t now = candidates_.front().DefinitionOf(out.metric);
  for (const std::span<const Snapshot> runs : {baselines_, candidates_}) {
    for (const Snapshot& run : runs) {
      const std::int32_t its = run.DefinitionOf(out.metric);
      if (its == now) continue;
      out.is_missing = true;
      out.reason = fmt::format(
          "{} has another definition of it ({}, now {}): save the baseline again with "
          "`profgauge baseline save` [baseline/old-definition]",
          &runs.front() == &baselines_.front() ? "the baseline" : "a run", its, now);
      return true;
    }
  }
  return false;
}

// Makes a result undecided if other work or another batch size may change the time of an iteration
// without a change of speed. Less work that takes longer still fails. No setting turns this off.
void MetricComparer::DoubtWork(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (out.is_missing || (work_.kind == WorkKind::kInputs && limit.per_sample)) return;
  const std::optional<std::string> reason = WhyNoTimes(work_, out.verdict == stats::Change::kFail,
                                                       out.verdict == stats::Change::kImproved);
  if (!reason) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.is_of_other_work = true;
  out.reason = *reason;
}

// True, with the reason, if a limit per sample needs the number of samples and a run has none.
bool MetricComparer::LackSamples(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (!limit.per_sample) return false;
  const auto is_unknown = [&](const Snapshot& run) {
    return !SamplesRatio(baselines_.front(), run).has_value();
  };
  out.is_missing =
      std::ranges::any_of(baselines_, is_unknown) || std::ranges::any_of(candidates_, is_unknown);
  if (!out.is_missing) return false;
  out.reason =
      "`per: sample` needs the samples of an iteration in both: `per_step` of the unrecorded "
      "iterations' document, or input shapes that differ only by the batch [baseline/no-samples]";
  return true;
}

// Undecided if only the candidate's iterations became slower after the profile. An attached
// profiler also slows the baseline's; if the candidate's slow down more, the run became slower.
void MetricComparer::DoubtAfter(MetricComparison& out) const {
  const auto ratio_of = [](std::span<const Snapshot> runs) {
    std::vector<double> ratios;
    for (const Snapshot& run : runs) {
      if (run.steps_after > 0) ratios.push_back(run.steps_after);
    }
    return ratios.empty() ? 0 : stats::Median(ratios);
  };
  const double there = ratio_of(baselines_), here = ratio_of(candidates_);
  const bool can_be = !out.is_missing && out.verdict != stats::Change::kFail && out.total_limit;
  if (!can_be || there <= 0 || here <= there * (1 + *out.total_limit)) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "iterations after the profile take {:.2f} times as long as those before it, the baseline's "
      "{:.2f} times: the run became slower. Before: {}",
      here, there, out.reason);
}

// An iteration without time may have lost its work to another one, so the time is missing.
void MetricComparer::DoubtEmptyIterations(MetricComparison& out) const {
  for (const std::span<const Snapshot> runs : {baselines_, candidates_}) {
    for (const Snapshot& run : runs) {
      const std::vector<double> times = ObservedTimes(run);
      const auto empty = std::count_if(times.begin(), times.end(), [](double t) { return t <= 0; });
      if (empty == 0 || out.is_missing) continue;
      out.is_missing = true;
      out.reason =
          fmt::format("{} of {} iterations of {} have no separate length [baseline/no-times]",
                      empty, times.size(), run.name);
    }
  }
}

// Makes a failure undecided if it depends on an uncertain number. The median of several runs is
// certain if most of them are.
void MetricComparer::DoubtNumbers(MetricComparison& out) const {
  const auto is_uncertain = [&](const Snapshot& run) { return run.uncertain.contains(out.metric); };
  const auto are_uncertain = [&](std::span<const Snapshot> runs) {
    return 2 * static_cast<std::size_t>(std::ranges::count_if(runs, is_uncertain)) >= runs.size();
  };
  const bool base = are_uncertain(baselines_), current = are_uncertain(candidates_);
  if (out.is_missing || out.verdict != stats::Change::kFail || !(base || current)) return;
  out.over_limit = true;
  out.verdict = stats::Change::kInconclusive;
  out.reason += fmt::format("{}{} value is uncertain", out.reason.empty() ? "" : "; but ",
                            base && current ? "each run's"
                            : base          ? "the baseline's"
                                            : "this run's");
}

// True, with the reason, if one side has means over iterations, which vary less than times.
bool MetricComparer::LackSteps(MetricComparison& out) const {
  if (steps_ == StepsUse::kBoth) return false;
  out.is_missing = true;
  out.reason = steps_ == StepsUse::kOtherSampling
                   ? "one side has means of several iterations, the other single ones: they cannot "
                     "be compared [run/other-sampling]"
                   : fmt::format(
                         "both sides need the times of at least {} unrecorded iterations "
                         "[baseline/few-unrecorded]",
                         knowledge::kUnrecordedConfidentLeast.value());
  return true;
}

bool MetricComparer::LackTimes(MetricComparison& out) const {
  const bool base = std::all_of(baselines_.begin(), baselines_.end(), IsTimed);
  const bool current = std::all_of(candidates_.begin(), candidates_.end(), IsTimed);
  if (base && current) {
    const std::optional<std::string> reason = WhyNoLengths(baselines_, candidates_);
    out.is_missing = reason.has_value();
    out.reason = reason.value_or("");
    return out.is_missing;
  }
  out.is_missing = true;
  const std::span<const Snapshot> lacking = base ? candidates_ : baselines_;
  const bool has_any = std::any_of(lacking.begin(), lacking.end(), [](const Snapshot& run) {
    return std::any_of(run.iteration_times.begin(), run.iteration_times.end(),
                       [](Ns time) { return time > 0; });
  });
  out.reason = fmt::format("{} no iteration times: {} [baseline/no-times]",
                           base ? "this run has" : "the baseline has",
                           has_any ? "most iterations have no separate length"
                                   : "its format has only durations or sums");
  return true;
}

// True, with the reason, for a sum over a range of time, because it depends on the range.
bool MetricComparer::LackSums(std::string_view family, MetricComparison& out) const {
  const auto reason =
      family.empty() ? WhyNoLengths(baselines_, candidates_) : std::optional<std::string>();
  out.is_missing = reason.has_value();
  out.reason = reason.value_or("");
  return out.is_missing;
}

// A pass by a `min_abs` far above the limit becomes missing: it would let everything pass.
void MetricComparer::DoubtFloor(const rules::BaselineLimit& limit, MetricComparison& out) const {
  const bool is_pass =
      out.verdict == stats::Change::kPass || out.verdict == stats::Change::kImproved;
  if (!limit.min_abs || out.is_missing || !is_pass || out.base <= 0) return;
  const auto& amount = limit.max_increase ? limit.max_increase : limit.max_decrease;
  const double allowed = AbsoluteOf(*amount, out.base);
  if (allowed <= 0 || *limit.min_abs <= kFloorOverLimit * allowed) return;
  out.is_missing = true;
  out.reason = fmt::format(
      "min_abs {} is far over the limit {} of {}: any change up to {} passes; lower it "
      "[policy/min-abs]",
      FormatValue(Value{*limit.min_abs}, out.unit), out.limit,
      FormatValue(Value{out.base}, out.unit), FormatShare(*limit.min_abs / out.base));
}

namespace {

std::optional<double> MedianOver(std::span<const Snapshot> runs, MetricId id) {
  std::vector<double> values;
  for (const Snapshot& run : runs) {
    const auto found = run.metrics.find(id.text());
    if (found != run.metrics.end()) values.push_back(found->second);
  }
  return values.empty() ? std::nullopt : std::optional(Median(std::move(values)));
}

/// The runs' median of the first metric, or else of the second; `otherwise` if no run has either.
double ShareOver(std::span<const Snapshot> runs, MetricId first, MetricId second,
                 double otherwise) {
  const auto value = MedianOver(runs, first);
  return value ? *value : MedianOver(runs, second).value_or(otherwise);
}

/// The relative increase of busy time by other clocks, as a share of an iteration. It is a range,
/// because kernels with an unknown bottleneck may follow either clock or none:
///
///     kernels 80 %: compute-bound 50 %, memory-bound 30 %, others 20 %; core clock a quarter lower
///     known   0.5 * 1.33 + 0.3 * 1 = 0.97
///     low     0.8 * (0.97 + 0.2 * 1    - 1) = +13 %      others do not follow
///     high    0.8 * (0.97 + 0.2 * 1.33 - 1) = +19 %      others follow the core
struct BusyChange {
  double low = 0, high = 0;
};

BusyChange BusyChangeOf(std::span<const Snapshot> baselines, double slower, double memory_slower) {
  const double kernels =
      ShareOver(baselines, metric::kGpuUtilizationUnrecorded, metric::kGpuUtilizationMean, 1);
  const double compute = MedianOver(baselines, metric::kConditionsComputeBound).value_or(0);
  const double memory = MedianOver(baselines, metric::kConditionsMemoryBound).value_or(0);
  const double others = std::max(0.0, 1 - compute - memory);
  const double known = compute * slower + memory * memory_slower;
  const auto [least, most] = std::minmax({1.0, slower, memory_slower});
  return {kernels * (known + others * least - 1), kernels * (known + others * most - 1)};
}

/// The effect on an iteration. If the host is the limit, longer work first fills idle time.
ClockChange Explained(std::span<const Snapshot> baselines, double slower, double memory_slower) {
  const double idle = ShareOver(baselines, metric::kGpuIdleUnrecorded, metric::kGpuIdleMean, 1);
  const BusyChange busy = BusyChangeOf(baselines, slower, memory_slower);
  ClockChange change;
  change.low = busy.low < 0 ? busy.low : std::max(0.0, busy.low - idle);
  change.high = std::max(0.0, busy.high);
  return change;
}

/// The metric's limit on an increase, relative; the default limit if the policy has none.
double LimitOfMetric(const rules::PolicyBaseline& policy, const MetricComparison& metric) {
  for (const rules::BaselineLimit& limit : policy.limits) {
    if (limit.metric != metric.metric || !limit.max_increase) continue;
    const double value = limit.max_increase->value;
    if (limit.max_increase->relative) return value;
    return metric.base > 0 ? value / metric.base : value;
  }
  return knowledge::kGateDefaultLimit.value();
}

/// True if the change without the explained part exceeds the limit on the metric or on its total.
bool IsOverWithout(double explained, const MetricComparison& metric, double limit) {
  const bool is_total_over =
      metric.total && metric.total_limit && *metric.total - explained > *metric.total_limit;
  return metric.shift - explained > limit || is_total_over;
}

/// True if the clock certainly makes the device slower or faster.
bool ExplainsSurely(const ClockChange& clocks) { return clocks.low > 0 || clocks.high < 0; }

/// The explained share as text: "64 to 100 % of the change".
std::string ShareOfChange(const ClockChange& clocks, double shift) {
  const auto part = [shift](double explained) { return std::clamp(explained / shift, 0.0, 1.0); };
  const auto [least, most] = std::minmax({part(clocks.low), part(clocks.high)});
  if (!ExplainsSurely(clocks)) return fmt::format("up to {:.0f} % of the change", 100 * most);
  return fmt::format("{:.0f} to {:.0f} % of the change", 100 * least, 100 * most);
}

/// Judges a time with its clocks. Example: the clock explains +10 % to +20 %, limit 5 %:
///
///     shift    without +20 %    without +10 %
///     +18 %        -2 %             +8 %        may be all the clock's: undecided
///     +30 %       +10 %            +20 %        fails as before
///      +3 %                                     passes: slower clocks do not hide a fault
///
/// A faster clock (-20 % to -10 %) may hide a fault: +3 % could be +23 % without it, so undecided.
void JudgeTime(const ClockChange& clocks, double limit, bool decides, MetricComparison& metric) {
  const bool is_beyond = metric.verdict == stats::Change::kFail || metric.over_limit;
  const bool is_excused = is_beyond && !IsOverWithout(clocks.high, metric, limit);
  const bool is_hidden = !is_beyond && clocks.low < 0 && IsOverWithout(clocks.low, metric, limit);
  const bool is_same_way = (metric.shift > 0) == (clocks.current < clocks.base);
  const std::string text = ClockText(clocks);
  if (is_same_way && std::abs(metric.shift) > limit) {
    const std::string_view because = !ExplainsSurely(clocks) ? "; "
                                     : metric.shift > 0      ? "; slower because "
                                                             : "; faster because ";
    metric.reason += fmt::format("{}{}: {}", because, text, ShareOfChange(clocks, metric.shift));
  } else {
    metric.reason += "; " + text;
  }
  if (!decides || !(is_excused || is_hidden)) return;
  metric.verdict = stats::Change::kInconclusive;
  metric.over_limit = true;
  metric.reason += "; compare runs at the same clock [baseline/other-clocks]";
}

}  // namespace

std::optional<ClockChange> FindClockChange(std::span<const Snapshot> baselines,
                                           std::span<const Snapshot> candidates) {
  const auto base = MedianOver(baselines, metric::kConditionsClock),
             current = MedianOver(candidates, metric::kConditionsClock);
  if (!base || !current || *base <= 0 || *current <= 0) return std::nullopt;
  if (std::abs(*current / *base - 1) <= knowledge::kGateClocksDiffer.value()) return std::nullopt;
  const auto memory_base = MedianOver(baselines, metric::kConditionsMemoryClock),
             memory_current = MedianOver(candidates, metric::kConditionsMemoryClock);
  const bool knows_memory =
      memory_base && memory_current && *memory_base > 0 && *memory_current > 0;
  ClockChange change =
      Explained(baselines, *base / *current, knows_memory ? *memory_base / *memory_current : 1);
  change.base = *base;
  change.current = *current;
  change.power_capped = MedianOver(candidates, metric::kConditionsPowerCapped).value_or(0);
  change.throttled = MedianOver(candidates, metric::kConditionsThrottled).value_or(0);
  return change;
}

std::string ClockText(const ClockChange& clocks) {
  std::string why;
  if (clocks.throttled > knowledge::kUnrecordedThrottledShare) {
    why = fmt::format(" (throttled for {} of the time)", FormatShare(clocks.throttled));
  } else if (clocks.power_capped > knowledge::kUnrecordedThrottledShare) {
    why = fmt::format(" (at its power limit for {} of the time)", FormatShare(clocks.power_capped));
  }
  const std::string low = RelativeChange(clocks.low), high = RelativeChange(clocks.high);
  const bool is_one_sided = clocks.low >= 0 || clocks.high <= 0;
  const std::string change = !ExplainsSurely(clocks) && is_one_sided
                                 ? "up to " + (clocks.low < 0 ? low : high)
                             : low == high ? low
                                           : low + " to " + high;
  return fmt::format("the GPU ran at {:.0f} instead of {:.0f} MHz{}, which explains {}",
                     clocks.current, clocks.base, why, change);
}

void JudgeClocks(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const rules::PolicyBaseline& policy, RunComparison& comparison) {
  const auto clocks = FindClockChange(baselines, candidates);
  if (!clocks) return;
  bool is_said = false;
  for (MetricComparison& metric : comparison.metrics) {
    const bool is_judged = metric.method == CompareMethod::kStatistics && !metric.is_missing &&
                           IsTypicalTime(metric.metric);
    if (!is_judged) continue;
    JudgeTime(*clocks, LimitOfMetric(policy, metric), !policy.match_any, metric);
    is_said = true;
  }
  if (!is_said) comparison.notes.push_back(ClockText(*clocks));
}

namespace {

// For each hash of input shapes: the time of its iterations, relative to the typical iteration.
using Factors = std::map<std::uint64_t, double>;

// True if the shapes of each value are known. A series of periods may have one value less than
// there are iterations. If more are missing, it is unknown which iterations the values belong to.
bool HasShapes(std::span<const Snapshot> runs, const std::vector<stats::Series>& series) {
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::size_t shapes = runs[r].iteration_shapes.size();
    const bool is_of_all = shapes == runs[r].iteration_times.size();
    if (!is_of_all || series[r].values.size() + 1 < shapes) return false;
  }
  return true;
}

// Computes the factors from all runs of the baseline, without their warm-up:
//
//     shapes      times               median    factor (typical 10)
//     A           10 10 11 10 10 10 10  10        1.0
//     B           20 21 20              20        2.0
//     C           15                              none     under three: left out
//
// A candidate's iteration of 22 on shapes B counts as 11.
Factors InputFactorsOf(std::span<const Snapshot> runs, const std::vector<stats::Series>& series) {
  std::map<std::uint64_t, std::vector<double>> by_shapes;
  std::vector<double> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = series[r].warmup; i < series[r].values.size(); ++i) {
      by_shapes[runs[r].iteration_shapes[i]].push_back(series[r].values[i]);
      all.push_back(series[r].values[i]);
    }
  }
  const double typical = stats::Median(all);
  Factors factors;
  for (const auto& [shapes, values] : by_shapes) {
    if (values.size() < knowledge::kGateInputsLeast) continue;
    factors[shapes] = stats::Median(values) / typical;
  }
  return factors;
}

// The mean logarithm of the factors for the inputs of the runs' iterations.
double MeanLog(std::span<const Snapshot> runs, const Factors& factors) {
  double sum = 0, count = 0;
  for (const Snapshot& run : runs) {
    for (const std::uint64_t shapes : run.iteration_shapes) {
      const auto factor = factors.find(shapes);
      if (factor == factors.end()) continue;
      sum += std::log(factor->second);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

// The share of iterations whose input shapes have no factor. REQUIRES: there is an iteration.
double UnknownShare(std::span<const Snapshot> runs, const Factors& factors) {
  double unknown = 0, all = 0;
  for (const Snapshot& run : runs) {
    for (const std::uint64_t shapes : run.iteration_shapes) {
      unknown += factors.contains(shapes) ? 0 : 1;
      ++all;
    }
  }
  return unknown / all;
}

stats::Series WithoutInputs(const stats::Series& series, const Snapshot& run,
                            const Factors& factors) {
  stats::Series out;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const auto factor = factors.find(run.iteration_shapes[i]);
    if (factor != factors.end()) out.values.push_back(series.values[i] / factor->second);
  }
  if (!out.values.empty()) out.warmup = analysis::breakdown::FindWarmup(out.values);
  return out;
}

// The relative increase of the mean if skipped iterations, whose input lengths are unknown, count
// as they are.
double UnknownCost(std::span<const Snapshot> runs, const Factors& factors,
                   const std::vector<stats::Series>& series) {
  double known = 0, all = 0, of_known = 0, of_all = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t i = 0; i < series[r].values.size(); ++i) {
      const auto factor = factors.find(runs[r].iteration_shapes[i]);
      const double value = series[r].values[i] / (factor == factors.end() ? 1 : factor->second);
      all += value;
      ++of_all;
      if (factor == factors.end()) continue;
      known += value;
      ++of_known;
    }
  }
  return known > 0 ? all / of_all / (known / of_known) - 1 : 0;
}

// Divides times by their inputs' factors. False, and no change, if a run would keep no iteration.
bool TakeOff(std::span<const Snapshot> runs, const Factors& factors,
             std::vector<stats::Series>& series) {
  std::vector<stats::Series> out;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    out.push_back(WithoutInputs(series[r], runs[r], factors));
    if (out.back().values.empty()) return false;
  }
  series = std::move(out);
  return true;
}

}  // namespace

InputMix TakeOffInputs(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       std::vector<stats::Series>& base, std::vector<stats::Series>& current) {
  InputMix mix;
  if (!HasShapes(baselines, base) || !HasShapes(candidates, current)) return mix;
  const Factors factors = InputFactorsOf(baselines, base);
  if (factors.size() < 2) return mix;
  mix.unknown_share = UnknownShare(candidates, factors);
  if (mix.unknown_share > knowledge::kGateInputsUnknown) return mix;
  std::vector<stats::Series> there = base, here = current;
  if (!TakeOff(baselines, factors, there) || !TakeOff(candidates, factors, here)) return mix;
  mix.unknown_cost = UnknownCost(candidates, factors, current);
  base = std::move(there);
  current = std::move(here);
  mix.is_taken_off = true;
  mix.longer = std::expm1(MeanLog(candidates, factors) - MeanLog(baselines, factors));
  return mix;
}

}  // namespace profgauge::gate
