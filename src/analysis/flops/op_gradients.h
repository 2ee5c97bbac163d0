// Work of the gradients of matmuls recorded without arguments: otherwise the roofline of profiles
// of PyProf or emit_nvtx would only contain the forward pass.
#pragma once

#include "analysis/classify/kernel_class.h"
#include "analysis/flops/op_tree.h"
#include "analysis/flops/op_work.h"

namespace profgauge::analysis::flops {

/// Adds to `works` the backward nodes of matmuls if neither they nor inner operators have work:
/// PyProf and emit_nvtx only record the arguments of forward calls. O(calls).
///
/// The gradient of a factor is a matmul of the same three matrices: with the operations and bytes
/// of forward, without the addend. Factors without a gradient need none. The number of gradients is
/// the number of matrix kernels that the node launches.
void AddGradientWork(const Profile& profile, const OpTree& tree,
                     const classify::KernelClasses& classes, OpWorks& works);

}  // namespace profgauge::analysis::flops
