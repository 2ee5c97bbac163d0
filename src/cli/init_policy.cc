#include "cli/init_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/value.h"
#include "gate/verdict.h"
#include "knowledge/init.h"
#include "rules/facts.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::cli {
namespace {

std::string Percent(double share) { return fmt::format("{:.4g}%", std::ceil(share * 1000) / 10); }

std::string FloorPercent(double share) {
  return fmt::format("{:.4g}%", std::floor(std::max(0.0, share) * 1000) / 10);
}

std::string ShareAbove(double share) {
  return Percent(std::min(1.0, share + knowledge::kInitShareRoom.value()));
}

// Empty where no run could miss the limit: there is no room above the share, or below it.
std::string MaxOfWhole(double share, std::string_view more = "") {
  const std::string limit = ShareAbove(share);
  return limit == "100%" ? "" : fmt::format("{{max: {}{}}}", limit, more);
}

std::string MinOfWhole(double share, std::string_view more = "") {
  const std::string limit = FloorPercent(share - knowledge::kInitShareRoom.value());
  return limit == "0%" ? "" : fmt::format("{{min: {}{}}}", limit, more);
}

// Rounded up to three significant digits, so that a person can read it.
std::string Milliseconds(double ns) {
  const double ms = ns / 1e6;
  if (ms <= 0) return "1 ns";
  const double scale = std::pow(10, 2 - std::floor(std::log10(ms)));
  return fmt::format("{:.12g} ms", std::ceil(ms * scale) / scale);
}

// One line of a comment, whatever the profile's names hold.
std::string Comment(std::string_view text) {
  std::string line = Printable(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// A limit that `init` knows how to fit.
struct Fit {
  std::string_view metric, why;
  std::string (*limit)(double measured);  // Empty: no run could miss one.
};

constexpr Fit kFits[] = {
    {metric::kIterationTimeMedian, "A tenth above what this run needed.",
     [](double v) {
       return fmt::format("{{max: {}}}", Milliseconds(v * knowledge::kInitTimeRoom));
     }},
    {metric::kIterationTimeRobustCv, "Iterations that differ more hide regressions.",
     [](double v) {
       const double warn = std::max(knowledge::kInitLeastVariation.value(), 2 * v);
       return fmt::format(
           "[{{max: {}, level: warn, on_missing: skip}}, {{max: {}, on_missing: skip}}]",
           Percent(warn), Percent(knowledge::kInitErrorVariation * warn));
     }},
    {metric::kGpuIdleMean, "Nothing at all runs on the GPU.",
     [](double v) { return MaxOfWhole(v); }},
    {metric::kTensorCoreEfficiency, "Of the kernel time that could use Tensor Cores.",
     [](double v) { return MinOfWhole(v, ", on_missing: skip"); }},
    {metric::kDataloaderExposedShare, "Waiting for input data.",
     [](double v) { return MaxOfWhole(v, ", level: warn"); }},
    {metric::kCommunicationExposedShare, "Collectives that nothing hides.",
     [](double v) { return MaxOfWhole(v, ", level: warn, on_missing: skip"); }},
    {metric::kMemoryPeakShare, "Of the GPU's memory.",
     [](double v) {
       return fmt::format("{{max: {}, level: warn, on_missing: skip}}", ShareAbove(v));
     }},
};

// A recording of memory alone has iterations of no length.
bool HasTime(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  return metric != nullptr && AsNumber(metric->value, 0) > 0;
}

// What tells of a run's speed where its iterations do not: of sums only those of as much work.
constexpr std::string_view kOtherTimes[] = {metric::kIterationTimeMean, metric::kProfileWallTime,
                                            metric::kNeuronTotalTime, metric::kProfileKernelTime};

std::string LimitOnOtherTime(const Analysis& analysis) {
  if (HasTime(analysis, metric::kIterationTimeMedian)) return {};
  for (const std::string_view id : kOtherTimes) {
    if (!HasTime(analysis, id)) continue;
    const Metric& metric = *analysis.Find(id);
    return fmt::format(
        "\n  # A tenth above what this run needed{}. Measured: {}.\n  {}: {{max: {}}}\n",
        metric.spec->pooling == Pooling::kSum ? ": for recordings of as much work" : "",
        FormatValue(metric.value, metric.spec->unit), id,
        Milliseconds(AsNumber(metric.value, 0) * knowledge::kInitTimeRoom));
  }
  return {};
}

std::string FittedLimits(const Analysis& analysis) {
  std::string text = LimitOnOtherTime(analysis);
  for (const Fit& fit : kFits) {
    const Metric* metric = analysis.Find(fit.metric);
    if (metric == nullptr) continue;
    if (IsAbsent(metric->value)) {
      text += fmt::format("\n  # Not in this profile: {}.\n  {}: off\n",
                          Comment(metric->absent_because), fit.metric);
    } else {
      const std::string limit = fit.limit(AsNumber(metric->value, 0));
      text += fmt::format("\n  # {} Measured: {}{}.\n  {}: {}\n", fit.why,
                          FormatValue(metric->value, metric->spec->unit),
                          limit.empty() ? ": no run could miss a limit with room for noise" : "",
                          fit.metric, limit.empty() ? "off" : limit);
    }
  }
  return text;
}

// Counts are the same in every run of the same program.
std::string BaselineLimits(const Analysis& analysis) {
  // The period holds what lies between iterations.
  std::string text;
  for (const MetricId id : {metric::kIterationTimeMedian, metric::kIterationPeriodMedian}) {
    if (HasTime(analysis, id)) text += fmt::format("  {}: {{max_increase: 5%}}\n", id);
  }
  for (const std::string_view id : kOtherTimes) {
    // A mean without its iterations cannot be compared.
    if (text.empty() && id != metric::kIterationTimeMean && HasTime(analysis, id)) {
      text = fmt::format("  {}: {{max_increase: 5%}}\n", id);
    }
  }
  for (const MetricId id :
       {metric::kKernelCountPerIteration, metric::kLaunchCountPerIteration,
        metric::kMemcpyH2dBytesPerIteration, metric::kMemcpyD2hBytesPerIteration,
        metric::kTensorCoreKernelsPerIteration}) {
    const Metric* metric = analysis.Find(id);
    if (metric == nullptr || IsAbsent(metric->value)) continue;
    const bool more_is_better = metric->spec->direction == Direction::kHigherIsBetter;
    text += fmt::format("  {}: {{{}: 0%, level: warn}}\n", id,
                        more_is_better ? "max_decrease" : "max_increase");
  }
  return text;
}

std::string BaselineBlock(const Analysis& analysis) {
  const std::string limits = BaselineLimits(analysis);
  if (limits.empty()) {
    return "# Nothing here can be held against a baseline: no time was recorded.\n";
  }
  return "# Against a baseline (`profgauge baseline save --policy`), with --baseline FILE:\n"
         "baseline:\n" +
         limits;
}

std::string PolicyText(const std::string& profile, const Analysis& analysis,
                       const std::string& more_limits, const std::string& rules) {
  return fmt::format(
      "# What this project enforces. Made by `profgauge init` from {}; edit it freely.\n"
      "# Check a profile with: profgauge check PROFILE --policy FILE\n"
      "schema: 1\n\n"
      "# The rules that ProfGauge ships. The limits below replace its own on the same metrics.\n"
      "extends: [builtin:recommended]\n\n"
      "# error: errors fail the check; warn: warnings too; never: nothing does.\n"
      "fail_on: error\n\n"
      "# Limits, each a little above what was measured. `profgauge metrics list` shows what else\n"
      "# can be limited.\n"
      "thresholds:{}{}\n"
      "{}"
      "{}",
      Comment(profile), FittedLimits(analysis), more_limits, rules, BaselineBlock(analysis));
}

Error NotAPolicy(const Errors& errors) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.code = "internal/init-policy";
  error.message = "the policy that was made cannot be read";
  if (!errors.empty()) error.message += ": " + errors.front().message;
  return error;
}

// What would keep the run from passing the policy `text`.
struct Obstacles {
  std::string limits, rules;  // YAML that takes them away.
};

Result<Obstacles> FindObstacles(const std::string& text, std::span<const Profile> ranks,
                                const Analysis& analysis) {
  const auto policy = ParsePolicy(text, "policy.yaml");
  if (!policy) return Fail(NotAPolicy(policy.error()));
  const auto book = LoadRulebook(*policy, {});
  if (!book) return Fail(NotAPolicy(book.error()));
  const Evaluation evaluation = book->Evaluate(analysis, CollectFacts(ranks, analysis));
  JudgeOptions options;
  options.evaluation = &evaluation;
  const Verdict verdict = Judge(*policy, analysis, {}, options);
  Obstacles obstacles;
  std::set<std::string> seen;
  for (const GateResult& result : verdict.gate) {
    const bool passes =
        result.status != GateStatus::kError && result.status != GateStatus::kMissing;
    if (passes || !seen.insert(result.threshold.metric).second) continue;
    obstacles.limits += fmt::format("\n  # Now: {} {}.\n  {}: off\n", result.threshold.metric,
                                    Comment(result.reason), result.threshold.metric);
  }
  for (const Finding& finding : evaluation.findings) {
    const bool stops = finding.status == FindingStatus::kError || finding.is_uncertain;
    if (!stops || !seen.insert(finding.rule->id).second) continue;
    obstacles.rules +=
        fmt::format("  # Now: {}\n  {}: warn\n", Comment(finding.message), finding.rule->id);
  }
  return obstacles;
}

}  // namespace

Result<std::string> InitPolicy(const std::string& profile, std::span<const Profile> ranks,
                               const Analysis& analysis) {
  const std::string plain = PolicyText(profile, analysis, "", "");
  PROFGAUGE_TRY(const Obstacles obstacles, FindObstacles(plain, ranks, analysis));
  std::string rules = obstacles.rules;
  if (!rules.empty()) {
    rules =
        "# Rules that fire on this profile as errors. They stay in the report as warnings; take a\n"
        "# line away once its cause is mended, and the rule fails the check again.\n"
        "rules:\n" +
        rules + "\n";
  }
  return PolicyText(profile, analysis, obstacles.limits, rules);
}

}  // namespace profgauge::cli
