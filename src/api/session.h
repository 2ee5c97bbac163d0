// The steps from a command line or an embedder's call to a report: the one place that takes runs,
// a policy and baselines to a judged report.
//
// The steps of JudgeRuns(), in their order. Each step may use the results of those above it:
//
//   runs        -> Measure: analyze each; with a baseline a snapshot of each, and the middle run
//   snapshots   -> source.For: which baseline fits them, or why none does
//   middle run  -> Predict (scenarios) -> TakeProfilerOff -> Evaluate (rules) -> PutBack
//               -> PlanOf -> AddPlanMetrics        findings in their order
//               -> Judge                                      verdict by the policy's limits
//               -> FailWithEach                               only for ranks that are listed
//   all runs    -> CompareThem -> AddComparison               limits on changes
//   all of it   -> BuildReport -> timeline (here or later) -> Redact
//
// Redaction is the last step, so that no later one can put a name back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "api/snapshots.h"
#include "gate/baseline_verdict.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "profgauge/profgauge.h"
#include "report/redaction.h"
#include "report/report.h"
#include "rules/policy.h"
#include "rules/policy_diff.h"
#include "rules/rulebook.h"

namespace profgauge {

/// The handle's contents. `paths`: as the embedder gave them; `ranks`: in rank order, never empty.
struct Recording::Data {
  std::vector<std::string> paths;
  std::vector<Profile> ranks;
};

/// The handle's contents. `report` owns the tables, and copies the rest that it needs of the
/// analysis.
struct Judgement::Data {
  analysis::Analysis analysis;
  gate::Verdict verdict;
  report::Report report;
  std::size_t middle = 0;  ///< Which of the runs is described.
  /// Adds the report's timeline, if that was left for later; else empty. REQUIRES: the ranks that
  /// were judged are still there.
  std::function<void(report::Report&)> add_timeline;
};

/// A run that was read. REQUIRES: `ranks` is not empty and outlives the judging.
struct RunToJudge {
  std::string name;  ///< RunName() of its arguments.
  std::span<const Profile> ranks;
};

/// Who named the policy where no one did: VerdictInfo::policy_from.
inline constexpr std::string_view kNoPolicyGiven = "no policy was given";

struct JudgeRunsOptions {
  EvaluateOptions choices;
  /// For waivers. REQUIRES: set.
  std::chrono::sys_days today;
  report::Redaction redact;  ///< The kinds of names to remove from the report.
  rules::OnBaselineMissing on_missing_baseline = rules::OnBaselineMissing::kNoVerdict;
  gate::Acceptance acceptance;
  std::vector<rules::Loosened> loosened = {};  ///< By the branch that is judged.
  std::string policy_note = {};                ///< Why that is unknown; else empty.
  bool is_paired = false;  ///< Runs and baselines were recorded alternately, and are compared so.
  /// Said in the report; none while its text is empty.
  analysis::Remark remark;
  /// Leave the timeline to Judgement::Data::add_timeline: few outputs have it, and the others are
  /// drawn beside it. A redacted report is redacted as a whole and has it immediately.
  bool timeline_later = false;
  /// Only the verdict is wanted: tables that no rule looks at may be missing from the report.
  bool verdict_only = false;
  /// No output shows the plan: it is made only for a policy with limits on it.
  bool without_plan = false;
  /// Called with the name of each phase when it ends: "analyze", "attribute", "compare", "judge".
  std::function<void(std::string_view)> phase_ended = [](std::string_view) {};
};

/// Analyzes the runs, judges the one in the middle, with baselines all of them against these, and
/// builds its report. Several runs need baselines: without any only the first is judged. Errors:
/// kUsage for the selection, those of the history; kConfig where a baseline is missing and that is
/// to fail; kUsage "paired/count" where pairs are asked for and the two lists differ in length or
/// are too short. REQUIRES: `runs` is not empty. Memory: the analyses and simulation graphs of all
/// runs until the middle one is known; the graphs of that one until the rules have run.
Result<Judgement::Data> JudgeRuns(std::span<const RunToJudge> runs, const rules::Policy& policy,
                                  const rules::Rulebook& rules, const BaselineSource& source,
                                  const JudgeRunsOptions& options);

/// The caller's choices, which override the policy's. A bound of the caller replaces the policy's
/// bound on the same side, whichever of the two gives a position and which a recorded number. A
/// marker or key operator of the caller replaces both of the policy's.
analysis::Selection SelectionOf(const rules::Policy& policy, const EvaluateOptions& options);

/// Choices of the caller and additions of the policy to the profile that change numbers, for
/// the report's provenance: ("iter-start", "3"), ("devices", "chips.yaml").
std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const rules::Policy& policy);

/// The import counters of all ranks together: sums.
ImportLog MergedLog(std::span<const Profile> ranks);

/// A name for the run where its first file's is not it: the folder's for a folder or for several
/// files of one, "stdin"; else empty, and the report takes the name of the file.
std::string RunName(const std::vector<std::string>& paths);

}  // namespace profgauge
