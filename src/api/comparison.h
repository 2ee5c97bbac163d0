// The view of a run in a comparison: the contents of an iteration, and its events. Then the steps
// of `compare` and of a duet to a report:
//
//   base runs ----+                                   with a policy
//                 +-> CompareRuns -> JudgeClocks -> DecideJudging -> verdict -> report
//   current runs -+                                                               |
//                                        redacted last <- call trees, timelines <-+
//
// This file is not for `check`: there the comparison is one part of judging a run (api/session.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "base/table.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "model/duet.h"
#include "model/import_log.h"
#include "profgauge/error.h"
#include "profgauge/profgauge.h"
#include "report/redaction.h"
#include "report/report.h"
#include "rules/policy.h"

namespace profgauge::gate {
struct RunComparison;
}  // namespace profgauge::gate

namespace profgauge {

/// The picture of its first rank.
struct RunPicture {
  bool is_summarized = false;  ///< Known by summaries: there are no events to show.
  std::optional<Table> tree;   ///< `op_tree`; nothing where the profile has no host operators.
  report::Timeline timeline;
  Ns iteration_start = 0;  ///< Start of the tree's iteration, which is nearest the median.
};

/// `analysis` is of these ranks and `selection`. The timeline holds the first rank only, and half
/// as many events as that of one run: a page of a comparison has two. For summaries only
/// `is_summarized` is set: they keep no events. `events`: which mode that timeline has. REQUIRES:
/// `ranks` is not empty.
RunPicture PictureOf(std::span<const Profile> ranks, const analysis::Analysis& analysis,
                     const analysis::Selection& selection, EventsInPage events);

/// Puts the table `tree_change` and the timelines of both runs, iteration beside iteration, into
/// the report of their comparison; parts that one of them does not have are skipped.
void AddPictures(RunPicture base, RunPicture current, report::Report& comparison);

// The steps from two sides of runs to the report of their comparison.

/// One side of a comparison. REQUIRES: `runs` is not empty.
struct ComparedSide {
  std::vector<gate::Snapshot> runs;
  std::vector<std::string> doubts;  ///< Why a run of it may not be whole.
  RunPicture picture;               ///< The picture of its last run.
};

/// Decisions of the caller on a comparison, besides its policy.
struct CompareChoices {
  bool allow_incomplete = false;  ///< Judge in spite of data loss.
  report::Redaction redact;       ///< The kinds of names to remove from the report.
};

/// Whether runs that may have run different work are judged, by `match: any`; a note says so.
void DecideJudging(const rules::Policy& policy, gate::RunComparison& comparison);

/// The report shows the same verdict. Without a policy its status is kNotJudged.
struct JudgedComparison {
  gate::Verdict verdict;
  report::Report report;
};

/// Compares two runs, and judges the second if there is a policy; else only reports the changes.
/// `log` has the repairs in both runs' files. Missing data of either side turns a pass into no
/// verdict; it never turns a failure into anything else. Without a policy only the doubts of the
/// sides are listed, in the notes. Redaction gives both sides one key, so that a kernel of both
/// runs keeps one hidden name.
JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const rules::Policy* policy, const CompareChoices& choices);

/// The changes between two runs that have separate reports, without a judgement.
report::Report ExplainTwoRuns(const gate::Snapshot& base, const report::Report& base_report,
                              const gate::Snapshot& current, const report::Report& current_report);

// The steps from A and B alternating on one machine to a judged comparison.

/// Profiles of both sides, taken in separate blocks: they show the cause, the blocks the change.
struct DuetProfiles {
  ComparedSide a, b;
  ImportLog log;
};

/// The blocks decide. Missing data of the profiles is only a note, as it may hide a cause and
/// cannot change a measured time. Errors: those of JudgeDuet().
Result<JudgedComparison> JudgeDuetRuns(const Duet& duet, std::optional<DuetProfiles> profiles,
                                       const rules::Policy& policy, const CompareChoices& choices);

}  // namespace profgauge
