// Compares metrics with one number per run: exact counts, and values whose noise several runs show.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "base/metric_id.h"
#include "gate/change_text.h"
#include "gate/comparable.h"
#include "gate/compare_metric.h"
#include "gate/constants.h"
#include "gate/reasons.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// From this many baseline runs on, their spread shows the noise of a value.
constexpr std::size_t kLeastForNoise = knowledge::kGateValueRuns.as<std::size_t>();

}  // namespace

std::span<const std::string_view> ExactMetrics() {
  static const std::array<std::string_view, 6> kExact = {
      metric::kKernelCountPerIteration.text(),    metric::kLaunchCountPerIteration.text(),
      metric::kMemcpyH2dBytesPerIteration.text(), metric::kMemcpyD2hBytesPerIteration.text(),
      metric::kMemcpyD2dBytesPerIteration.text(), metric::kTensorCoreKernelsPerIteration.text()};
  return kExact;
}

bool IsExact(std::string_view metric) {
  const auto exact = ExactMetrics();
  return std::find(exact.begin(), exact.end(), metric) != exact.end();
}

double AbsoluteOf(const rules::BaselineLimit::Amount& amount, double base) {
  return amount.relative ? amount.value * std::abs(base) : amount.value;
}

int Weight(stats::Change change, bool over_limit) {
  switch (change) {
    case stats::Change::kFail:
      return 4;
    case stats::Change::kInconclusive:
      return over_limit ? 3 : 2;
    case stats::Change::kImproved:
      return 1;
    case stats::Change::kPass:
      return 0;
  }
  return 0;
}

// The metric's values in `runs`. Sums are scaled to the number of iterations of the baseline's
// first run, so that limits in the metric's unit keep their meaning.
std::vector<double> MetricComparer::ValuesOf(std::span<const Snapshot> runs,
                                             const std::string& metric) {
  std::vector<double> values;
  const bool is_sum = GrowsWithIterations(metric);
  const double iterations = SummedIterations(baselines_.front());
  for (const Snapshot& run : runs) {
    const auto it = run.metrics.find(metric);
    if (it == run.metrics.end()) continue;
    const double its = SummedIterations(run);
    const bool is_scaled = is_sum && its != iterations;
    values.push_back(is_scaled ? it->second * iterations / its : it->second);
    if (!is_scaled) continue;
    AddOnce(
        {fmt::format("sums over iterations ({}) are compared as of {:.0f} iterations; run {} "
                     "has {:.0f}",
                     metric, iterations, run.name, its)});
  }
  return values;
}

// Compares a sum over iterations like a total. The test includes chance.
bool MetricComparer::CompareSums(const rules::BaselineLimit& limit, MetricComparison& out) {
  if (!limit.max_increase || limit.max_decrease) return false;
  const SeriesList base = SumsOf(baselines_, limit.metric);
  const SeriesList current = SumsOf(candidates_, limit.metric);
  if (base.empty() || current.empty()) return false;
  stats::CompareOptions options = Options(limit, *limit.max_increase, true, out.base);
  options.is_mean = true;
  options.total_limit = options.limit;
  // The absolute limit is for the sum, and the compared values are means per iteration.
  options.absolute_floor /= SummedIterations(baselines_.front());
  const SeriesList before = SumsOf(earlier_, limit.metric);
  const stats::Comparison result = stats::Compare(base, current, options, {}, {before, {}});
  out.method = CompareMethod::kStatistics;
  out.is_relative = limit.max_increase->relative;
  out.allowed = options.limit;
  out.shift = result.total->change;
  out.low = result.total->low;
  out.high = result.total->high;
  out.verdict = result.change;
  out.over_limit = result.over_limit;
  TakeDoubt(result, out);
  out.total = result.total->change;
  if (stats::HasStart(*result.total)) out.all = result.total->all;
  out.total_limit = result.total->limit;
  out.chance = result.total->chance;
  out.reason = fmt::format("{}; {} → {}", DescribeMean(result, {out.unit, options.limit, true}),
                           FormatValue(Value{out.base}, out.unit),
                           FormatValue(Value{out.current}, out.unit));
  return true;
}

