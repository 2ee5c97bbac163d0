#include "gate/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analysis/breakdown/warmup.h"
#include "analysis/trust/judged_steps.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "gate/limits.h"
#include "knowledge/unrecorded.h"

namespace profgauge::gate {
namespace {

// A metric of the profile, and the one for the same number without the profiler. If both are known,
// a limit on the first is judged by the second.
struct Partner {
  MetricId recorded, unrecorded;
};
constexpr Partner kPartners[] = {
    {metric::kIterationTimeMean, metric::kStepTimeMean},
    {metric::kIterationTimeMedian, metric::kStepTimeMedian},
    {metric::kIterationPeriodMedian, metric::kStepTimeMedian},
    {metric::kIterationPeriodMean, metric::kRunTimeMean},
    {metric::kIterationTimeMin, metric::kStepTimeMin},
    {metric::kIterationTimeMax, metric::kStepTimeMax},
    {metric::kIterationTimeP95, metric::kStepTimeP95},
    {metric::kIterationTimeRobustCv, metric::kStepTimeRobustCv},
    {metric::kIterationOutliers, metric::kStepOutliers},
    {metric::kIterationDrift, metric::kStepDrift},
    {metric::kGpuIdleMean, metric::kGpuIdleUnrecorded},
    {metric::kGpuUtilizationMean, metric::kGpuUtilizationUnrecorded},
    {metric::kFlopsMfu, metric::kFlopsMfuUnrecorded},
};
// For a single device, the mean is also the extreme value.
constexpr Partner kOfOneDevice[] = {
    {metric::kGpuIdleMax, metric::kGpuIdleUnrecorded},
    {metric::kGpuUtilizationMin, metric::kGpuUtilizationUnrecorded},
};

template <std::size_t N>
std::optional<MetricId> FindPartner(const Partner (&partners)[N], std::string_view metric) {
  const auto found = std::ranges::find_if(
      partners, [metric](const Partner& partner) { return partner.recorded == metric; });
  return found == std::end(partners) ? std::nullopt : std::optional(found->unrecorded);
}

// Why a slow profile is not excused. Only enough iterations that are certainly of the same process
// excuse it; otherwise any log placed beside the profile could.
std::string WhyNoExcuse(const analysis::trust::JudgedSteps& steps) {
  if (steps.level.values < knowledge::kUnrecordedExcusingLeast) {
    return fmt::format("{} unrecorded iterations are too few to excuse that ({} are needed)",
                       steps.level.values, knowledge::kUnrecordedExcusingLeast.value());
  }
  return "nothing in the profile shows that the unrecorded iterations are of its process: let "
         "`StepClock` write them into it";
}

}  // namespace

bool MayExcuse(const analysis::trust::JudgedSteps& steps) {
  return steps.is_of_process && steps.level.values >= knowledge::kUnrecordedExcusingLeast;
}

std::optional<MetricId> WithoutProfiler(std::string_view metric,
                                        const analysis::Analysis& analysis) {
  if (const auto found = FindPartner(kPartners, metric)) return found;
  const analysis::Metric* devices = analysis.Find(metric::kProfileGpus);
  const bool is_one = devices != nullptr && AsNumber(devices->value, 0) == 1;
  return is_one ? FindPartner(kOfOneDevice, metric) : std::nullopt;
}

std::optional<GateResult> JudgeWithoutProfiler(const rules::Threshold& threshold,
                                               const rules::Policy& policy,
                                               const analysis::Analysis& analysis) {
  if (policy.unrecorded == rules::Unrecorded::kIgnore || analysis.steps == nullptr)
    return std::nullopt;
  const auto partner = WithoutProfiler(threshold.metric, analysis);
  const analysis::Metric* recorded = analysis.Find(threshold.metric);
  if (!partner || recorded == nullptr || IsAbsent(recorded->value)) return std::nullopt;
  const analysis::Metric* unrecorded = analysis.Find(*partner);
  if (unrecorded == nullptr) return std::nullopt;
  const analysis::Metric& metric = *unrecorded;
  GateResult result;
  result.threshold = threshold;
  result.recorded = recorded->value;
  if (IsAbsent(metric.value)) {
    // If a recorded number cannot be corrected, it is not used either.
    const bool is_skipped = OnMissingOf(threshold, policy) == rules::OnMissing::kSkip;
    result.status = is_skipped ? GateStatus::kSkipped : GateStatus::kMissing;
    result.measured = recorded->value;
    result.recorded = {};
    result.reason = metric.absent_because;
    return result;
  }
  const Unit unit = metric.spec->unit;
  result.measured = metric.value;
  const double value = AsNumber(metric.value, 0);
  const double ends[] = {value, metric.may_be.value_or(value), metric.may_also_be.value_or(value)};
  const auto missed =
      std::ranges::count_if(ends, [&](double end) { return IsBeyond(threshold, end); });
  const std::string recorded_text = FormatValue(recorded->value, unit);
  result.reason = BreachOf(threshold, metric.value, unit);
  if (missed == std::ssize(ends)) {
    result.status = metric.low_confidence && threshold.level != rules::Level::kInfo
                        ? GateStatus::kLowConfidence
                        : StatusOf(threshold.level);
    result.reason += fmt::format(" (without the profiler; {} recorded)", recorded_text);
    if (metric.low_confidence) result.reason += fmt::format(", but uncertain: {}", metric.note);
    return result;
  }
  const std::string own = FormatValue(metric.value, unit);
  if (missed > 0 && threshold.level != rules::Level::kInfo) {
    result.status = GateStatus::kLowConfidence;
    result.reason =
        fmt::format("is {} without the profiler ({} recorded), but may be {} to {}", own,
                    recorded_text, FormatValue(Value(std::min(ends[1], ends[2])), unit),
                    FormatValue(Value(std::max(ends[1], ends[2])), unit));
    return result;
  }
  result.reason.clear();
  const bool is_excused = IsBeyond(threshold, AsNumber(recorded->value, 0));
  if (is_excused && !MayExcuse(*analysis.steps) && threshold.level != rules::Level::kInfo) {
    result.status = GateStatus::kLowConfidence;
    result.reason = fmt::format("is {} as recorded, {} without the profiler; {}", recorded_text,
                                own, WhyNoExcuse(*analysis.steps));
  }
  return result;
}

std::optional<std::string> WhyUnrecordedMissing(const rules::Policy& policy,
                                                const analysis::Analysis& analysis) {
  if (policy.unrecorded != rules::Unrecorded::kRequire || analysis.steps != nullptr)
    return std::nullopt;
  const analysis::Metric* median = analysis.Find(metric::kStepTimeMedian);
  return fmt::format(
      "the policy requires the times of unrecorded iterations: {} [unrecorded/required]",
      median == nullptr ? "" : median->absent_because);
}

namespace {

constexpr std::array kLate = {metric::kGpuIdleCauseHostWait, metric::kGpuIdleCauseLaunchLatency};
constexpr std::array kOtherCauses = {metric::kGpuIdleCauseDataloader,
                                     metric::kGpuIdleCauseSync,
                                     metric::kGpuIdleCauseModuleLoading,
                                     metric::kGpuIdleCauseCapture,
                                     metric::kGpuIdleCauseMemoryManagement,
                                     metric::kGpuIdleCauseQueued,
                                     metric::kGpuIdleCauseOther};

// Replaces recorded numbers by those without the profiler, and keeps the originals for PutBack(),
// which restores them after the rules have run.
class Replacer {
 public:
  Replacer(analysis::Analysis& analysis, bool may_excuse)
      : analysis_(analysis), may_excuse_(may_excuse) {}

