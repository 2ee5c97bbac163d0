#include "gate/compare_metric.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/breakdown/iteration_stats.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "base/whole.h"
#include "gate/change_text.h"
#include "gate/circumstances.h"
#include "gate/comparable.h"
#include "gate/constants.h"
#include "gate/reasons.h"
#include "gate/sides.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

// From this share of time between iterations on, that time is compared, too.
constexpr double kMuchBetween = knowledge::kGateMuchBetween.value();

bool IsIterationTime(std::string_view metric) {
  return IsTypicalTime(metric) || IsMeanTime(metric);
}

bool IsPeriod(std::string_view metric) {
  return metric == metric::kIterationPeriodMedian || metric == metric::kIterationPeriodMean;
}

bool HasBetween(const Snapshot& run) {
  const auto share = run.metrics.find(metric::kIterationBetweenShare.text());
  return share != run.metrics.end() && share->second >= kMuchBetween;
}

std::string LimitText(const rules::BaselineLimit& limit, Unit unit) {
  const auto amount = [unit](const rules::BaselineLimit::Amount& a) {
    if (a.relative) return FormatShare(a.value);
    if (unit == Unit::kShare) return fmt::format("{:.3g} pp", a.value * 100);
    const auto whole = CellTypeOf(unit) == CellType::kInteger ? Nearest(a.value) : std::nullopt;
    const Value value = whole ? Value(*whole) : Value(a.value);
    return FormatValue(value, unit);
  };
  std::string text;
  const auto signed_amount = [&amount](const rules::BaselineLimit::Amount& a,
                                       std::string_view sign) {
    return (a.value == 0 ? "" : std::string(sign)) + amount(a);
  };
  if (limit.max_increase) text += "≤ " + signed_amount(*limit.max_increase, "+");
  if (limit.max_decrease) {
    if (!text.empty()) text += ", ";
    text += "≥ " + signed_amount(*limit.max_decrease, "−");
  }
  return text;
}

// Unique names of the runs: a repeated name gets a number.
std::vector<std::string> NamesOf(std::span<const Snapshot> runs) {
  std::vector<std::string> names;
  std::map<std::string, int, std::less<>> seen;
  for (const Snapshot& run : runs) {
    const int times = ++seen[run.name];
    names.push_back(times == 1 ? run.name : fmt::format("{} ({})", run.name, times));
  }
  return names;
}

// The values of iterations for a limit on a percentile or extreme: times, or distances from the
// typical time.
struct Tail {
  std::vector<double> base, current;
  double base_value = 0, current_value = 0;
  double bound_of = 0;  // The limit is relative to this value or distance of the baseline.
};

double QuantileOf(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return analysis::breakdown::Quantile(values, share);
}

std::vector<double> DistancesOf(std::vector<double> values) {
  const double middle = stats::Median(values);
  for (double& value : values) value = std::abs(value - middle);
  return values;
}

std::optional<Tail> TailOf(std::string_view metric, std::vector<double> base,
                           std::vector<double> current) {
  const auto quantile = [&](double share) {
    Tail tail;
    tail.base_value = tail.bound_of = QuantileOf(base, share);
    tail.current_value = QuantileOf(current, share);
    tail.base = std::move(base);
    tail.current = std::move(current);
    return tail;
  };
  if (metric == metric::kIterationTimeP95 || metric == metric::kStepTimeP95) return quantile(0.95);
  if (metric == metric::kIterationTimeMax || metric == metric::kStepTimeMax) return quantile(1);
  if (metric != metric::kIterationTimeRobustCv && metric != metric::kStepTimeRobustCv) {
    return std::nullopt;
  }
  Tail tail;
  const double there = stats::Median(base), here = stats::Median(current);
  if (there <= 0 || here <= 0) return std::nullopt;
  tail.base_value = stats::RobustSigma(base) / there;
  tail.current_value = stats::RobustSigma(current) / here;
  tail.base = DistancesOf(std::move(base));
  tail.current = DistancesOf(std::move(current));
  for (double& distance : tail.base) distance /= there;
  for (double& distance : tail.current) distance /= here;
  tail.bound_of = QuantileOf(tail.base, 0.9);
  return tail;
}

