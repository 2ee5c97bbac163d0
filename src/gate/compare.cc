#include "gate/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "analysis/analysis.h"
#include "base/format.h"
#include "base/median.h"
#include "base/metric_id.h"
#include "gate/change_text.h"
#include "gate/statistics.h"
#include "gate/warmup.h"

namespace profgauge {
namespace {

// Deterministic for the same program, so that any change is news: the most noise-free gate of all.
constexpr std::array<MetricId, 6> kExactMetrics = {
    metric::kKernelCountPerIteration,    metric::kLaunchCountPerIteration,
    metric::kMemcpyH2dBytesPerIteration, metric::kMemcpyD2hBytesPerIteration,
    metric::kMemcpyD2dBytesPerIteration, metric::kTensorCoreKernelsPerIteration};
constexpr double kDefaultLimit = 0.05;
constexpr double kDefaultNoiseFloor = 0.01;
// Shares vary less than times from run to run; in percentage points.
constexpr double kShareNoiseFloor = 0.005;

bool IsExact(std::string_view metric) {
  return std::find(kExactMetrics.begin(), kExactMetrics.end(), metric) != kExactMetrics.end();
}

constexpr MetricId kPeriod = metric::kIterationPeriodMedian;
// What lies between iterations counts from this share of the time on.
constexpr double kMuchBetween = 0.01;

bool IsIterationTime(std::string_view metric) {
  return metric == metric::kIterationTimeMedian || metric == metric::kIterationTimeMean ||
         metric == kPeriod;
}

// A file's decimal digits may come back one unit in the last place off.
bool IsRounding(double a, double b) {
  constexpr double kRounding = 1e-12;
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

bool HasBetween(const Snapshot& run) {
  const auto share = run.metrics.find(metric::kIterationBetweenShare.text());
  return share != run.metrics.end() && share->second >= kMuchBetween;
}

std::vector<BaselineLimit> DefaultLimits() {
  std::vector<BaselineLimit> limits;
  BaselineLimit time;
  time.metric = metric::kIterationTimeMedian.text();
  time.max_increase = BaselineLimit::Amount{kDefaultLimit, true};
  limits.push_back(time);
  time.metric = kPeriod.text();
  limits.push_back(time);
  for (const MetricId metric : kExactMetrics) {
    BaselineLimit count;
    count.metric = metric.text();
    // Fewer of what costs time is no regression; fewer on Tensor Cores is one.
    const bool more_is_better = SpecOf(metric).direction == Direction::kHigherIsBetter;
    (more_is_better ? count.max_decrease : count.max_increase) = BaselineLimit::Amount{0, true};
    count.level = Level::kWarn;
    limits.push_back(count);
  }
  return limits;
}

// Whether the same limit stands on the length of iterations.
bool IsToldByLength(const BaselineLimit& limit, std::span<const BaselineLimit> limits) {
  using Amount = std::optional<BaselineLimit::Amount>;
  const auto is_same = [](const Amount& a, const Amount& b) {
    if (!a || !b) return !a && !b;
    return a->value == b->value && a->relative == b->relative;
  };
  return limit.metric == kPeriod &&
         std::any_of(limits.begin(), limits.end(), [&](const BaselineLimit& other) {
           return other.metric == metric::kIterationTimeMedian && other.level == limit.level &&
                  is_same(other.max_increase, limit.max_increase) &&
                  is_same(other.max_decrease, limit.max_decrease) && other.min_abs == limit.min_abs;
         });
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
  const auto signed_amount = [&amount](const BaselineLimit::Amount& a, std::string_view sign) {
    return (a.value == 0 ? "" : std::string(sign)) + amount(a);
  };
  if (limit.max_increase) text += "≤ " + signed_amount(*limit.max_increase, "+");
  if (limit.max_decrease) {
    if (!text.empty()) text += ", ";
    text += "≥ " + signed_amount(*limit.max_decrease, "−");
  }
  return text;
}

double AbsoluteOf(const BaselineLimit::Amount& amount, double base) {
  return amount.relative ? amount.value * std::abs(base) : amount.value;
}

std::vector<double> AsDoubles(const std::vector<Ns>& times) { return {times.begin(), times.end()}; }

using SeriesList = std::vector<stats::Series>;

// Per-iteration values of a metric, in order; empty when the run has none.
stats::Series SeriesOf(const Snapshot& run, std::string_view metric) {
  const std::vector<double> times = ObservedTimes(run);
  stats::Series series;
  if (metric == kPeriod) {
    series.values = AsDoubles(run.iteration_periods);
    if (!series.values.empty()) series.warmup = stats::FindWarmup(series.values);
    return series;
  }
  if (IsIterationTime(metric)) {
    series.values = times;
  } else if (const auto it = run.iteration_shares.find(metric); it != run.iteration_shares.end()) {
    series.values = it->second;
  }
  if (series.values.size() == times.size()) series.warmup = stats::FindWarmup(times);
  return series;
}

// The series of all runs; empty when one has none, or has a time of 0, which has no logarithm.
SeriesList AllSeries(std::span<const Snapshot> runs, std::string_view metric) {
  SeriesList all;
  for (const Snapshot& run : runs) {
    stats::Series series = SeriesOf(run, metric);
    const bool has_zero =
        std::any_of(series.values.begin(), series.values.end(), [](double v) { return v <= 0; });
    if (series.values.empty() || (has_zero && IsIterationTime(metric))) return {};
    all.push_back(std::move(series));
  }
  return all;
}

// Median of the runs' medians without warm-up.
double LevelOf(const SeriesList& runs) {
  std::vector<double> levels;
  for (const stats::Series& run : runs) {
    levels.push_back(stats::Median(std::span(run.values).subspan(run.warmup)));
  }
  return stats::Median(levels);
}

// Names to tell runs apart by: those of a name that stands before get a number.
std::vector<std::string> NamesOf(std::span<const Snapshot> runs) {
  std::vector<std::string> names;
  std::map<std::string, int, std::less<>> seen;
  for (const Snapshot& run : runs) {
    const int times = ++seen[run.name];
    names.push_back(times == 1 ? run.name : fmt::format("{} ({})", run.name, times));
  }
  return names;
}

void AddOnce(std::vector<std::string> more, std::vector<std::string>& notes) {
  for (std::string& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
}

class Comparer {
 public:
  Comparer(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
           const PolicyBaseline& policy, ComparePurpose purpose)
      : baselines_(baselines),
        candidates_(candidates),
        base_names_(NamesOf(baselines)),
        current_names_(NamesOf(candidates)),
        policy_(policy),
        purpose_(purpose) {}

  /// What was left out; of iteration times alone without a limit on others.
  // By default a count that neither side has says nothing, and the time from start to start
  // nothing that the length does not where the iterations follow each other.
  bool IsNews(const MetricComparison& metric) const {
    if (!IsIterationTime(metric.metric)) return !metric.is_missing;
    if (metric.metric != kPeriod) return true;
    return std::any_of(baselines_.begin(), baselines_.end(), HasBetween) ||
           std::any_of(candidates_.begin(), candidates_.end(), HasBetween);
  }

  const std::vector<std::string>& notes() const { return notes_; }

  MetricComparison Compare(const BaselineLimit& limit) {
    MetricComparison out;
    out.metric = limit.metric;
    out.level = limit.level;
    const std::shared_ptr<const MetricSpec> spec = DescribeMetric(limit.metric);
    if (spec != nullptr) out.unit = spec->unit;
    out.limit = LimitText(limit, out.unit);
    if (LackDefinition(out)) return out;
    const bool is_time = limit.metric.starts_with("iteration.time.") || limit.metric == kPeriod;
    if (is_time && LackTimes(out)) return out;
    // A count per iteration is one over the stretch, where the whole of it counts as one.
    const bool is_sum = GrowsWithIterations(limit.metric) || IsExact(limit.metric);
    if (is_sum && LackSums(spec->family, out)) return out;
    if (!CompareSeries(limit, out)) CompareValues(limit, out);
    const bool is_within = out.verdict != stats::Change::kFail;
    if ((is_time || is_sum) && is_within) DoubtIterations(out);
    if (is_time && is_within) DoubtEmptyIterations(out);
    DoubtNumbers(out);
    return out;
  }

 private:
  // Numbers of different definitions say nothing of each other.
  bool LackDefinition(MetricComparison& out) const {
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

  void DoubtIterations(MetricComparison& out) const {
    const std::optional<std::string> reason = WhyOtherIterations(baselines_, candidates_);
    if (!reason) return;
    out.is_missing = true;
    out.reason = *reason;
  }

  // Where work is taken for that of another iteration, some are left without any time.
  void DoubtEmptyIterations(MetricComparison& out) const {
    for (const std::span<const Snapshot> runs : {baselines_, candidates_}) {
      for (const Snapshot& run : runs) {
        const std::vector<double> times = ObservedTimes(run);
        const auto empty =
            std::count_if(times.begin(), times.end(), [](double t) { return t <= 0; });
        if (empty == 0 || out.is_missing) continue;
        out.is_missing = true;
        out.reason = fmt::format("{} of {} iterations of {} have no length of their own", empty,
                                 times.size(), run.name);
      }
    }
  }

  // A change to or from an uncertain number is no certain failure, as one beyond a limit is none.
  void DoubtNumbers(MetricComparison& out) const {
    const auto is_uncertain = [&](const Snapshot& run) {
      return run.uncertain.contains(out.metric);
    };
    const bool base = std::any_of(baselines_.begin(), baselines_.end(), is_uncertain);
    const bool current = std::any_of(candidates_.begin(), candidates_.end(), is_uncertain);
    if (out.is_missing || out.verdict != stats::Change::kFail || !(base || current)) return;
    out.over_limit = true;
    out.verdict = stats::Change::kInconclusive;
    out.reason += fmt::format("{}{} value is uncertain", out.reason.empty() ? "" : "; but ",
                              base && current ? "each run's"
                              : base          ? "the baseline's"
                                              : "this run's");
  }

  bool LackTimes(MetricComparison& out) const {
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
    out.reason =
        fmt::format("{} no iteration times: {}", base ? "this run has" : "the baseline has",
                    has_any ? "most iterations have no length of their own"
                            : "its format tells durations or sums only");
    return true;
  }

  // A sum over a stretch of time says as little as its length. What one chip ran is no such
  // stretch.
  bool LackSums(std::string_view family, MetricComparison& out) {
    const auto reason =
        family.empty() ? WhyNoLengths(baselines_, candidates_) : std::optional<std::string>();
    out.is_missing = reason.has_value();
    out.reason = reason.value_or("");
    return out.is_missing;
  }

  bool CompareSeries(const BaselineLimit& limit, MetricComparison& out) {
    const SeriesList base = AllSeries(baselines_, limit.metric);
    const SeriesList current = AllSeries(candidates_, limit.metric);
    if (base.empty() || current.empty()) return false;
    out.method = CompareMethod::kStatistics;
    NoteWarmup(base, current);
    // Each direction has a limit of its own; the worse answer counts.
    bool is_first = true;
    for (const bool increase : {true, false}) {
      const auto& amount = increase ? limit.max_increase : limit.max_decrease;
      if (!amount) continue;
      const stats::CompareOptions options = Options(limit, *amount, increase, base);
      const stats::Comparison result = stats::Compare(base, current, options);
      AddOnce(DescribeRuns(result, base_names_, current_names_, base, current, out.unit), notes_);
      if (is_first ||
          Weight(result.change, result.over_limit) > Weight(out.verdict, out.over_limit)) {
        out.is_relative = amount->relative;
        Take(result, options, LevelOf(base), out);
      }
      is_first = false;
    }
    if (limit.metric == metric::kIterationTimeMean && !out.by_slow_part) CheckMean(limit, out);
    return true;
  }

  // The typical iteration is judged, which some long ones do not move; where the mean itself is
  // over the limit, that is no pass.
  void CheckMean(const BaselineLimit& limit, MetricComparison& out) const {
    const auto middle = [](const std::vector<Snapshot>& runs) {
      std::vector<double> means;
      for (const Snapshot& run : runs) {
        const std::vector<double> times = ObservedTimes(run);
        means.push_back(std::accumulate(times.begin(), times.end(), 0.0) /
                        static_cast<double>(times.size()));
      }
      return Median(std::move(means));
    };
    const double base = middle({baselines_.begin(), baselines_.end()});
    const double change = middle({candidates_.begin(), candidates_.end()}) - base;
    const auto is_over = [&](const std::optional<BaselineLimit::Amount>& amount, double by) {
      return amount && by > AbsoluteOf(*amount, base) && by > limit.min_abs.value_or(0);
    };
    const bool over = is_over(limit.max_increase, change) || is_over(limit.max_decrease, -change);
    if (!over || out.verdict == stats::Change::kFail) {
      out.reason += "; the typical iteration is judged, not the mean";
      return;
    }
    out.verdict = stats::Change::kInconclusive;
    out.over_limit = true;
    out.reason = fmt::format(
        "Inconclusive: the typical iteration is judged, and that changes by {:+.1f} %, but the "
        "mean "
        "by {:+.1f} %, over the limit: some iterations changed much more than others; limit "
        "iteration.time.p95 for these",
        100 * out.shift, base > 0 ? 100 * change / base : 0);
  }

  void NoteWarmup(const SeriesList& base, const SeriesList& current) {
    const auto note = [this](const SeriesList& runs, const std::vector<std::string>& names) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].warmup > 0) AddOnce({DescribeWarmup(names[i], runs[i].warmup)}, notes_);
      }
    };
    note(base, base_names_);
    note(current, current_names_);
  }

