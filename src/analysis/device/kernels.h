// Kernels by name, by launch and operator, and by iteration.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/device/kernel_sums.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds kernels, kernels_by_op and kernels_by_iteration; sets profile.kernel_time,
/// kernel.count_per_iteration and kernel.short_share. Rows come by time, longest first; rows of
/// equal time by name. A name's rows of all ranks are added up in `kernels`.
void AddKernels(std::span<const RankContext> ranks, Output& out);
/// The same from kept sums of ranks, without kernels_by_op and kernels_by_iteration.
void AddKernels(std::span<const KernelFacts> ranks, Output& out);
/// The sums of one rank over its selected iterations, and over the whole profile for the tables.
KernelFacts KernelFactsOf(const RankContext& rank);

}  // namespace profgauge
