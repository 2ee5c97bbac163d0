// Work of the gradients of matmuls. PyProf and emit_nvtx record them without arguments: without
// this, the roofline of their profiles would only contain the forward pass.
#pragma once

#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_tree.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// Adds the backward nodes of matmuls to `works`, if neither they nor operators in them have work:
/// PyProf and emit_nvtx only record the arguments of forward calls. O(calls).
///
/// The gradient of a factor is a matmul of the same three matrices. So it has the operations and
/// bytes of forward, without the addend. Factors that need no gradient have none. The number of
/// gradients is the number of matrix kernels that the node launches.
void AddGradientWork(const Profile& profile, const OpTree& tree,
                     const classify::KernelClasses& classes, OpWorks& works);

}  // namespace profgauge::analysis::flops