  /// Sets the metric to `value`; its best possible value is `best`.
  void Replace(MetricId id, double value, double best) {
    analysis::Metric* metric = Find(id);
    if (metric == nullptr) return;
    replaced_.emplace_back(static_cast<std::size_t>(metric - analysis_.metrics.data()), *metric);
    if (may_excuse_) metric->value = value;
    metric->may_be = may_excuse_ ? best : value;
    metric->is_slowed = false;
    metric->note += metric->note.empty() ? "without the profiler" : "; without the profiler";
  }

  double ValueOf(MetricId id) {
    const analysis::Metric* metric = Find(id);
    return metric == nullptr ? 0 : AsNumber(metric->value, 0);
  }

  ReplacedMetrics Take() { return std::move(replaced_); }

 private:
  analysis::Metric* Find(MetricId id) {
    const analysis::Metric* metric = analysis_.Find(id);
    if (metric == nullptr || IsAbsent(metric->value)) return nullptr;
    return &analysis_.metrics[static_cast<std::size_t>(metric - analysis_.metrics.data())];
  }

  analysis::Analysis& analysis_;
  bool may_excuse_;
  ReplacedMetrics replaced_;
};

// Converts shares of a recorded iteration, which takes `longer` times an unrecorded one, to shares
// of the latter. The time that the profiler added is removed from late launches first:
//
//     recorded    |## busy ##|=late=|oth|      1.25 times as long: a fifth of it was added,
//     unrecorded  |## busy ##|==|oth|          which is taken from late, then from others
void ReplaceCauses(double longer, Replacer& out) {
  const double added = longer - 1;  // In units of an unrecorded iteration.
  double late = 0, others = 0;
  for (const MetricId id : kLate) late += out.ValueOf(id) * longer;
  for (const MetricId id : kOtherCauses) others += out.ValueOf(id) * longer;
  const double from_late = std::min(late, added);
  const double from_others = std::min(others, added - from_late);
  const auto scale = [&](const auto& ids, double whole, double less) {
    if (whole <= 0) return;
    for (const MetricId id : ids) {
      const double share = out.ValueOf(id) * longer * (whole - less) / whole;
      out.Replace(id, share, share);
    }
  };
  scale(kLate, late, from_late);
  scale(kOtherCauses, others, from_others);
}

}  // namespace

// Makes rules see a run without the profiler. If the iterations cannot excuse a miss, the values
// stay and only `may_be` has the better ones.
ReplacedMetrics TakeProfilerOff(const rules::Policy& policy, analysis::Analysis& analysis) {
  if (policy.unrecorded == rules::Unrecorded::kIgnore || analysis.steps == nullptr) return {};
  const analysis::Metric* idle = analysis.Find(metric::kGpuIdleUnrecorded);
  const analysis::Metric* used = analysis.Find(metric::kGpuUtilizationUnrecorded);
  const analysis::Metric* slowdown = analysis.Find(metric::kStepPerturbation);
  for (const analysis::Metric* metric : {idle, used, slowdown}) {
    if (metric == nullptr || IsAbsent(metric->value)) return {};
  }
  Replacer out(analysis, MayExcuse(*analysis.steps));
  const double longer = std::max(1.0, AsNumber(slowdown->value, 1));
  const bool is_one = WithoutProfiler(metric::kGpuIdleMax.text(), analysis).has_value();
  ReplaceCauses(longer, out);
  const auto replace = [&](MetricId id, const analysis::Metric& by, bool is_low_better) {
    const double value = AsNumber(by.value, 0);
    out.Replace(id, value, (is_low_better ? by.may_also_be : by.may_be).value_or(value));
  };
  replace(metric::kGpuIdleMean, *idle, true);
  replace(metric::kGpuUtilizationMean, *used, false);
  // Sets idle time both as a time and as a share of the iteration, because rules read both.
  const double length = analysis.steps->level.median;
  const double idle_time = AsNumber(idle->value, 0) * length;
  out.Replace(metric::kGpuIdleTimeMean, idle_time, idle_time);
  if (is_one) {
    replace(metric::kGpuIdleMax, *idle, true);
    replace(metric::kGpuUtilizationMin, *used, false);
  }
  return out.Take();
}

void PutBack(ReplacedMetrics replaced, analysis::Analysis& analysis) {
  for (auto& [place, metric] : replaced) analysis.metrics[place] = std::move(metric);
}

namespace {

bool IsUnusual(const Snapshot& run, std::size_t place) {
  return std::ranges::binary_search(run.steps_unusual, static_cast<std::uint32_t>(place));
}

std::vector<double> UsualOf(const Snapshot& run) {
  std::vector<double> usual;
  for (std::size_t i = 0; i < run.step_times.size(); ++i) {
    if (!IsUnusual(run, i)) usual.push_back(static_cast<double>(run.step_times[i]));
  }
  return usual;
}

bool HasSteps(const Snapshot& run) {
  const std::size_t least = IsOfTimes(run) ? knowledge::kUnrecordedLeastAlone.as<std::size_t>()
                                           : knowledge::kUnrecordedConfidentLeast.as<std::size_t>();
  return run.step_times.size() >= run.steps_unusual.size() + least;
}

stats::Series SeriesOfSteps(std::vector<double> values) {
  stats::Series series{std::move(values)};
  series.warmup = analysis::breakdown::FindWarmup(series.values);
  return series;
}

std::size_t CountOf(const SeriesList& runs) {
  std::size_t count = 0;
  for (const stats::Series& run : runs) count += run.values.size();
  return count;
}

}  // namespace

// Single times and means over many iterations are not comparable: a mean hides differences between
// iterations, so it has less noise.
StepsUse StepsUseOf(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates) {
  const bool base = std::ranges::all_of(baselines, HasSteps);
  const bool current = std::ranges::all_of(candidates, HasSteps);
  if (!base || !current) return base || current ? StepsUse::kOneSide : StepsUse::kNone;
  const bool is_single = baselines.front().steps_a_value == 1;
  const auto is_other = [&](const Snapshot& run) { return (run.steps_a_value == 1) != is_single; };
  const bool differ =
      std::ranges::any_of(baselines, is_other) || std::ranges::any_of(candidates, is_other);
  return differ ? StepsUse::kOtherSampling : StepsUse::kBoth;
}

bool IsOfSteps(std::string_view metric) {
  return metric == metric::kStepTimeMean || metric == metric::kStepTimeMedian ||
         metric == metric::kStepTimeP95 || metric == metric::kStepTimeMax ||
         metric == metric::kStepTimeRobustCv;
}

SeriesList UsualSteps(std::span<const Snapshot> runs) {
  SeriesList all;
  for (const Snapshot& run : runs) all.push_back(SeriesOfSteps(UsualOf(run)));
  return all;
}

SeriesList AllSteps(std::span<const Snapshot> runs) {
  SeriesList all;
  for (const Snapshot& run : runs) {
    all.push_back(SeriesOfSteps({run.step_times.begin(), run.step_times.end()}));
  }
  return all;
}

std::vector<double> StepValues(std::span<const Snapshot> runs) {
  std::vector<double> all;
  for (const Snapshot& run : runs) {
    const std::vector<double> usual = UsualOf(run);
    all.insert(all.end(), usual.begin(), usual.end());
  }
  return all;
}

std::string StepCounts(const SeriesList& base, const SeriesList& current) {
  return fmt::format("by {} unrecorded iterations, the baseline's {}", CountOf(current),
                     CountOf(base));
}

}  // namespace profgauge::gate
