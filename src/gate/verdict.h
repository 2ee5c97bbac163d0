// The verdict of a run from its limits and findings, and the exit code.
//
// Judge() makes it from one run; baseline_verdict.h adds the comparison with a baseline, which can
// only make it more severe.
//
// Exit codes: 0 pass, 1 fail, 2 configuration, 3 no verdict, 4 a report could not be written, 70
// internal error. If several apply, the first of this order is used: 70, 2, 4, 1, 3, 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/accept.h"
#include "gate/snapshot.h"
#include "rules/evaluator.h"
#include "rules/plan.h"
#include "rules/policy.h"
#include "rules/policy_diff.h"

namespace profgauge::gate {

/// The result of `check`; the comment at the top lists the exit codes.
enum class VerdictStatus : std::uint8_t { kPass, kFail, kNoVerdict, kNotJudged };
std::string_view VerdictStatusName(VerdictStatus status);  ///< "pass", "fail", "no_verdict", …

/// The result of one limit or rule.
enum class GateStatus : std::uint8_t {
  kPass,
  kWarn,
  kError,
  kInfo,
  kMissing,        ///< The metric is absent; on_missing decides.
  kSkipped,        ///< Missing, and the policy says skip.
  kNotApplicable,  ///< The limit's `when` is false.
  /// Beyond the limit, but too uncertain to fail. A warning; if a certain miss would fail the run,
  /// there is no verdict.
  kLowConfidence,
  kWaived,   ///< Missed, but accepted until a day.
  kCaution,  ///< Optional (on_missing: skip); only part of the number's range is within it.
};
/// The id in report.json: "pass", "low_confidence", …
std::string_view GateStatusName(GateStatus status);

/// The result of one limit of `thresholds:`.
struct GateResult {
  rules::Threshold threshold;
  Value measured;
  GateStatus status = GateStatus::kPass;
  std::string reason;        ///< For anything but pass/warn/error: one clause.
  std::string counted_with;  ///< The metric whose stricter limit counts instead; empty: none.
  /// The recorded number, if `measured` is that without the profiler; else absent.
  Value recorded = {};
};

/// The verdict of one run, with all data that reports print.
struct Verdict {
  VerdictStatus status = VerdictStatus::kNotJudged;
  std::vector<GateResult> gate;
  /// For each finding, the metric whose missed limit counts instead of it; empty if the finding
  /// counts.
  std::vector<std::string> findings_counted_with;
  /// For each finding, why it is not reported beside other fired findings; empty if it is reported.
  std::vector<std::string> findings_covered;
  /// Numbers of limits and findings. A finding about a metric whose limit is missed is not counted.
  std::int64_t errors = 0, warnings = 0, passed = 0, not_applicable = 0, missing = 0;
  std::int64_t open = 0;  ///< Limits and changes that are undecided, so there is no verdict.
  /// The number of profiles in an undecided comparison, and the number that would decide it.
  std::int64_t recordings = 0, needed = 0;
  std::int64_t waived = 0;                ///< Findings that a waiver accepts.
  std::int64_t waived_limits = 0;         ///< Missed limits that a waiver accepts.
  std::vector<Accepted> accepted;         ///< Missed limits of the baseline that a user accepts.
  std::vector<rules::Loosened> loosened;  ///< Settings that the judged branch makes looser.
  std::int64_t not_found = 0;             ///< Rules that applied and found nothing.
  std::int64_t cautions = 0;              ///< Optional limits that stay undecided.
  std::int64_t broken = 0;  ///< Rules that failed with an error: a configuration error.
  std::vector<std::string>
      reasons;  ///< Why it failed or could not be judged, most important first.
  /// Slower parts that only warn, and the key of their limit: "kernels", "kernel gemm: +40 % …".
  std::vector<std::pair<std::string, std::string>> part_warnings;
  std::vector<std::string> notes;
  /// What waivers do, and why some do nothing: expired, unneeded, or exceeded.
  std::vector<std::string> waiver_notes;
};

/// The inputs of a verdict, in addition to the run and the policy.
struct JudgeOptions {
  bool allow_incomplete = false;
  /// Findings of the policy's rules; nullptr: only limits are judged.
  const rules::Evaluation* evaluation = nullptr;
  /// Limits that judged one of these runs must also judge this one (gate/limits.h).
  std::span<const Snapshot> baselines = {};
  bool is_baseline_asked = false;  ///< A baseline was requested, even if there is none.
  std::optional<std::chrono::sys_days> today = {};  ///< Absent: no waiver of limits applies.
  /// Further reasons for an undecided verdict, e.g. from other runs of the comparison.
  std::vector<std::string> doubts = {};
  const rules::Plan* plan = nullptr;  ///< Plan of the evaluation, if one was made.
};

/// Judges `analysis` by `policy`. `log` is the merged import log; data loss leaves no verdict.
/// Never returns kNotJudged. REQUIRES: `options.evaluation`, if any, is of `policy` and `analysis`.
Verdict Judge(const rules::Policy& policy, const analysis::Analysis& analysis, const ImportLog& log,
              const JudgeOptions& options);

/// Notes settings that the judged branch makes looser. Either a line about the policy accepts them,
/// or the stricter settings judge. If the stricter ones can no longer judge, there is no verdict.
void AddLoosened(const std::vector<rules::Loosened>& loosened, const Acceptance& acceptance,
                 Verdict& verdict);

/// Reasons that prevent a verdict: data loss, and fewer iterations than `policy` requires.
std::vector<std::string> WhyIncomplete(const rules::Policy& policy, const ImportLog& log,
                                       std::int64_t iterations, bool allow_incomplete);

/// True if a miss of this level fails a run under `fail_on`.
bool Fails(rules::Level level, rules::FailOn fail_on);

/// The exit code of `check`: 2 if a rule is broken; otherwise 0 with `exit_zero`, else by the
/// verdict. REQUIRES: the comparison was added, if there is one.
int ExitCodeOf(const Verdict& verdict, bool exit_zero);

}  // namespace profgauge::gate
