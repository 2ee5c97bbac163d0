// The steps from two sides of runs to the report of their comparison.
#pragma once

#include <string>
#include <vector>

#include "api/run_picture.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "model/import_log.h"
#include "report/redaction.h"
#include "report/report.h"
#include "rules/policy.h"

namespace profgauge {

struct RunComparison;

/// One side of a comparison. REQUIRES: `runs` is not empty.
struct ComparedSide {
  std::vector<Snapshot> runs;
  std::vector<std::string> doubts;  ///< Why a run of it may not be whole.
  RunPicture picture;               ///< The picture of its last run.
};

struct CompareChoices {
  bool allow_incomplete = false;    ///< Judge in spite of data loss.
  bool allow_incomparable = false;  ///< Judge runs that ran different work.
  report::Redaction redact;         ///< The kinds of names to remove from the report.
};

/// Whether runs that may have run different work are judged; a note says so.
void DecideJudging(bool allow_incomparable, RunComparison& comparison);

struct JudgedComparison {
  Verdict verdict;
  report::Report report;
};

/// Compares two runs, and judges the second if there is a policy; else only reports the changes.
/// `log` has the repairs in both runs' files.
JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const Policy* policy, const CompareChoices& choices);

/// The changes between two runs that have separate reports, without a judgement.
report::Report ExplainTwoRuns(const Snapshot& base, const report::Report& base_report,
                              const Snapshot& current, const report::Report& current_report);

}  // namespace profgauge
