// Compares the contents of an iteration of two runs: threads, operators and kernels, each row with
// its time in both.
#pragma once

#include <string_view>

#include "base/table.h"

namespace profgauge::report {

/// Joins the first tree of `op_tree` (the first rank's iteration nearest the median) of both runs
/// into one table `tree_change`. Rows match if their parents match and kind and name are equal,
/// ignoring numbers in names of threads and ranges (`ProfilerStep#5`, `thread 4711`). If equally
/// many kernels of a place remain unmatched, they are paired in order as renamed. Rows of one run
/// are `added` or `removed`. Siblings are sorted by change, largest first.
///
/// Changes of host and device time of a row's children and of its own part sum exactly to the row's
/// change. REQUIRES: both tables are `op_tree`.
Table AlignTrees(const Table& base, const Table& current, std::string_view accelerator);

}  // namespace profgauge::report