std::optional<double> TotalLimitOf(const rules::BaselineLimit& limit, double typical) {
  return limit.judges_total ? std::optional(limit.total.value_or(typical)) : std::nullopt;
}

}  // namespace

MetricComparer::MetricComparer(std::span<const Snapshot> baselines,
                               std::span<const Snapshot> candidates,
                               const rules::PolicyBaseline& policy, const WorkChange& work,
                               ComparePurpose purpose, std::span<const Snapshot> earlier)
    : baselines_(baselines),
      candidates_(candidates),
      earlier_(earlier),
      base_names_(NamesOf(baselines)),
      current_names_(NamesOf(candidates)),
      policy_(policy),
      work_(work),
      steps_(StepsUseOf(baselines, candidates)),
      purpose_(purpose) {
  if (steps_ == StepsUse::kOneSide) {
    notes_.emplace_back(
        "only one side has the times of unrecorded iterations: recorded ones are compared");
  }
}

void MetricComparer::AddOnce(std::vector<std::string> more) {
  for (std::string& note : more) {
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) {
      notes_.push_back(std::move(note));
    }
  }
}

bool MetricComparer::IsNews(const MetricComparison& metric) const {
  // Load tests and benchmarks have no iterations at all, so these are not reported as missing.
  const bool are_times =
      std::ranges::all_of(baselines_, IsOfTimes) && std::ranges::all_of(candidates_, IsOfTimes);
  if (purpose_ == ComparePurpose::kExplain && are_times && metric.is_missing) return false;
  if (!IsIterationTime(metric.metric)) return !metric.is_missing;
  if (!IsPeriod(metric.metric)) return true;
  return std::any_of(baselines_.begin(), baselines_.end(), HasBetween) ||
         std::any_of(candidates_.begin(), candidates_.end(), HasBetween);
}

MetricComparison MetricComparer::Compare(const rules::BaselineLimit& given) {
  rules::BaselineLimit limit = given;
  limit.per_sample |= work_.by_sample && IsIterationTime(given.metric);
  MetricComparison out;
  out.metric = limit.metric;
  out.level = limit.level;
  const std::shared_ptr<const analysis::MetricSpec> spec = analysis::DescribeMetric(limit.metric);
  if (spec != nullptr) out.unit = spec->unit;
  out.limit = LimitText(limit, out.unit);
  if (LackDefinition(out)) return out;
  if (IsOfSteps(limit.metric) && LackSteps(out)) return out;
  if (LackSamples(limit, out)) return out;
  const bool is_by_steps = steps_ == StepsUse::kBoth;
  const bool is_time =
      !is_by_steps && (limit.metric.starts_with("iteration.time.") || IsPeriod(limit.metric));
  if (is_time && LackTimes(out)) return out;
  // In a range of time, which counts as one iteration, counts per iteration are sums.
  const bool is_sum = GrowsWithIterations(limit.metric) || IsExact(limit.metric);
  if (is_sum && LackSums(spec->family, out)) return out;
  const bool is_done = (IsIterationTime(limit.metric) && CompareTimes(limit, out)) ||
                       CompareShares(limit, out) || CompareTail(limit, out);
  if (!is_done) CompareValues(limit, out);
  const bool is_within = out.verdict != stats::Change::kFail;
  // Unrecorded iterations have the same batch size as the recorded ones, which show it.
  const bool is_of_batch =
      is_time || is_sum || IsIterationTime(limit.metric) || limit.metric.starts_with("serve.");
  const bool is_of_iteration =
      spec == nullptr || spec->family.empty() || spec->family == analysis::kServingFamily;
  if (is_of_batch && is_of_iteration && !IsExact(limit.metric)) DoubtWork(limit, out);
  if (is_time && is_within) DoubtEmptyIterations(out);
  if (steps_ == StepsUse::kBoth && IsIterationTime(limit.metric)) DoubtAfter(out);
  DoubtNumbers(out);
  DoubtFloor(limit, out);
  return out;
}

