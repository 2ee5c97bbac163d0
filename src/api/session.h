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

/// The data of the handle. `paths`: as the embedder gave them; `ranks`: in rank order, never empty.
struct Recording::Data {
  std::vector<std::string> paths;
  std::vector<Profile> ranks;
};

/// The data of the handle. `report` owns the tables, and copies all else that it needs of the
/// analysis.
struct Judgement::Data {
  analysis::Analysis analysis;
  gate::Verdict verdict;
  report::Report report;
  std::size_t middle = 0;  ///< Index of the described run.
  /// Adds the report's timeline, if that was deferred; else empty. REQUIRES: the judged ranks still
  /// exist.
  std::function<void(report::Report&)> add_timeline;
};

/// A run that was read. REQUIRES: `ranks` is not empty and outlives the judging.
struct RunToJudge {
  std::string name;  ///< RunName() of its arguments.
  std::span<const Profile> ranks;
};

/// VerdictInfo::policy_from if nobody named a policy.
inline constexpr std::string_view kNoPolicyGiven = "no policy was given";

struct JudgeRunsOptions {
  EvaluateOptions choices;
  /// The date for waivers. REQUIRES: set.
  std::chrono::sys_days today;
  report::Redaction redact;  ///< The kinds of names to remove from the report.
  rules::OnBaselineMissing on_missing_baseline = rules::OnBaselineMissing::kNoVerdict;
  gate::Acceptance acceptance;
  std::vector<rules::Loosened> loosened = {};  ///< Limits that the judged branch loosened.
  std::string policy_note = {};                ///< Why `loosened` is unknown; else empty.
  bool is_paired = false;  ///< Runs and baselines were recorded alternately; compare them in pairs.
  /// A remark for the report; none if its text is empty.
  analysis::Remark remark;
  /// Defer the timeline to Judgement::Data::add_timeline: few outputs need it, and the others are
  /// rendered meanwhile. A redacted report is redacted as a whole and gets it immediately.
  bool timeline_later = false;
  /// Only the verdict is needed: tables that no rule reads may be missing in the report.
  bool verdict_only = false;
  /// No output shows the plan: compute it only for a policy with limits on it.
  bool without_plan = false;
  /// Called with the name of each phase when it ends: "analyze", "attribute", "compare", "judge".
  std::function<void(std::string_view)> phase_ended = [](std::string_view) {};
};

/// Analyzes the runs and judges the one in the middle; with baselines, judges all runs against
/// these. Then builds the report. Several runs need baselines: without them, only the first is
/// judged. REQUIRES: `runs` is not empty. Memory: the analyses and simulation graphs of all runs
/// until the middle one is known, and its graphs until the rules have run. Errors: kUsage for the
/// selection, those of the history; kConfig if a baseline is missing and that must fail; kUsage
/// "paired/count" if pairs are requested and the lists differ in length or are too short.
Result<Judgement::Data> JudgeRuns(std::span<const RunToJudge> runs, const rules::Policy& policy,
                                  const rules::Rulebook& rules, const BaselineSource& source,
                                  const JudgeRunsOptions& options);

/// Combines the caller's selection with the policy's; the caller's takes precedence. A bound of the
/// caller replaces the policy's bound on the same side, whether given as position or as recorded
/// number. A marker or key operator of the caller replaces both of the policy's.
analysis::Selection SelectionOf(const rules::Policy& policy, const EvaluateOptions& options);

/// Choices of the caller, and additions of the policy to the profile, that change numbers, for the
/// report's provenance: ("iter-start", "3"), ("devices", "chips.yaml").
std::vector<std::pair<std::string, std::string>> ProvenanceOptions(const EvaluateOptions& options,
                                                                   const rules::Policy& policy);

/// The sums of the import counters of all ranks.
ImportLog MergedLog(std::span<const Profile> ranks);

/// A name for the run, if its first file's name is not suitable: that of the folder for a folder or
/// several files of one, "stdin"; else empty, and the report uses the file's name.
std::string RunName(const std::vector<std::string>& paths);

}  // namespace profgauge
