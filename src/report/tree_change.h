// The contents of an iteration of two runs, compared with each other: threads over operators to
// kernels, each row with its time in both.
#pragma once

#include <string_view>

#include "base/table.h"

namespace profgauge::report {

/// Both runs' first tree of `op_tree` (the iteration nearest the median, of the first rank) as one
/// table `tree_change`. Rows are of one place when their parents are, and kind and name agree;
/// numbers in names of threads and ranges are left out of that (`ProfilerStep#5`, `thread 4711`).
/// Unmatched kernels of both runs, if equally many, are taken as renamed, in their order. Rows of
/// only one run are `added` or `removed`. Siblings are sorted by their change, the largest first.
///
/// Changes of host and device time of a row's children and of its self part sum exactly to the
/// row's change. REQUIRES: both tables are `op_tree`.
Table AlignTrees(const Table& base, const Table& current, std::string_view accelerator);

}  // namespace profgauge::report
