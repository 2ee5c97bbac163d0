// Roofline per operator: how fast its kernels did its work, against what the GPU could do at most.
//
// Work is counted at the outermost operator whose work is known (analysis/work/op_work.h), time is
// that of the kernels launched in it. The roof of an operator is the longer of FLOPs / peak and
// bytes / bandwidth; which of the two is longer says what binds it. Definition: Williams et al.,
// "Roofline", 2009; TraceLens has the same per operator.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds the table `roofline` and sets flops.achieved and flops.mfu.
void AddRoofline(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