  stats::CompareOptions Options(const BaselineLimit& limit, const BaselineLimit::Amount& amount,
                                bool increase, const SeriesList& base) const {
    stats::CompareOptions options;
    options.logarithmic = IsIterationTime(limit.metric);
    options.lower_is_better = increase;
    const double level = LevelOf(base);
    options.limit = amount.value;
    if (options.logarithmic && !amount.relative && level > 0) options.limit = amount.value / level;
    if (!options.logarithmic && amount.relative) options.limit = amount.value * level;
    options.noise_floor =
        options.logarithmic ? policy_.noise_floor.value_or(kDefaultNoiseFloor) : kShareNoiseFloor;
    options.absolute_floor = limit.min_abs.value_or(0);
    if (policy_.certain) options.strictness = stats::Strictness::kCertain;
    return options;
  }

  static int Weight(stats::Change change, bool over_limit) {
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

  void Take(const stats::Comparison& result, const stats::CompareOptions& options, double level,
            MetricComparison& out) const {
    // What is said of a share is said as its limit is written.
    const bool is_share = !options.logarithmic;
    out.is_relative = out.is_relative && (!is_share || level > 0);
    const double whole = is_share && out.is_relative ? level : 1;
    out.base = result.base.level;
    out.current = result.current.level;
    out.change = out.current - out.base;
    out.shift = result.shift / whole;
    out.low = result.low / whole;
    out.high = result.high / whole;
    out.verdict = result.change;
    out.over_limit = result.over_limit;
    out.by_slow_part = result.slow.decides || result.start.decides;
    const ChangeContext context{out.unit, options.limit, options.lower_is_better,
                                purpose_ == ComparePurpose::kJudge,
                                is_share && out.is_relative ? whole : 0};
    out.reason = DescribeChange(result, context);
  }

  // Sums are taken as of so many iterations as the first run of the baseline has, so that limits in
  // the metric's unit keep their meaning.
  std::vector<double> ValuesOf(std::span<const Snapshot> runs, const std::string& metric) {
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
      AddOnce({fmt::format("sums over iterations ({}) are compared as of {:.0f} iterations; run {} "
                           "has {:.0f}",
                           metric, iterations, run.name, its)},
              notes_);
    }
    return values;
  }

