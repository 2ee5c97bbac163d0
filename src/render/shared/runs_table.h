// Metrics × runs: several runs in one table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/runs.h"

namespace profgauge::render {

/// One metric of all runs.
struct RunsRow {
  const report::Metric* metric = nullptr;      ///< From the first run that has it.
  bool is_limited = false;                     ///< A run's policy limits it.
  std::vector<const report::Quantity*> cells;  ///< By run; nullptr: the run does not have it.
  std::vector<bool> is_best;                   ///< By run; several where they are equal.
};

/// The median iteration time, the limited metrics in the policy's order, then those that changed,
/// the largest change first; `all`: then the others that some run has. At most `most` rows; 0: no
/// limit.
std::vector<RunsRow> RowsOfRuns(const report::Runs& runs, bool all, std::size_t most = 0);

/// The cell's text; "–" without a value.
std::string RunsCell(const RunsRow& row, std::size_t run);

}  // namespace profgauge::render