// Compares a metric that is zero in some iterations, so that no iteration is typical, by its mean.
// The test includes chance.
bool MetricComparer::CompareSparse(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (!limit.max_increase || limit.max_decrease) return false;
  const auto base = PartsByIteration(baselines_, limit.metric);
  const auto current = PartsByIteration(candidates_, limit.metric);
  if (base.empty() || current.empty()) return false;
  const double iterations = SummedIterations(baselines_.front());
  const double allowed = AbsoluteOf(*limit.max_increase, out.base) / iterations;
  const stats::CompareOptions options = Options(limit, *limit.max_increase, true, out.base);
  stats::ShareComparison result = stats::CompareMeans(
      base, current, allowed, options.noise_floor * std::abs(out.base) / iterations);
  if (std::abs(out.change) < options.absolute_floor) result.change = stats::Change::kPass;
  const double whole = result.base > 0 ? result.base : 1;
  out.method = CompareMethod::kStatistics;
  out.is_relative = limit.max_increase->relative;
  out.allowed = allowed / whole;
  out.shift = (result.current - result.base) / whole;
  out.low = result.low / whole;
  out.high = result.high / whole;
  out.verdict = result.change;
  out.over_limit = result.change == stats::Change::kInconclusive && result.over_limit;
  out.chance = result.chance;
  out.reason = DescribeSparse(result, {out.unit, allowed, true, result.base});
  return true;
}

// Compares one number per run, if several baseline runs show its noise or it is a sum (assumed).
bool MetricComparer::CompareNoisy(const rules::BaselineLimit& limit,
                                  const std::vector<double>& base,
                                  const std::vector<double>& current, MetricComparison& out) const {
  const bool is_sum = GrowsWithIterations(limit.metric) && out.unit == Unit::kTime;
  const auto is_positive = [](const std::vector<double>& values) {
    return std::none_of(values.begin(), values.end(), [](double v) { return v <= 0; });
  };
  if (IsExact(limit.metric) || (!is_sum && base.size() < kLeastForNoise)) return false;
  if (!is_positive(base) || !is_positive(current)) return false;
  // Counts and bytes are exact, so they have no noise. Times do.
  const bool is_count = CellTypeOf(out.unit) == CellType::kInteger && out.unit != Unit::kTime;
  if (is_count && !is_sum) return false;
  bool is_first = true;
  const double iterations = is_sum ? SummedIterations(candidates_.front()) : 0;
  for (const bool increase : {true, false}) {
    const auto& amount = increase ? limit.max_increase : limit.max_decrease;
    if (!amount) continue;
    const stats::CompareOptions options = Options(limit, *amount, increase, out.base);
    stats::ValueComparison result = stats::CompareRunValues(base, current, options, iterations);
    if (std::abs(out.change) < options.absolute_floor) result.change = stats::Change::kPass;
    const bool is_graver =
        Weight(result.change, result.over_limit) > Weight(out.verdict, out.over_limit);
    if (!is_first && !is_graver) continue;
    is_first = false;
    out.method = CompareMethod::kStatistics;
    out.is_relative = amount->relative;
    // A share with a limit in points changes by points, too.
    const bool is_points = out.unit == Unit::kShare && !out.is_relative;
    const double whole = is_points ? out.base : 1;
    for (double* change : {&result.shift, &result.low, &result.high}) *change *= whole;
    out.allowed = options.limit * whole;
    out.shift = result.shift;
    out.low = result.low;
    out.high = result.high;
    out.verdict = result.change;
    out.over_limit = result.over_limit && result.change == stats::Change::kInconclusive;
    const ChangeContext context{out.unit, out.allowed, increase, is_points ? 0 : out.base};
    out.reason = fmt::format("{}; {} → {}", DescribeValue(result, context, base.size()),
                             FormatValue(Value{out.base}, out.unit),
                             FormatValue(Value{out.current}, out.unit));
  }
  return true;
}