  void CompareValues(const BaselineLimit& limit, MetricComparison& out) {
    out.method = IsExact(limit.metric) ? CompareMethod::kExact : CompareMethod::kValue;
    const std::vector<double> base = ValuesOf(baselines_, limit.metric);
    const std::vector<double> current = ValuesOf(candidates_, limit.metric);
    // One candidate without it could be the one that is worse.
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
    if (IsRounding(out.base, out.current)) out.change = 0;
    const bool too_high =
        limit.max_increase && out.change > AbsoluteOf(*limit.max_increase, out.base);
    const bool too_low =
        limit.max_decrease && -out.change > AbsoluteOf(*limit.max_decrease, out.base);
    const bool is_decrease = too_low || !limit.max_increase;
    if (const auto& amount = is_decrease ? limit.max_decrease : limit.max_increase) {
      out.is_relative = amount->relative;
    }
    if (std::abs(out.change) < limit.min_abs.value_or(0)) return;
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
  std::vector<std::string> base_names_, current_names_;
  const PolicyBaseline& policy_;
  ComparePurpose purpose_;
  std::vector<std::string> notes_;
};

}  // namespace

std::size_t FindMiddleRun(std::span<const Snapshot> runs) {
  std::vector<std::pair<double, std::size_t>> medians;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    medians.emplace_back(stats::Median(ObservedTimes(runs[i])), i);
  }
  std::sort(medians.begin(), medians.end());
  return medians[(medians.size() - 1) / 2].second;
}

