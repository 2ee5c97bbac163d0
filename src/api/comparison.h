// The steps from two sides of runs to the report of their comparison.
#pragma once

#include <string>
#include <vector>

#include "api/run_picture.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "model/import_log.h"
#include "report/report.h"
#include "rules/policy.h"

namespace profgauge {

struct RunComparison;

/// One side of a comparison. REQUIRES: `runs` is not empty.
struct ComparedSide {
  std::vector<Snapshot> runs;
  std::vector<std::string> doubts;  ///< Why a run of it may not be whole.
  RunPicture picture;               ///< Of its last run.
};

struct CompareChoices {
  bool allow_incomplete = false;    ///< Judge in spite of what was lost.
  bool allow_incomparable = false;  ///< Judge runs that differ in what they ran.
  bool redact = false;              ///< Take what reports machines and people out of the report.
};

/// Whether runs that may differ in what they ran are judged; that they are though they do is noted.
void DecideJudging(bool allow_incomparable, RunComparison& comparison);

struct JudgedComparison {
  Verdict verdict;
  report::Report report;
};

/// Compares two sides, and judges the second where there is a policy; else only says what changed.
/// `log` has what was repaired in both sides' files.
JudgedComparison CompareSides(ComparedSide base, ComparedSide current, const ImportLog& log,
                              const Policy* policy, const CompareChoices& choices);

/// What changed between two runs that have reports of their own, which no one judges.
report::Report ExplainTwoRuns(const Snapshot& base, const report::Report& base_report,
                              const Snapshot& current, const report::Report& current_report);

}  // namespace profgauge