// Compares medians over the runs: with statistics if the data allow them, else as plain numbers.
void MetricComparer::CompareValues(const rules::BaselineLimit& limit, MetricComparison& out) {
  out.method = IsExact(limit.metric) ? CompareMethod::kExact : CompareMethod::kValue;
  const std::vector<double> base = ValuesOf(baselines_, limit.metric);
  const std::vector<double> current = ValuesOf(candidates_, limit.metric);
  // If a candidate has no value, it could be the slower one.
  const bool is_whole = current.size() == candidates_.size();
  if (base.empty() || !is_whole) {
    out.is_missing = true;
    out.reason = base.empty()             ? "the baseline has no value"
                 : candidates_.size() > 1 ? "not all of the runs have a value"
                                          : "this run has no value";
    return;
  }
  out.base = stats::Median(base);
  out.current = stats::Median(current);
  out.change = out.current - out.base;
  if (stats::IsRounding(out.base, out.current)) out.change = 0;
  if (CompareSums(limit, out) || CompareSparse(limit, out)) return;
  const bool is_load_test = limit.metric.starts_with("serve.");
  if (CompareNoisy(limit, base, current, out)) {
    // Near the limit, a second load test decides, because latencies vary more than five runs show.
    const bool is_near = std::abs(out.shift) <= stats::kFarLimits * out.allowed;
    if (is_load_test && is_near && current.size() == 1 && out.verdict == stats::Change::kFail) {
      out.verdict = stats::Change::kInconclusive;
      out.over_limit = true;
      out.open = stats::Open::kAgain;
      out.reason += "; a second load test decides: record again, and judge both";
    }
    return;
  }
  const bool too_high =
      limit.max_increase && out.change > AbsoluteOf(*limit.max_increase, out.base);
  const bool too_low =
      limit.max_decrease && -out.change > AbsoluteOf(*limit.max_decrease, out.base);
  const bool is_decrease = too_low || !limit.max_increase;
  if (const auto& amount = is_decrease ? limit.max_decrease : limit.max_increase) {
    out.is_relative = amount->relative;
    const double allowed = AbsoluteOf(*amount, out.base);
    out.allowed = out.base != 0 ? allowed / std::abs(out.base) : allowed;
  }
  if (std::abs(out.change) < limit.min_abs.value_or(0)) return;
  // Latencies and rates of equal load tests differ by more than a limit. One or two baseline runs
  // do not show by how much.
  const bool is_noise_known = base.size() >= kLeastForNoise || !is_load_test;
  if ((too_high || too_low) && !is_noise_known &&
      std::abs(out.change) <= stats::kFarLimits * out.allowed * std::abs(out.base)) {
    out.verdict = stats::Change::kInconclusive;
    out.over_limit = true;
    out.open = stats::Open::kLearning;
    out.reason = fmt::format("{} of {} baseline runs show how equal load tests differ [{}]",
                             base.size(), kLeastForNoise, kLearningReason);
  } else if (too_high || too_low) {
    out.verdict = stats::Change::kFail;
  } else if (out.method == CompareMethod::kExact && out.change != 0) {
    // A change in the direction without a limit, e.g. fewer launches, is an improvement, unless the
    // run does less or other work.
    const bool is_free = out.change > 0 ? !limit.max_increase : !limit.max_decrease;
    const bool is_same = work_.kind == WorkKind::kSame || work_.kind == WorkKind::kChanged;
    // More kernels on matrix units are none, where there are more kernels of all kinds.
    const auto kernels = [&](std::span<const Snapshot> runs) {
      const auto counts = ValuesOf(runs, std::string(metric::kKernelCountPerIteration.text()));
      return counts.empty() ? 0 : stats::Median(counts);
    };
    const bool is_more_of_all = limit.metric == metric::kTensorCoreKernelsPerIteration &&
                                kernels(candidates_) > kernels(baselines_);
    if (is_free && is_same && !is_more_of_all) out.verdict = stats::Change::kImproved;
  }
}

}  // namespace profgauge::gate
