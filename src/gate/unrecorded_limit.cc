#include "gate/unrecorded_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/recording/judged_steps.h"
#include "base/format.h"
#include "base/metric_id.h"
#include "gate/breach.h"
#include "knowledge/unrecorded.h"

namespace profgauge {
namespace {

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
// With one device the mean is the extreme as well.
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

std::string WhyNoExcuse(const JudgedSteps& steps) {
  if (steps.level.values < knowledge::kUnrecordedExcusingLeast) {
    return fmt::format("{} unrecorded iterations are too few to excuse that ({} are needed)",
                       steps.level.values, knowledge::kUnrecordedExcusingLeast.value());
  }
  return "nothing in the profile shows that the unrecorded iterations are of its process: let "
         "`StepClock` write them into it";
}

}  // namespace

bool MayExcuse(const JudgedSteps& steps) {
  return steps.is_of_process && steps.level.values >= knowledge::kUnrecordedExcusingLeast;
}

std::optional<MetricId> WithoutProfiler(std::string_view metric, const Analysis& analysis) {
  if (const auto found = FindPartner(kPartners, metric)) return found;
  const Metric* devices = analysis.Find(metric::kProfileGpus);
  const bool is_one = devices != nullptr && AsNumber(devices->value, 0) == 1;
  return is_one ? FindPartner(kOfOneDevice, metric) : std::nullopt;
}

std::optional<GateResult> JudgeWithoutProfiler(const Threshold& threshold, const Policy& policy,
                                               const Analysis& analysis) {
  if (policy.unrecorded == Unrecorded::kIgnore || analysis.steps == nullptr) return std::nullopt;
  const auto partner = WithoutProfiler(threshold.metric, analysis);
  const Metric* recorded = analysis.Find(threshold.metric);
  if (!partner || recorded == nullptr || IsAbsent(recorded->value)) return std::nullopt;
  const Metric* unrecorded = analysis.Find(*partner);
  if (unrecorded == nullptr) return std::nullopt;
  const Metric& metric = *unrecorded;
  GateResult result;
  result.threshold = threshold;
  result.recorded = recorded->value;
  if (IsAbsent(metric.value)) {
    // A value that cannot be corrected is not the profile's either.
    const bool is_skipped = OnMissingOf(threshold, policy) == OnMissing::kSkip;
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
    result.status = metric.low_confidence && threshold.level != Level::kInfo
                        ? GateStatus::kLowConfidence
                        : StatusOf(threshold.level);
    result.reason += fmt::format(" (without the profiler; {} recorded)", recorded_text);
    if (metric.low_confidence) result.reason += fmt::format(", but uncertain: {}", metric.note);
    return result;
  }
  const std::string own = FormatValue(metric.value, unit);
  if (missed > 0 && threshold.level != Level::kInfo) {
    result.status = GateStatus::kLowConfidence;
    result.reason =
        fmt::format("is {} without the profiler ({} recorded), but may be {} to {}", own,
                    recorded_text, FormatValue(Value(std::min(ends[1], ends[2])), unit),
                    FormatValue(Value(std::max(ends[1], ends[2])), unit));
    return result;
  }
  result.reason.clear();
  const bool is_excused = IsBeyond(threshold, AsNumber(recorded->value, 0));
  if (is_excused && !MayExcuse(*analysis.steps) && threshold.level != Level::kInfo) {
    result.status = GateStatus::kLowConfidence;
    result.reason = fmt::format("is {} as recorded, {} without the profiler; {}", recorded_text,
                                own, WhyNoExcuse(*analysis.steps));
  }
  return result;
}

std::optional<std::string> WhyUnrecordedMissing(const Policy& policy, const Analysis& analysis) {
  if (policy.unrecorded != Unrecorded::kRequire || analysis.steps != nullptr) return std::nullopt;
  const Metric* median = analysis.Find(metric::kStepTimeMedian);
  return fmt::format("the policy requires the times of unrecorded iterations: {}",
                     median == nullptr ? "" : median->absent_because);
}

}  // namespace profgauge