bool MetricComparer::CompareTimes(const rules::BaselineLimit& limit, MetricComparison& out) {
  const bool is_by_steps = steps_ == StepsUse::kBoth;
  SeriesList base = is_by_steps ? UsualSteps(baselines_) : TimesOf(baselines_, limit.metric);
  SeriesList current = is_by_steps ? UsualSteps(candidates_) : TimesOf(candidates_, limit.metric);
  if (base.empty() || current.empty()) return false;
  // Totals go from start to start only if both sides have such times: a missing time is no change.
  SeriesList base_total, current_total, before_total;
  SeriesList before = is_by_steps ? UsualSteps(earlier_) : TimesOf(earlier_, limit.metric);
  if (is_by_steps) {
    // If no step is unusual, both series are equal, and one comparison is enough.
    const auto is_mixed = [](const Snapshot& run) { return !run.steps_unusual.empty(); };
    if (std::ranges::any_of(baselines_, is_mixed) || std::ranges::any_of(candidates_, is_mixed) ||
        std::ranges::any_of(earlier_, is_mixed)) {
      base_total = AllSteps(baselines_);
      current_total = AllSteps(candidates_);
      before_total = AllSteps(earlier_);
    }
  } else if (IsTypicalTime(limit.metric) && HavePeriods(baselines_) && HavePeriods(candidates_)) {
    base_total = TotalsOf(baselines_);
    current_total = TotalsOf(candidates_);
    if (HavePeriods(earlier_)) before_total = TotalsOf(earlier_);
  }
  out.method = CompareMethod::kStatistics;
  InputMix mix;
  if (!is_by_steps) {  // The input shapes of unrecorded iterations are unknown.
    mix = TakeOffInputs(baselines_, candidates_, base, current);
    NoteInputs(mix);
    if (mix.is_taken_off) before.clear(), before_total.clear();
    if (!base_total.empty() && !current_total.empty()) {
      const InputMix of_total = TakeOffInputs(baselines_, candidates_, base_total, current_total);
      mix.unknown_cost = std::max(mix.unknown_cost, of_total.unknown_cost);
    }
  }
  if (limit.per_sample) {
    out.is_per_sample = true;
    for (SeriesList* series : {&base, &base_total}) DivideBySamples(baselines_, *series);
    for (SeriesList* series : {&current, &current_total}) DivideBySamples(candidates_, *series);
    for (SeriesList* series : {&before, &before_total}) DivideBySamples(earlier_, *series);
  }
  NoteWarmup(base, current);
  const double level = LevelOf(base);
  const bool is_mean = IsMeanTime(limit.metric);
  // Each direction has its own limit. The more severe answer counts.
  bool is_first = true;
  for (const bool increase : {true, false}) {
    const auto& amount = increase ? limit.max_increase : limit.max_decrease;
    if (!amount) continue;
    stats::CompareOptions options = Options(limit, *amount, increase, level);
    options.is_mean = is_mean && increase;
    options.total_limit = options.is_mean ? options.limit : TotalLimitOf(limit, options.limit);
    const stats::Comparison result =
        purpose_ == ComparePurpose::kJudgePairs
            ? stats::ComparePairs(base, current, options, {base_total, current_total})
            : stats::Compare(base, current, options, {base_total, current_total},
                             {before, before_total});
    AddOnce(DescribeRuns(result, base_names_, current_names_, base, current));
    const bool is_graver =
        Weight(result.change, result.over_limit) > Weight(out.verdict, out.over_limit);
    if (!is_first && !is_graver) continue;
    is_first = false;
    out.is_relative = amount->relative;
    out.allowed = options.limit;
    TakeNumbers(result, out);
    if (options.is_mean) {
      out.shift = result.total->change;
      out.low = result.total->low;
      out.high = result.total->high;
    }
    const ChangeContext context{out.unit, options.limit, options.lower_is_better};
    out.reason = options.is_mean ? DescribeMean(result, context) : DescribeChange(result, context);
    if (is_by_steps) out.reason += "; " + StepCounts(base, current);
    if (limit.per_sample) out.reason += "; per sample: times scaled to the baseline's samples";
  }
  if (mix.is_taken_off) out.inputs = mix.longer;
  DoubtInputs(mix, out);
  DoubtUnknownInputs(mix, out);
  return true;
}

