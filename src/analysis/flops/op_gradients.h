// Work of the gradients of products that were recorded without arguments: without it the roofline
// of a profile of PyProf or emit_nvtx would have the forward pass only.
#pragma once

#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_tree.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// Adds to `works` the backward nodes of products that neither have work nor contain operators that
/// do: PyProf and emit_nvtx record the arguments of forward calls alone. O(calls).
///
/// The gradient of a factor is a product of the same three matrices: as many operations and bytes
/// as forward, without the addend. A factor that needs no gradient has none; how many have one,
/// only the matrix kernels that the node launches show.
void AddGradientWork(const Profile& profile, const OpTree& tree,
                     const classify::KernelClasses& classes, OpWorks& works);

}  // namespace profgauge::analysis::flops
