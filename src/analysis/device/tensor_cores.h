// Tensor Core efficiency, and which kernel time counts as eligible for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Per row of DeviceTable: whether its time is in an operator that could use Tensor Cores. Yes for
/// kernels of eligible operators and for every kernel that uses Tensor Cores (else efficiency could
/// exceed 100 %); without a known operator a kernel counts when its name speaks of a matrix
/// product, and is unknown otherwise. Copies, sets and collectives never count.
std::vector<Tri> EligibleKernels(const Profile& profile, std::span<const KernelClass> classes);

/// Sets tensor_core.* and adds the table tensor_core_ops. Over all ranks: sums of GPU time.
void AddTensorCores(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