void TakeDoubt(const stats::Comparison& result, MetricComparison& out) {
  out.open = result.open;
  out.recordings = result.recordings;
  out.needed = result.needed;
}

void TakeNumbers(const stats::Comparison& result, MetricComparison& out) {
  out.base = result.base.level;
  out.current = result.current.level;
  out.change = out.current - out.base;
  out.shift = result.shift;
  out.low = result.low;
  out.high = result.high;
  out.verdict = result.change;
  out.over_limit = result.over_limit;
  TakeDoubt(result, out);
  if (result.sees != 0) out.sees = result.sees;
  if (!result.total) return;
  out.total = result.total->change;
  if (stats::HasStart(*result.total)) out.all = result.total->all;
  out.total_limit = result.total->limit;
  out.chance = result.total->chance;
}

// Scales times as if each iteration had as many samples as one of the baseline's first run.
void MetricComparer::DivideBySamples(std::span<const Snapshot> runs, SeriesList& series) const {
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double ratio = SamplesRatio(baselines_.front(), runs[i]).value_or(1);
    for (double& value : series[i].values) value /= ratio;
  }
}

bool MetricComparer::CompareShares(const rules::BaselineLimit& limit, MetricComparison& out) const {
  const std::vector<stats::ShareOfRun> base = SharesOf(baselines_, limit.metric);
  const std::vector<stats::ShareOfRun> current = SharesOf(candidates_, limit.metric);
  if (base.empty() || current.empty()) return false;
  out.method = CompareMethod::kStatistics;
  bool is_first = true;
  for (const bool increase : {true, false}) {
    const auto& amount = increase ? limit.max_increase : limit.max_decrease;
    if (!amount) continue;
    // The limit is relative to the baseline's share of its total, which is the judged value.
    const double level = stats::ShareOfTotals(base);
    const double points = AbsoluteOf(*amount, level);
    stats::ShareComparison result = stats::CompareShares(base, current, points, increase);
    if (std::abs(result.current - result.base) < limit.min_abs.value_or(0)) {
      result.change = stats::Change::kPass;
      result.over_limit = false;
    }
    const bool is_graver =
        Weight(result.change, result.over_limit) > Weight(out.verdict, out.over_limit);
    if (!is_first && !is_graver) continue;
    is_first = false;
    // A share is printed as its limit is: relative, or in points.
    out.is_relative = amount->relative && level > 0;
    const double whole = out.is_relative ? level : 1;
    out.base = result.base;
    out.current = result.current;
    out.change = out.current - out.base;
    out.shift = out.change / whole;
    out.low = result.low / whole;
    out.high = result.high / whole;
    out.allowed = points / whole;
    out.verdict = result.change;
    out.over_limit = result.over_limit;
    out.chance = result.chance;
    out.reason = DescribeShare(result, {out.unit, points, increase, out.is_relative ? level : 0});
  }
  return true;
}

