// The steps from a command line or an embedder's call to a report. Only this code takes runs, a
// policy and baselines to a judged report.
//
// The steps of JudgeRuns(), in order. Each step may use the results of earlier ones:
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

/// The data of the handle. `paths` are as the embedder named them; `ranks` are in order.
struct Recording::Data {
  std::vector<std::string> paths;
  std::vector<Profile> ranks;
};

/// The data of the handle. `report` owns the tables; of the analysis, it has copies of all else
/// that it needs.
struct Judgement::Data {
  analysis::Analysis analysis;
  gate::Verdict verdict;
  report::Report report;
  std::size_t middle = 0;  ///< Index of the described run.
  /// Adds the report's timeline if that was deferred; otherwise empty. REQUIRES: the judged ranks
  /// still exist.
  std::function<void(report::Report&)> add_timeline;
};

/// A run that was read. REQUIRES: `ranks` is not empty and outlives the judging.
struct RunToJudge {
  std::string name;  ///< RunName() of its arguments.
  std::span<const Profile> ranks;
};

/// The value of VerdictInfo::policy_from if no policy was named.
inline constexpr std::string_view kNoPolicyGiven = "no policy was given";

struct JudgeRunsOptions {
  EvaluateOptions choices;
  /// The date for waivers. REQUIRES: the caller sets it.
  std::chrono::sys_days today;
  report::Redaction redact;  ///< The kinds of names to remove from the report.
  rules::OnBaselineMissing on_missing_baseline = rules::OnBaselineMissing::kNoVerdict;
  gate::Acceptance acceptance;
  std::vector<rules::Loosened> loosened = {};  ///< Limits that the judged branch loosened.
  std::string policy_note = {};                ///< Why `loosened` is unknown; else empty.
  bool is_paired = false;  ///< Runs and baselines were recorded alternately; compare them in pairs.
  /// A remark for the report; if its text is empty, none.
  analysis::Remark remark;
  /// Defers the timeline to Judgement::Data::add_timeline, because few outputs need it, and others
  /// can be rendered meanwhile. A redacted report gets it now, to be redacted as a whole.
  bool timeline_later = false;
  /// Only the verdict is needed, so tables that no rule reads may be missing in the report.
  bool verdict_only = false;
  /// No output shows the plan or a saving: they are computed only where the verdict, or a level of
  /// a finding, can depend on them.
  bool without_savings = false;
  /// Called at the end of each phase with its name: "analyze", "attribute", "compare", "judge".
  std::function<void(std::string_view)> phase_ended = [](std::string_view) {};
};

/// Analyzes the runs and describes the one with the median time; with baselines, judges all runs
/// against these. Then builds the report. Several runs need baselines: without them, only the first
/// is judged. REQUIRES: `runs` is not empty. Memory: the analyses and simulation graphs of all runs
/// until the described one is known, and its graphs until the rules have run. Errors: kUsage for
/// the selection; those of the history; kConfig if a baseline is missing and that must fail; kUsage
/// "paired/count" if pairs are requested and the lists differ in length or are too short.
Result<Judgement::Data> JudgeRuns(std::span<const RunToJudge> runs, const rules::Policy& policy,
                                  const rules::Rulebook& rules, const BaselineSource& source,
                                  const JudgeRunsOptions& options);

/// Combines the caller's selection with the policy's; the caller's takes precedence. A bound of the
/// caller replaces the policy's bound on the same side, whether given as position or as recorded
/// number. A marker or key operator of the caller replaces both of the policy's.
analysis::Selection SelectionOf(const rules::Policy& policy, const EvaluateOptions& options);

/// Choices of the caller, and additions of the policy to the profile, that change numbers. For the
/// report's provenance: ("iter-start", "3"), ("devices", "chips.yaml").
std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const rules::Policy& policy);

/// The sums of the import counters of all ranks.
ImportLog MergedLog(std::span<const Profile> ranks);

/// A name for the run, if its first file's name is not suitable: the folder's for a folder or for
/// several files of one, "stdin" for standard input. Empty: the report uses the file's name.
std::string RunName(const std::vector<std::string>& paths);

}  // namespace profgauge
