#include "gate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/analysis.h"
#include "base/format.h"

namespace profgauge {
namespace {

constexpr std::array<std::string_view, 4> kHardProperties = {"format", "gpu", "gpus", "world_size"};
// Deterministic for the same program, so that any change is news: the most noise-free gate of all.
constexpr std::array<std::string_view, 6> kExactMetrics = {
    "kernel.count_per_iteration",     "launch.count_per_iteration",
    "memcpy.h2d.bytes_per_iteration", "memcpy.d2h.bytes_per_iteration",
    "memcpy.d2d.bytes_per_iteration", "tensor_core.kernels_per_iteration"};
constexpr double kDefaultLimit = 0.05;
constexpr double kDefaultNoiseFloor = 0.01;
// Shares vary less than times from run to run; in percentage points.
constexpr double kShareNoiseFloor = 0.005;

bool IsExact(std::string_view metric) {
  return std::find(kExactMetrics.begin(), kExactMetrics.end(), metric) != kExactMetrics.end();
}

bool IsIterationTime(std::string_view metric) {
  return metric == "iteration.time.median" || metric == "iteration.time.mean";
}

std::vector<BaselineLimit> DefaultLimits() {
  std::vector<BaselineLimit> limits;
  BaselineLimit time;
  time.metric = "iteration.time.median";
  time.max_increase = BaselineLimit::Amount{kDefaultLimit, true};
  limits.push_back(time);
  for (const std::string_view metric : kExactMetrics) {
    BaselineLimit count;
    count.metric = metric;
    // Fewer of what costs time is no regression; fewer on Tensor Cores is one.
    const bool more_is_better = FindMetric(metric)->direction == Direction::kHigherIsBetter;
    (more_is_better ? count.max_decrease : count.max_increase) = BaselineLimit::Amount{0, true};
    count.level = Level::kWarn;
    limits.push_back(count);
  }
  return limits;
}

std::string PropertyOf(const Snapshot& run, std::string_view property) {
  return property == "format" ? run.format : std::string(run.Environment(property));
}

// Properties of both runs in the base's order, the current's own after them.
std::vector<std::string> AllProperties(const Snapshot& base, const Snapshot& current) {
  std::vector<std::string> all = {"format"};
  for (const Snapshot* run : {&base, &current}) {
    for (const auto& [property, value] : run->environment) {
      if (std::find(all.begin(), all.end(), property) == all.end()) all.push_back(property);
    }
  }
  return all;
}

std::string LimitText(const BaselineLimit& limit, Unit unit) {
  const auto amount = [unit](const BaselineLimit::Amount& a) {
    if (a.relative) return FormatShare(a.value);
    if (unit == Unit::kShare) return fmt::format("{:.3g} pp", a.value * 100);
    const Value value = CellTypeOf(unit) == CellType::kInteger
                            ? Value(static_cast<std::int64_t>(std::llround(a.value)))
                            : Value(a.value);
    return FormatValue(value, unit);
  };
  std::string text;
  if (limit.max_increase) text += "≤ +" + amount(*limit.max_increase);
  if (limit.max_decrease) {
    if (!text.empty()) text += ", ";
    text += "≥ −" + amount(*limit.max_decrease);
  }
  return text;
}

double AbsoluteOf(const BaselineLimit::Amount& amount, double base) {
  return amount.relative ? amount.value * std::abs(base) : amount.value;
}

std::vector<double> AsDoubles(const std::vector<Ns>& times) { return {times.begin(), times.end()}; }

// One side's per-iteration values of a metric, without warm-up; empty when it has none.
struct Series {
  std::vector<double> values;
  bool is_steady = true;
};

Series SeriesOf(const Snapshot& run, std::string_view metric) {
  const std::vector<double> times = AsDoubles(run.iteration_times);
  Series series;
  if (IsIterationTime(metric)) {
    series.values = times;
  } else if (const auto it = run.iteration_shares.find(metric); it != run.iteration_shares.end()) {
    series.values = it->second;
  }
  if (series.values.empty()) return series;
  const stats::Warmup warmup = stats::FindWarmup(times);
  series.is_steady = warmup.steady;
  series.values.erase(series.values.begin(),
                      series.values.begin() + static_cast<std::ptrdiff_t>(warmup.dropped));
  return series;
}

using SeriesList = std::vector<std::vector<double>>;

// The series of all runs; empty when one has none, or has a time of 0, which has no logarithm.
SeriesList AllSeries(std::span<const Snapshot> runs, std::string_view metric, bool& is_steady) {
  SeriesList all;
  for (const Snapshot& run : runs) {
    Series series = SeriesOf(run, metric);
    const bool has_zero =
        std::any_of(series.values.begin(), series.values.end(), [](double v) { return v <= 0; });
    if (series.values.empty() || (has_zero && IsIterationTime(metric))) return {};
    is_steady &= series.is_steady;
    all.push_back(std::move(series.values));
  }
  return all;
}

class Comparer {
 public:
  Comparer(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
           const PolicyBaseline& policy)
      : baselines_(baselines), candidates_(candidates), policy_(policy) {}

