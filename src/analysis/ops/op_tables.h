// Tables of operators: by name, by name and input shapes, by name and call stack, and by type.
//
// A row adds up its calls. Operators are those of the op tree: collapsed calls count once, with
// framework ranges (Optimizer.step, DataLoader, DistributedDataParallel.forward) left out, as in
// the TensorBoard plug-in (formats/kineto, b2 and b9). Several ranks add up.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds ops, ops_by_shape, ops_by_stack and op_types. O(n) over the host rows.
void AddOpTables(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
