// The picture of a run in a comparison: the contents of an iteration, and its events. Also the
// steps from runs to the report of `compare` or of a duet:
//
//   base runs ----+
//                 +-> CompareAlike -> verdict -> report
//   current runs -+                                 |
//          redacted last <- call trees, timelines <-+
//
// `check` only uses CompareAlike(): there, the comparison is one part of judging a run
// (api/session.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/table.h"
#include "gate/compare.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "model/duet.h"
#include "model/import_log.h"
#include "profgauge/error.h"
#include "profgauge/profgauge.h"
#include "report/redaction.h"
#include "report/report.h"
#include "rules/policy.h"

namespace profgauge {

/// The picture of a run's first rank.
struct RunPicture {
  bool is_summarized = false;  ///< Only summaries are known, so there are no events to show.
  /// Remarks on clocks that disagree, and on times that are missing or repeated.
  std::vector<std::string> remarks;
  std::optional<Table> tree;  ///< `op_tree`; nullopt if the profile has no host operators.
  report::Timeline timeline;
  Ns iteration_start = 0;  ///< Start of the tree's iteration: the one nearest to the median.
};

/// Makes the picture of a run. `analysis` is of these ranks and `selection`. The timeline has only
/// the first rank, and half as many events as for one run, because a page of a comparison has two
/// timelines. Summaries have no events, so no tree and no timeline is set. `events` is the
/// mode of the timeline. REQUIRES: `ranks` is not empty.
RunPicture PictureOf(std::span<const Profile> ranks, const analysis::Analysis& analysis,
                     const analysis::Selection& selection, EventsInPage events);

/// Adds the table `tree_change` and both runs' timelines, with aligned iterations, to the report of
/// their comparison. Skips parts that one of the runs does not have.
void AddPictures(RunPicture base, RunPicture current, report::Report& comparison);

// The steps from two sides of runs to their comparison's report.

/// One side of a comparison. REQUIRES: `runs` is not empty.
struct ComparedSide {
  std::vector<gate::Snapshot> runs;
  std::vector<std::string> doubts;  ///< Why one of the runs may be incomplete.
  RunPicture picture;               ///< The picture of its last run.
};

/// The caller's decisions about a comparison, in addition to the policy.
struct CompareChoices {
  bool allow_incomplete = false;  ///< Judge in spite of data loss.
  report::Redaction redact;       ///< The kinds of names to remove from the report.
};

/// How runs are compared, in addition to the policy.
struct CompareHow {
  gate::ComparePurpose purpose = gate::ComparePurpose::kJudge;
  bool accepts_work = false;                ///< A user accepts other work.
  std::span<const gate::Snapshot> earlier;  ///< As for gate::CompareRuns().
  std::optional<gate::PartRuns> parts;      ///< nullopt: the runs that are compared.
};

/// Compares runs as all commands do, so that the same runs have the same answers in each: limits,
/// clocks, and parts if the runs are judged. REQUIRES: as gate::CompareRuns().
gate::RunComparison CompareAlike(std::span<const gate::Snapshot> baselines,
                                 std::span<const gate::Snapshot> runs, const rules::Policy& policy,
                                 const CompareHow& how);

/// Removes the times of unrecorded iterations if the policy ignores them.
void IgnoreUnrecorded(const rules::Policy& policy, std::vector<gate::Snapshot>& runs);

/// The verdict, and the report that shows it. Without a policy the status is kNotJudged.
struct JudgedComparison {
  gate::Verdict verdict;
  report::Report report;
};

/// Compares two runs. If there is a policy, judges the second run; otherwise only reports changes.
/// `log` has the repairs in both runs' files. Missing data of either side turns a pass into no
/// verdict, but never changes a failure. Without a policy, the sides' doubts are only notes. Both
/// sides are redacted with one key, so that a kernel of both runs gets one hidden name.
JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const rules::Policy* policy, const CompareChoices& choices);

/// Reports the changes between two runs that have separate reports, without judging.
report::Report ExplainTwoRuns(const gate::Snapshot& base, const report::Report& base_report,
                              const gate::Snapshot& current, const report::Report& current_report);

// The steps from a duet to a judged comparison.

/// Profiles of both sides in separate blocks. They explain a change that other blocks measure.
struct DuetProfiles {
  ComparedSide a, b;
  ImportLog log;
};

/// Judges a duet by its blocks. Missing data of the profiles is only a note, because it may hide a
/// cause but cannot change a measured time. Errors: those of JudgeDuet().
Result<JudgedComparison> JudgeDuetRuns(const Duet& duet, std::optional<DuetProfiles> profiles,
                                       const rules::Policy& policy, const CompareChoices& choices);

}  // namespace profgauge
