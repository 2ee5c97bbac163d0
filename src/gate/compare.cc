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
constexpr std::array<std::string_view, 5> kExactMetrics = {
    "kernel.count_per_iteration", "memcpy.h2d.bytes", "memcpy.d2h.bytes", "memcpy.d2d.bytes",
    "tensor_core.kernels_per_iteration"};
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
    count.max_increase = count.max_decrease = BaselineLimit::Amount{0, true};
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
std::vector<double> SeriesOf(const Snapshot& run, std::string_view metric) {
  std::vector<double> series;
  const std::vector<double> times = AsDoubles(run.iteration_times);
  const std::size_t warmup = stats::FindWarmup(times).dropped;
  if (IsIterationTime(metric)) {
    series = times;
  } else if (const auto it = run.iteration_shares.find(metric); it != run.iteration_shares.end()) {
    series = it->second;
  }
  if (!series.empty()) {
    series.erase(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(warmup));
  }
  return series;
}

class Comparer {
 public:
  Comparer(std::span<const Snapshot> baselines, const Snapshot& current,
           const PolicyBaseline& policy)
      : baselines_(baselines), current_(current), policy_(policy) {}

  MetricComparison Compare(const BaselineLimit& limit) const {
    MetricComparison out;
    out.metric = limit.metric;
    out.level = limit.level;
    const MetricSpec* spec = FindMetric(limit.metric);
    if (spec != nullptr) out.unit = spec->unit;
    out.limit = LimitText(limit, out.unit);
    if (CompareSeries(limit, out)) return out;
    CompareValues(limit, out);
    return out;
  }

 private:
  bool CompareSeries(const BaselineLimit& limit, MetricComparison& out) const {
    std::vector<std::vector<double>> base;
    for (const Snapshot& run : baselines_) {
      base.push_back(SeriesOf(run, limit.metric));
      if (base.back().empty()) return false;
    }
    const std::vector<std::vector<double>> current = {SeriesOf(current_, limit.metric)};
    if (current.front().empty()) return false;
    // A time of 0 has no logarithm, and nothing to compare with.
    const auto has_zero = [](const std::vector<double>& series) {
      return std::any_of(series.begin(), series.end(), [](double v) { return v <= 0; });
    };
    if (IsIterationTime(limit.metric) &&
        (has_zero(current.front()) || std::any_of(base.begin(), base.end(), has_zero))) {
      return false;
    }
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
    return true;
  }

  stats::CompareOptions Options(const BaselineLimit& limit, const BaselineLimit::Amount& amount,
                                bool increase, const std::vector<std::vector<double>>& base) const {
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

  void CompareValues(const BaselineLimit& limit, MetricComparison& out) const {
    out.method = IsExact(limit.metric) ? CompareMethod::kExact : CompareMethod::kValue;
    std::vector<double> base;
    for (const Snapshot& run : baselines_) {
      if (const auto it = run.metrics.find(limit.metric); it != run.metrics.end()) {
        base.push_back(it->second);
      }
    }
    const auto current = current_.metrics.find(limit.metric);
    if (base.empty() || current == current_.metrics.end()) {
      out.is_missing = true;
      out.reason = base.empty() ? "the baseline has no value" : "this run has no value";
      return;
    }
    out.base = stats::Median(base);
    out.current = current->second;
    out.change = out.current - out.base;
    if (std::abs(out.change) < limit.min_abs.value_or(0)) return;
    const bool too_high =
        limit.max_increase && out.change > AbsoluteOf(*limit.max_increase, out.base);
    const bool too_low =
        limit.max_decrease && -out.change > AbsoluteOf(*limit.max_decrease, out.base);
    if (too_high || too_low) out.verdict = stats::Change::kFail;
  }

  std::span<const Snapshot> baselines_;
  const Snapshot& current_;
  const PolicyBaseline& policy_;
};

// The baseline run in the middle by median iteration time: the waterfall needs one run.
const Snapshot& MiddleRun(std::span<const Snapshot> baselines) {
  std::vector<std::pair<double, std::size_t>> medians;
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    medians.emplace_back(stats::Median(AsDoubles(baselines[i].iteration_times)), i);
  }
  std::sort(medians.begin(), medians.end());
  return baselines[medians[(medians.size() - 1) / 2].second];
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

RunComparison CompareRuns(std::span<const Snapshot> baselines, const Snapshot& current,
                          const PolicyBaseline* policy) {
  const PolicyBaseline defaults;
  const PolicyBaseline& used = policy == nullptr ? defaults : *policy;
  RunComparison out;
  out.baseline_runs = static_cast<std::int64_t>(baselines.size());
  for (const Snapshot& base : baselines) {
    for (Difference& difference : FindDifferences(base, current, used)) {
      out.is_comparable &= !difference.is_hard;
      const auto same = [&difference](const Difference& d) {
        return d.property == difference.property && d.base == difference.base;
      };
      if (std::none_of(out.differences.begin(), out.differences.end(), same)) {
        out.differences.push_back(std::move(difference));
      }
    }
  }
  const Comparer comparer(baselines, current, used);
  for (const BaselineLimit& limit : used.limits.empty() ? DefaultLimits() : used.limits) {
    out.metrics.push_back(comparer.Compare(limit));
    // By default a count that neither side has is no news.
    if (used.limits.empty() && out.metrics.back().is_missing) out.metrics.pop_back();
  }
  const Snapshot& base = MiddleRun(baselines);
  out.base_name = base.name;
  out.waterfall = Explain(base, current);
  return out;
}

}  // namespace profgauge