RunComparison CompareRuns(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                          const PolicyBaseline* policy, ComparePurpose purpose) {
  const PolicyBaseline defaults;
  const PolicyBaseline& used = policy == nullptr ? defaults : *policy;
  RunComparison out;
  out.baseline_runs = static_cast<std::int64_t>(baselines.size());
  out.current_runs = static_cast<std::int64_t>(candidates.size());
  out.differences = AllDifferences(baselines, candidates, used);
  out.is_comparable = std::none_of(out.differences.begin(), out.differences.end(),
                                   [](const Difference& d) { return d.is_hard; });
  out.alike = AlikeProperties(baselines.front(), candidates.front(), out.differences);
  Comparer comparer(baselines, candidates, used, purpose);
  const std::vector<BaselineLimit> limits = used.limits.empty() ? DefaultLimits() : used.limits;
  for (const BaselineLimit& limit : limits) {
    out.metrics.push_back(comparer.Compare(limit));
    const bool may_be_no_news = used.limits.empty() || IsToldByLength(limit, limits);
    if (may_be_no_news && !comparer.IsNews(out.metrics.back())) out.metrics.pop_back();
  }
  out.notes = comparer.notes();
  const auto other_work = std::find_if(
      out.differences.begin(), out.differences.end(),
      [](const Difference& d) { return d.property == "shape_signature" && !d.is_hard; });
  if (purpose == ComparePurpose::kJudge && other_work != out.differences.end() &&
      !other_work->base.empty() && !other_work->current.empty()) {
    out.notes.push_back(
        "the runs launch different GPU work per iteration (other ops, input shapes or numbers of "
        "launches, as another batch size has): their times are compared all the same; `match` in "
        "the policy, with shape_signature in its list, refuses that");
  }
  for (const Snapshot& run : candidates) {
    if (const Snapshot* same = FindMisfit(run, baselines).same; same != nullptr) {
      out.notes.push_back(
          fmt::format("{} is the same recording as {} of the baseline: it is held against itself",
                      run.name, same->name));
    }
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
