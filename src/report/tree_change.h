// What an iteration of two runs is made of, compared with each other: threads over operators to
// kernels, each row with its time in both.
#pragma once

#include <string_view>

#include "base/table.h"

namespace profgauge::report {

/// Both runs' first tree of `op_tree` (the iteration nearest the median, of the first rank) as one
/// table `tree_change`. Rows are of one place when their parents are, and kind and name agree;
/// numbers in names of threads and ranges are left out of that (`ProfilerStep#5`, `thread 4711`).
/// Kernels that are alone on either side, as many as there, are taken as renamed, in their order.
/// What only one run has is `added` or `removed`. Siblings stand by how much changed, the most
/// first.
///
/// Changes of host and device time of a row's children and of what it does itself sum exactly to
/// its own. REQUIRES: both tables are `op_tree`.
Table AlignTrees(const Table& base, const Table& current, std::string_view accelerator);

}  // namespace profgauge::report
