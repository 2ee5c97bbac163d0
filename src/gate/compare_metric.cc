#include "gate/compare_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
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

}  // namespace profgauge::gate