  MetricComparison Compare(const BaselineLimit& limit) const {
    MetricComparison out;
    out.metric = limit.metric;
    out.level = limit.level;
    const MetricSpec* spec = FindMetric(limit.metric);
    if (spec != nullptr) out.unit = spec->unit;
    out.limit = LimitText(limit, out.unit);
    if (IsIterationTime(limit.metric) && LackTimes(out)) return out;
    if (CompareSeries(limit, out)) return out;
    CompareValues(limit, out);
    return out;
  }

 private:
  bool LackTimes(MetricComparison& out) const {
    const bool base = std::all_of(baselines_.begin(), baselines_.end(), IsTimed);
    const bool current = std::all_of(candidates_.begin(), candidates_.end(), IsTimed);
    if (base && current) return false;
    out.is_missing = true;
    out.reason = fmt::format("{} no iteration times: its format tells durations or sums only",
                             base ? "this run has" : "the baseline has");
    return true;
  }

  bool CompareSeries(const BaselineLimit& limit, MetricComparison& out) const {
    bool is_steady = true;
    const SeriesList base = AllSeries(baselines_, limit.metric, is_steady);
    const SeriesList current = AllSeries(candidates_, limit.metric, is_steady);
    if (base.empty() || current.empty()) return false;
    out.method = CompareMethod::kStatistics;
    // Each direction has a limit of its own; the worse answer counts.
    bool is_first = true;
    for (const bool increase : {true, false}) {
      const auto& amount = increase ? limit.max_increase : limit.max_decrease;
      if (!amount) continue;
      const stats::Comparison result =
          stats::Compare(base, current, Options(limit, *amount, increase, base));
      if (is_first || Worse(result.change, out.verdict)) Take(result, out);
      is_first = false;
    }
    if (!is_steady && base != current) {
      out.verdict = stats::Change::kInconclusive;
      out.reason = "not in a steady state: the first third of the iterations is still warm-up";
    }
    return true;
  }

  stats::CompareOptions Options(const BaselineLimit& limit, const BaselineLimit::Amount& amount,
                                bool increase, const SeriesList& base) const {
    stats::CompareOptions options;
    options.logarithmic = IsIterationTime(limit.metric);
    options.lower_is_better = increase;
    const double level = stats::Median(base.front());
    options.limit = amount.value;
    if (options.logarithmic && !amount.relative && level > 0) options.limit = amount.value / level;
    if (!options.logarithmic && amount.relative) options.limit = amount.value * level;
    options.noise_floor =
        options.logarithmic ? policy_.noise_floor.value_or(kDefaultNoiseFloor) : kShareNoiseFloor;
    options.absolute_floor = limit.min_abs.value_or(0);
    if (policy_.certain) options.strictness = stats::Strictness::kCertain;
    return options;
  }

  static bool Worse(stats::Change a, stats::Change b) {
    const auto rank = [](stats::Change change) {
      switch (change) {
        case stats::Change::kFail:
          return 3;
        case stats::Change::kInconclusive:
          return 2;
        case stats::Change::kImproved:
          return 1;
        case stats::Change::kPass:
          return 0;
      }
      return 0;
    };
    return rank(a) > rank(b);
  }

  static void Take(const stats::Comparison& result, MetricComparison& out) {
    out.base = result.base_median;
    out.current = result.current_median;
    out.change = result.current_median - result.base_median;
    out.low = result.low;
    out.high = result.high;
    out.verdict = result.change;
    out.reason.clear();
    const auto add = [&out](const std::string& text) {
      out.reason += (out.reason.empty() ? "" : "; ") + text;
    };
    if (!result.advice.empty()) {
      add("smallest change it could detect " + FormatShare(result.minimum_detectable));
      add(result.advice);
    }
    if (result.limit_below_noise) {
      add("the limit is below the noise between runs (" + FormatShare(result.noise) +
          "), expect false alarms");
    }
    if (result.low_confidence) add("too few iterations for a sure interval");
  }

  static std::vector<double> ValuesOf(std::span<const Snapshot> runs, const std::string& metric) {
    std::vector<double> values;
    for (const Snapshot& run : runs) {
      if (const auto it = run.metrics.find(metric); it != run.metrics.end()) {
        values.push_back(it->second);
      }
    }
    return values;
  }