bool MetricComparer::CompareTail(const rules::BaselineLimit& limit, MetricComparison& out) const {
  if (!limit.max_increase || limit.max_decrease) return false;
  const std::optional<Tail> tail =
      steps_ == StepsUse::kBoth
          ? TailOf(limit.metric, StepValues(baselines_), StepValues(candidates_))
          : TailOf(limit.metric, AllTimes(baselines_), AllTimes(candidates_));
  if (!tail || tail->base_value <= 0 || tail->bound_of <= 0) return false;
  const double allowed = AbsoluteOf(*limit.max_increase, tail->base_value);
  const double change = tail->current_value - tail->base_value;
  const bool is_over = change > allowed && std::abs(change) >= limit.min_abs.value_or(0);
  const double factor = 1 + allowed / tail->base_value;
  stats::TailComparison result =
      stats::CompareTails(tail->base, tail->current, tail->bound_of * factor, is_over);
  result.base = tail->base_value;
  result.current = tail->current_value;
  out.method = CompareMethod::kChance;
  out.is_relative = limit.max_increase->relative;
  out.base = result.base;
  out.current = result.current;
  out.change = change;
  out.allowed = factor - 1;
  out.verdict = result.change;
  out.over_limit = result.over_limit;
  if (is_over) out.chance = result.chance;
  const double whole = out.is_relative ? tail->base_value : 0;
  out.reason = DescribeTail(result, {out.unit, factor - 1, true, whole});
  return true;
}

void MetricComparer::NoteWarmup(const SeriesList& base, const SeriesList& current) {
  for (const std::string& note : {DescribeWarmup(base, base_names_, "baseline"),
                                  DescribeWarmup(current, current_names_, "candidate")}) {
    if (!note.empty()) AddOnce({note});
  }
}

stats::CompareOptions MetricComparer::Options(const rules::BaselineLimit& limit,
                                              const rules::BaselineLimit::Amount& amount,
                                              bool increase, double level) const {
  stats::CompareOptions options;
  options.lower_is_better = increase;
  options.limit = amount.value;
  if (!amount.relative && level > 0) options.limit = amount.value / level;
  options.total_limit = options.limit;
  options.noise_floor = policy_.noise_floor.value_or(stats::kUsualNoiseFloor);
  options.absolute_floor = limit.min_abs.value_or(0);
  if (policy_.certain) options.strictness = stats::Strictness::kCertain;
  options.must_repeat = purpose_ != ComparePurpose::kJudgePairs;
  return options;
}

// Compares metrics with one number per run: exact counts, and values whose noise several runs show.

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

void MetricComparer::NoteInputs(const InputMix& mix) {
  if (!mix.is_taken_off) return;
  const std::string more = std::abs(mix.longer) < knowledge::kGateMuchBetween.value()
                               ? std::string()
                               : fmt::format("; this run's inputs take {}, which is excluded",
                                             RelativeChange(mix.longer));
  AddOnce({"input shapes: iterations of the same shapes are compared" + more});
}

// Makes a result undecided if inputs have several lengths and some are unknown, because a change
// may come from them. A failure stays.
void MetricComparer::DoubtInputs(const InputMix& mix, MetricComparison& out) {
  if (mix.is_taken_off || mix.unknown_share <= 0 || out.verdict == stats::Change::kFail) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "{} of the iterations have input shapes that the baseline has not: record a baseline with "
      "them. As they are: {} [baseline/other-inputs]",
      FormatShare(mix.unknown_share), ChangeWithInterval(out.shift, out.low, out.high));
}

// A total over three limits is never a pass, even if only skipped inputs make it so long.
void MetricComparer::DoubtUnknownInputs(const InputMix& mix, MetricComparison& out) {
  if (!mix.is_taken_off || !out.total || out.verdict == stats::Change::kFail) return;
  const double all = (1 + *out.total) * (1 + mix.unknown_cost) - 1;
  if (all <= stats::kFarLimits * *out.total_limit) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "total {} with the {} of the iterations whose input shapes the baseline has not: record a "
      "baseline with them. Without them: {} [baseline/other-inputs]",
      RelativeChange(all), FormatShare(mix.unknown_share), out.reason);
}

}  // namespace profgauge::gate
