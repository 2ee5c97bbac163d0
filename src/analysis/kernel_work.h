// Each kernel's part of the work of the operator that launched it.
#pragma once

#include <vector>

#include "analysis/context.h"

namespace profgauge {

struct KernelWork {
  double flops = -1, bytes = -1;  ///< -1 unknown.
};

/// One per row of DeviceTable. The work of an operator is divided among its kernels by their time:
/// that of a product, convolution or attention among the kernels whose name speaks of one, where
/// there are such, so that helpers have none. The parts add up to the operator's work.
std::vector<KernelWork> DivideWork(const RankContext& rank);

}  // namespace profgauge
