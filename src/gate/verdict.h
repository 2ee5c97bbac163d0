// The verdict: a run's thresholds and findings, and the exit code that follows.
//
// Judge() makes it of the limits and findings of one run; baseline_verdict.h adds the comparison
// with a baseline, and may only make it more severe.
//
// The one table of outcomes: 0 pass, 1 fail, 2 configuration, 3 no verdict, 4 a report could not be
// written, 70 internal. A certain failure beats an unanswered question: 70, 2, 4, 1, 3, 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "gate/accept.h"
#include "gate/snapshot.h"
#include "rules/evaluator.h"
#include "rules/plan.h"
#include "rules/policy.h"
#include "rules/policy_diff.h"

namespace profgauge::gate {

/// The result of `check`; the head has the exit codes.
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
  /// Beyond the limit, but the number is too uncertain to fail on: a warning, and no verdict where
  /// a sure miss would fail the run.
  kLowConfidence,
  kWaived,   ///< Missed, and accepted until a day.
  kCaution,  ///< Optional (on_missing: skip), and only part of the number's range keeps it.
};
/// The id in report.json: "pass", "low_confidence", …
std::string_view GateStatusName(GateStatus status);

/// One threshold, with its metric's value.
struct GateResult {
  rules::Threshold threshold;
  Value measured;
  GateStatus status = GateStatus::kPass;
  std::string reason;        ///< For anything but pass/warn/error: one clause.
  std::string counted_with;  ///< The metric whose severer limit counts; empty: it counts.
  /// The profile's own number, where `measured` is the one without the profiler; else absent.
  Value recorded = {};
};

/// The verdict of one run with everything that reports print of it.
struct Verdict {
  VerdictStatus status = VerdictStatus::kNotJudged;
  std::vector<GateResult> gate;
  /// For each finding of the evaluation the metric whose missed limit counts it; empty: it counts.
  std::vector<std::string> findings_counted_with;
  /// For each finding why it is not told beside what fired; empty: it is.
  std::vector<std::string> findings_covered;
  /// Totals of limits and findings. A finding about the very metric whose limit is missed is not
  /// counted beside it.
  std::int64_t errors = 0, warnings = 0, passed = 0, not_applicable = 0, missing = 0;
  std::int64_t open = 0;  ///< Changes that a comparison could not decide, without a verdict.
  /// Recordings that the comparison had, and that would settle it, of those that are undecided.
  std::int64_t recordings = 0, needed = 0;
  std::int64_t waived = 0;                ///< Findings that a waiver accepts.
  std::int64_t waived_limits = 0;         ///< And missed limits.
  std::vector<Accepted> accepted;         ///< Missed limits of the baseline that somebody accepts.
  std::vector<rules::Loosened> loosened;  ///< By the branch that is judged.
  std::int64_t not_found = 0;             ///< Rules that looked and found nothing.
  std::int64_t cautions = 0;              ///< Optional limits that stay undecided.
  std::int64_t broken = 0;                ///< Rules that failed at run time: a configuration error.
  std::vector<std::string>
      reasons;                     ///< Why it failed or could not be judged, most important first.
  std::vector<std::string> notes;  ///< On waivers that have expired or that nothing needed.
};

/// The inputs of a verdict besides the run and the policy.
struct JudgeOptions {
  bool allow_incomplete = false;
  /// The rules' findings; nullptr: only limits are judged. Must be of `policy`.
  const rules::Evaluation* evaluation = nullptr;
  /// Limits that judged one of these runs must judge this one too (gate/limits.h).
  std::span<const Snapshot> baselines = {};
  bool is_baseline_asked = false;                   ///< Though there may be none.
  std::optional<std::chrono::sys_days> today = {};  ///< For waivers of limits; absent: none holds.
  /// Other reasons for an undecided verdict: also of other runs compared with the baseline.
  std::vector<std::string> doubts = {};
  const rules::Plan* plan = nullptr;  ///< Of the evaluation, if one was made.
};

/// Holds `policy` against `analysis`. `log` is the merged import log: data loss is no verdict.
/// Never kNotJudged. REQUIRES: `options.evaluation`, if any, is of `policy` and `analysis`.
Verdict Judge(const rules::Policy& policy, const analysis::Analysis& analysis, const ImportLog& log,
              const JudgeOptions& options);

/// Notes what the judged branch makes looser: accepted by a line about the policy, else judged by
/// the stricter settings. One that can no longer judge leaves no verdict.
void AddLoosened(const std::vector<rules::Loosened>& loosened, const Acceptance& acceptance,
                 Verdict& verdict);

/// Reasons for not judging runs at all, whatever their numbers are: data loss, and
/// fewer iterations than `policy` demands.
std::vector<std::string> WhyIncomplete(const rules::Policy& policy, const ImportLog& log,
                                       std::int64_t iterations, bool allow_incomplete);

/// Whether a miss at `level` fails a run under `fail_on`.
bool Fails(rules::Level level, rules::FailOn fail_on);

/// The exit code of `check` for a verdict: 2 when a rule is broken, even with `exit_zero`, which
/// else makes it 0. REQUIRES: the comparison was added, if there is one.
int ExitCodeOf(const Verdict& verdict, bool exit_zero);

}  // namespace profgauge::gate
