#include "cli/init_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/text/documents.h"
#include "gate/verdict.h"
#include "knowledge/init.h"
#include "model/run_side.h"
#include "rules/facts.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge::cli {
namespace {

std::string Percent(double share) { return fmt::format("{:.4g}%", std::ceil(share * 1000) / 10); }

std::string FloorPercent(double share) {
  return fmt::format("{:.4g}%", std::floor(std::max(0.0, share) * 1000) / 10);
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

// The runs' values of a metric.
struct Measured {
  double least = 0, most = 0;
  std::string text;       // "11.4 ms", "11.4 ms to 11.9 ms in 3 runs".
  std::string absent;     // Why a run has no value; empty: all have one.
  bool is_known = false;  // Whether there is such a metric at all.
};

// The range of a metric over the runs. `is_known` is false if any run has no such metric, `absent`
// is the reason of the first run without a value.
Measured MeasuredBy(std::span<const InitRun> runs, std::string_view id) {
  Measured out;
  const analysis::Metric *least = nullptr, *most = nullptr;
  for (const InitRun& run : runs) {
    const analysis::Metric* metric = run.analysis.Find(id);
    if (metric == nullptr) return {};
    out.is_known = true;
    if (IsAbsent(metric->value)) {
      out.absent = Comment(metric->absent_because);
      return out;
    }
    const double value = AsNumber(metric->value, 0);
    if (least == nullptr || value < out.least) out.least = value, least = metric;
    if (most == nullptr || value > out.most) out.most = value, most = metric;
  }
  out.text = FormatValue(least->value, least->spec->unit);
  const std::string most_text = FormatValue(most->value, most->spec->unit);
  if (most_text != out.text) out.text += " to " + most_text;
  if (runs.size() > 1) out.text += fmt::format(" in {} runs", runs.size());
  return out;
}

// How far runs of one program are apart, of the least; 0 of a single one.
double SpreadOf(const Measured& measured) {
  return measured.least > 0 ? (measured.most - measured.least) / measured.least : 0;
}

// A share with room for noise, in points.
double Noise(const Measured& measured) {
  return knowledge::kInitNoiseRoom * (measured.most - measured.least);
}

std::string ShareAbove(const Measured& share) {
  const double room = std::max(knowledge::kInitShareRoom.value(), Noise(share));
  return Percent(std::min(1.0, share.most + room));
}

// Empty where no run could miss the limit: there is no room above the share, or below it.
std::string MaxOfWhole(const Measured& share, std::string_view more = "") {
  const std::string limit = ShareAbove(share);
  return limit == "100%" ? "" : fmt::format("{{max: {}{}}}", limit, more);
}

std::string MinOfWhole(const Measured& share, std::string_view more = "") {
  const double room = std::max(knowledge::kInitShareRoom.value(), Noise(share));
  const std::string limit = FloorPercent(share.least - room);
  return limit == "0%" ? "" : fmt::format("{{min: {}{}}}", limit, more);
}

// A time with room for noise: that of any run, or the noise of these runs.
double TimeWithRoom(const Measured& measured) {
  const double noise = knowledge::kInitNoiseRoom * SpreadOf(measured);
  return measured.most * std::max(knowledge::kInitTimeRoom.value(), 1 + noise);
}

std::string TimeReason(std::size_t runs, std::string_view more) {
  return fmt::format(
      "{}{}",
      runs == 1 ? "A tenth above the time of this run"
                : "Above the slowest of these runs by a tenth, or by twice their difference",
      more);
}

// Of limits on times: levels that are accepted do not move them.
constexpr std::string_view kFixed = "  # fixed: raise it by hand when a slowdown is accepted\n";

// A limit that `init` knows how to fit.
struct Fit {
  std::string_view metric, why;
  std::string (*limit)(const Measured& measured);  // Empty: no run could miss one.
};

constexpr Fit kFits[] = {
    {metric::kIterationTimeMedian, "",
     [](const Measured& v) { return fmt::format("{{max: {}}}", Milliseconds(TimeWithRoom(v))); }},
    {metric::kIterationTimeRobustCv, "Iterations that differ more hide regressions.",
     [](const Measured& v) {
       const double warn = std::max(knowledge::kInitLeastVariation.value(), 2 * v.most);
       return fmt::format(
           "[{{max: {}, level: warn, on_missing: skip}}, {{max: {}, on_missing: skip}}]",
           Percent(warn), Percent(knowledge::kInitErrorVariation * warn));
     }},
    {metric::kGpuIdleMean, "The GPU is idle.", [](const Measured& v) { return MaxOfWhole(v); }},
    {metric::kTensorCoreEfficiency, "Share of eligible kernel time.",
     [](const Measured& v) { return MinOfWhole(v, ", on_missing: skip"); }},
    {metric::kDataloaderExposedShare, "Waiting for input data.",
     [](const Measured& v) { return MaxOfWhole(v, ", level: warn"); }},
    {metric::kCommunicationExposedShare, "Exposed collectives.",
     [](const Measured& v) { return MaxOfWhole(v, ", level: warn, on_missing: skip"); }},
    {metric::kMemoryPeakShare, "Share of the GPU's memory.",
     [](const Measured& v) {
       return fmt::format("{{max: {}, level: warn, on_missing: skip}}", ShareAbove(v));
     }},
};

// A profile of memory only has iterations of no length.
bool HaveTime(std::span<const InitRun> runs, std::string_view id) {
  const Measured measured = MeasuredBy(runs, id);
  return measured.is_known && measured.absent.empty() && measured.least > 0;
}

// A run's speed where its iterations do not show it: of sums only those of equal work.
constexpr std::string_view kOtherTimes[] = {metric::kIterationTimeMean, metric::kProfileWallTime,
                                            metric::kNeuronTotalTime, metric::kProfileKernelTime};

std::string LimitOnOtherTime(std::span<const InitRun> runs) {
  if (HaveTime(runs, metric::kIterationTimeMedian)) return {};
  for (const std::string_view id : kOtherTimes) {
    if (!HaveTime(runs, id)) continue;
    const Measured measured = MeasuredBy(runs, id);
    const bool is_sum = runs.front().analysis.Find(id)->spec->pooling == analysis::Pooling::kSum;
    return fmt::format("\n  # {}. Measured: {}.\n{}  {}: {{max: {}}}\n",
                       TimeReason(runs.size(), is_sum ? ": for profiles of as much work" : ""),
                       measured.text, kFixed, id, Milliseconds(TimeWithRoom(measured)));
  }
  return {};
}

// For each known metric a comment and the limit, or `off`: the owner of the policy sees each
// possible limit, and the reason where it is off.
std::string FittedLimits(std::span<const InitRun> runs, bool fixes_times) {
  std::string text = fixes_times ? LimitOnOtherTime(runs) : std::string();
  for (const Fit& fit : kFits) {
    if (!fixes_times && fit.why.empty()) continue;
    const Measured measured = MeasuredBy(runs, fit.metric);
    if (!measured.is_known) continue;
    if (!measured.absent.empty()) {
      text += fmt::format("\n  # Not in {}: {}.\n  {}: off\n",
                          runs.size() == 1 ? "this profile" : "each profile", measured.absent,
                          fit.metric);
    } else {
      const std::string limit = fit.limit(measured);
      const std::string why = fit.why.empty() ? TimeReason(runs.size(), ".") : std::string(fit.why);
      text += fmt::format("\n  # {} Measured: {}{}.\n{}  {}: {}\n", why, measured.text,
                          limit.empty() ? ": no run could miss a limit with room for noise" : "",
                          fit.why.empty() ? kFixed : "", fit.metric, limit.empty() ? "off" : limit);
    }
  }
  return text;
}

// The allowed increase over a baseline: `least`, or the noise of the runs.
std::string Allowed(double least, const Measured& measured) {
  const double noise = knowledge::kInitNoiseRoom * SpreadOf(measured);
  return fmt::format("{:.0f}%", std::ceil(100 * std::max(least, noise)));
}

// Counts are the same in every run of the same program.
std::string BaselineLimits(std::span<const InitRun> runs) {
  const auto limit = [&](std::string_view id) {
    return fmt::format("  {}: {{max_increase: {}}}\n", id,
                       Allowed(knowledge::kInitSlower.value(), MeasuredBy(runs, id)));
  };
  // The period contains the time between iterations.
  std::string text;
  for (const MetricId id : {metric::kIterationTimeMedian, metric::kIterationPeriodMedian}) {
    if (HaveTime(runs, id)) text += limit(id);
  }
  for (const std::string_view id : kOtherTimes) {
    // A mean without its iterations cannot be compared.
    if (text.empty() && id != metric::kIterationTimeMean && HaveTime(runs, id)) text = limit(id);
  }
  for (const MetricId id :
       {metric::kKernelCountPerIteration, metric::kLaunchCountPerIteration,
        metric::kMemcpyH2dBytesPerIteration, metric::kMemcpyD2hBytesPerIteration,
        metric::kTensorCoreKernelsPerIteration}) {
    const Measured measured = MeasuredBy(runs, id);
    if (!measured.is_known || !measured.absent.empty()) continue;
    const analysis::Direction direction = runs.front().analysis.Find(id)->spec->direction;
    const bool is_decrease = direction == analysis::Direction::kHigherIsBetter;
    // Runs that differ by half have no count that could fall too far.
    if (is_decrease && knowledge::kInitNoiseRoom * SpreadOf(measured) >= 1) continue;
    text += fmt::format("  {}: {{{}: {}, level: warn}}\n", id,
                        is_decrease ? "max_decrease" : "max_increase", Allowed(0, measured));
  }
  return text;
}

std::string BaselineBlock(std::span<const InitRun> runs) {
  const std::string limits = BaselineLimits(runs);
  if (limits.empty()) {
    return "# Nothing here can be compared with a baseline: no time was recorded.\n";
  }
  return "# Against a baseline (`profgauge baseline save --policy`), with --baseline FILE:\n"
         "baseline:\n" +
         limits;
}

// Files of times: what they state, against the limits of builtin:times. What they cannot state is
// no news.
constexpr MetricId kStated[] = {metric::kStepTimeMedian,  metric::kServeTtftMedian,
                                metric::kServeTpotMedian, metric::kServeTtftP99,
                                metric::kServeTpotP99,    metric::kServeE2eP99};

bool AreOfTimes(std::span<const InitRun> runs) {
  return std::ranges::all_of(
      runs, [](const InitRun& run) { return std::ranges::all_of(run.ranks, IsOfTimes); });
}

std::string LimitsOfTimes(std::span<const InitRun> runs) {
  std::string text;
  for (const MetricId id : kStated) {
    if (!HaveTime(runs, id)) continue;
    const Measured measured = MeasuredBy(runs, id);
    text +=
        fmt::format("\n  # {} Measured: {}.\n{}  {}: {{max: {}}}\n", TimeReason(runs.size(), "."),
                    measured.text, kFixed, id.text(), Milliseconds(TimeWithRoom(measured)));
  }
  return text;
}

std::string PolicyOfTimes(const std::string& name, std::span<const InitRun> runs,
                          bool fixes_times) {
  std::string limits = fixes_times ? LimitsOfTimes(runs) : std::string();
  if (!limits.empty()) {
    limits =
        "\n# Limits, each a little above its measured value. `profgauge metrics list` has all "
        "metrics.\n"
        "thresholds:" +
        limits;
  }
  // Of the others those of builtin:times hold.
  std::string changes;
  for (const MetricId id :
       {metric::kStepTimeMedian, metric::kServeTtftMedian, metric::kServeTpotMedian}) {
    if (!HaveTime(runs, id)) continue;
    changes += fmt::format("  {}: {{max_increase: {}}}\n", id.text(),
                           Allowed(knowledge::kInitSlower.value(), MeasuredBy(runs, id)));
  }
  if (!changes.empty()) {
    changes =
        "\n# Against a baseline (`profgauge baseline save --policy`), with --baseline FILE:\n"
        "baseline:\n" +
        changes;
  }
  return fmt::format(
      "{}"
      "# What this project enforces. Made by `profgauge init` from {}; edit it freely.\n"
      "# Check a file with: profgauge check FILE --policy POLICY\n"
      "schema: 1\n\n"
      "# The limits that ProfGauge ships for times without a profile. Those below replace them.\n"
      "extends: [builtin:times]\n"
      "{}{}",
      SchemaLine("policy"), Comment(name), limits, changes);
}

std::string PolicyText(const std::string& profile, std::span<const InitRun> runs, bool fixes_times,
                       const std::string& more_limits, const std::string& rules) {
  return fmt::format(
      "{}"
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
      SchemaLine("policy"), Comment(profile), FittedLimits(runs, fixes_times), more_limits, rules,
      BaselineBlock(runs));
}

Error NotAPolicy(const rules::Errors& errors) {
  Error error;
  error.kind = ErrorKind::kInternal;
  error.code = "internal/init-policy";
  error.message = "the policy that was made cannot be read";
  if (!errors.empty()) error.message += ": " + errors.front().message;
  return error;
}

// Reasons why the run would not pass the policy `text`.
struct Obstacles {
  std::string limits, rules;  // YAML that takes them away.
};

/// Adds the reasons why `run` does not pass, each metric and rule once.
void AddObstacles(const rules::Policy& policy, const rules::Rulebook& book, const InitRun& run,
                  std::set<std::string>& seen, Obstacles& obstacles) {
  const rules::Evaluation evaluation =
      book.Evaluate(run.analysis, rules::CollectFacts(run.ranks, run.analysis));
  gate::JudgeOptions options;
  options.evaluation = &evaluation;
  const gate::Verdict verdict = gate::Judge(policy, run.analysis, {}, options);
  for (const gate::GateResult& result : verdict.gate) {
    const bool passes =
        result.status != gate::GateStatus::kError && result.status != gate::GateStatus::kMissing;
    if (passes || !seen.insert(result.threshold.metric).second) continue;
    obstacles.limits += fmt::format("\n  # Now: {} {}.\n  {}: off\n", result.threshold.metric,
                                    Comment(result.reason), result.threshold.metric);
  }
  for (const rules::Finding& finding : evaluation.findings) {
    const bool stops = finding.status == rules::FindingStatus::kError || finding.is_uncertain;
    if (!stops || !seen.insert(finding.rule->id).second) continue;
    obstacles.rules +=
        fmt::format("  # Now: {}\n  {}: warn\n", Comment(finding.message), finding.rule->id);
  }
}

// Judges the runs by the policy that was just written. Whatever fails is then switched off or set
// to warn: the first check of a new policy passes.
Result<Obstacles> FindObstacles(const std::string& text, std::span<const InitRun> runs) {
  const auto policy = rules::ParsePolicy(text, "policy.yaml");
  if (!policy) return Fail(NotAPolicy(policy.error()));
  const auto book = rules::LoadRulebook(*policy, {});
  if (!book) return Fail(NotAPolicy(book.error()));
  Obstacles obstacles;
  std::set<std::string> seen;
  for (const InitRun& run : runs) AddObstacles(*policy, *book, run, seen, obstacles);
  return obstacles;
}

}  // namespace

Result<std::string> InitPolicy(const std::string& profile, std::span<const InitRun> runs,
                               bool fixes_times) {
  if (AreOfTimes(runs)) {
    const std::string text = PolicyOfTimes(profile, runs, fixes_times);
    PROFGAUGE_CHECK(FindObstacles(text, runs));
    return text;
  }
  const std::string plain = PolicyText(profile, runs, fixes_times, "", "");
  PROFGAUGE_TRY(const Obstacles obstacles, FindObstacles(plain, runs));
  std::string rules = obstacles.rules;
  if (!rules.empty()) {
    rules =
        "# Rules that fire on this profile as errors. They stay in the report as warnings. Remove "
        "a\n"
        "# line after fixing its cause, so that the rule can fail the check again.\n"
        "rules:\n" +
        rules + "\n";
  }
  return PolicyText(profile, runs, fixes_times, obstacles.limits, rules);
}

}  // namespace profgauge::cli