  void CompareValues(const BaselineLimit& limit, MetricComparison& out) const {
    out.method = IsExact(limit.metric) ? CompareMethod::kExact : CompareMethod::kValue;
    const std::vector<double> base = ValuesOf(baselines_, limit.metric);
    const std::vector<double> current = ValuesOf(candidates_, limit.metric);
    if (base.empty() || current.empty()) {
      out.is_missing = true;
      out.reason = base.empty() ? "the baseline has no value" : "this run has no value";
      return;
    }
    out.base = stats::Median(base);
    out.current = stats::Median(current);
    out.change = out.current - out.base;
    if (std::abs(out.change) < limit.min_abs.value_or(0)) return;
    const bool too_high =
        limit.max_increase && out.change > AbsoluteOf(*limit.max_increase, out.base);
    const bool too_low =
        limit.max_decrease && -out.change > AbsoluteOf(*limit.max_decrease, out.base);
    if (too_high || too_low) {
      out.verdict = stats::Change::kFail;
    } else if (out.method == CompareMethod::kExact && out.change != 0) {
      // Beyond what the limit looks at: fewer launches, more kernels on Tensor Cores.
      const bool is_free = out.change > 0 ? !limit.max_increase : !limit.max_decrease;
      if (is_free) out.verdict = stats::Change::kImproved;
    }
  }

  std::span<const Snapshot> baselines_;
  std::span<const Snapshot> candidates_;
  const PolicyBaseline& policy_;
};

// Every difference once, whichever runs have it, and what all runs have alike.
void AddDifferences(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                    const PolicyBaseline& policy, RunComparison& out) {
  for (const Snapshot& base : baselines) {
    for (const Snapshot& current : candidates) {
      for (Difference& difference : FindDifferences(base, current, policy)) {
        out.is_comparable &= !difference.is_hard;
        const auto same = [&difference](const Difference& d) {
          return d.property == difference.property && d.base == difference.base &&
                 d.current == difference.current;
        };
        if (std::none_of(out.differences.begin(), out.differences.end(), same)) {
          out.differences.push_back(std::move(difference));
        }
      }
    }
  }
  std::stable_partition(out.differences.begin(), out.differences.end(),
                        [](const Difference& d) { return d.is_hard; });
  for (const std::string& property : AllProperties(baselines.front(), candidates.front())) {
    const auto differs = [&property](const Difference& d) { return d.property == property; };
    if (std::any_of(out.differences.begin(), out.differences.end(), differs)) continue;
    out.alike.emplace_back(property, PropertyOf(candidates.front(), property));
  }
}

}  // namespace

std::vector<Difference> FindDifferences(const Snapshot& base, const Snapshot& current,
                                        const PolicyBaseline& policy) {
  std::vector<Difference> differences;
  for (const std::string& property : AllProperties(base, current)) {
    Difference difference{property, PropertyOf(base, property), PropertyOf(current, property)};
    if (difference.base == difference.current) continue;
    const bool is_known = !difference.base.empty() && !difference.current.empty();
    const auto matches = [&property](std::string_view hard) { return hard == property; };
    const bool is_listed =
        policy.match ? std::any_of(policy.match->begin(), policy.match->end(), matches)
                     : std::any_of(kHardProperties.begin(), kHardProperties.end(), matches);
    difference.is_hard = is_known && is_listed;
    differences.push_back(std::move(difference));
  }
  std::stable_partition(differences.begin(), differences.end(),
                        [](const Difference& d) { return d.is_hard; });
  return differences;
}

std::size_t FindMiddleRun(std::span<const Snapshot> runs) {
  std::vector<std::pair<double, std::size_t>> medians;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    medians.emplace_back(stats::Median(AsDoubles(runs[i].iteration_times)), i);
  }
  std::sort(medians.begin(), medians.end());
  return medians[(medians.size() - 1) / 2].second;
}

RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const PolicyBaseline* policy) {
  const PolicyBaseline defaults;
  const PolicyBaseline& used = policy == nullptr ? defaults : *policy;
  RunComparison out;
  out.baseline_runs = static_cast<std::int64_t>(baselines.size());
  out.current_runs = static_cast<std::int64_t>(candidates.size());
  AddDifferences(baselines, candidates, used, out);
  const Comparer comparer(baselines, candidates, used);
  for (const BaselineLimit& limit : used.limits.empty() ? DefaultLimits() : used.limits) {
    out.metrics.push_back(comparer.Compare(limit));
    // By default a count that neither side has is no news.
    const MetricComparison& last = out.metrics.back();
    const bool is_count = !IsIterationTime(last.metric);
    if (used.limits.empty() && is_count && last.is_missing) out.metrics.pop_back();
  }
  const Snapshot& base = baselines[FindMiddleRun(baselines)];
  const Snapshot& current = candidates[FindMiddleRun(candidates)];
  out.base_name = base.name;
  out.current_name = current.name;
  if (IsTimed(base) && IsTimed(current)) out.waterfall = Explain(base, current);
  out.values = PairValues(base, current);
  out.kernels = PairKernels(base, current);
  out.ops = PairOps(base, current);
  return out;
}

}  // namespace profgauge
