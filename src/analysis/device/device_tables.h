// The tables of devices: GPUs, streams, kernels and memory, computed from events. Utilization is
// measured in iterations/utilization.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/device/kernel_sums.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// Adds the tables gpus and streams, sorted by rank, GPU and stream. They include GPUs with work
/// (MeasureGpus()) and streams with work in the selected iterations. For a file of durations only,
/// columns that need the times of work are absent. O(n log n).
void AddDeviceTables(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Kernels by name, by launch and operator, and by iteration.

/// Adds kernels, kernels_by_op and kernels_by_iteration; sets profile.kernel_time,
/// kernel.count_per_iteration and kernel.short_share. Rows are sorted by time, longest first, then
/// by name. The table `kernels` has one row for each name over all ranks; it covers the rows of
/// InTables(), with a column for the time outside. The other two cover the selected iterations.
void AddKernels(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// Like AddKernels(), from stored sums of ranks, without kernels_by_op and kernels_by_iteration.
void AddKernelSums(std::span<const KernelFacts> ranks, catalog::Output& out);
/// Returns the sums of one rank: over its selected iterations, and over the whole profile for the
/// tables. Texts are views into the profile and its knowledge, which must outlive them.
KernelFacts KernelFactsOf(const iterations::RankContext& rank);

// Memory: the allocator's totals over time, allocations by operator, and the blocks.

/// The allocator's totals on one device, in bytes; -1: not recorded. The most reserved memory minus
/// `allocated_at_most_reserved` (most allocated meanwhile) is fragmentation.
struct MemoryPeak {
  std::int64_t device_type = 0, device = -1;  ///< c10::DeviceType, and its number.
  std::int64_t allocated = -1, reserved = -1;
  std::int64_t allocated_at_most_reserved = -1;
  std::int64_t growth = -1;  ///< Growth of `allocated` per iteration; -1: unknown.
};

/// Memory totals of one rank.
struct MemoryFacts {
  bool any = false;  ///< Whether memory events were recorded.
  std::vector<MemoryPeak> peaks;
};
/// Returns the peaks of one rank over the whole profile, and the growth over its selected
/// iterations. Empty without recorded allocations. O(devices × memory events).
MemoryFacts MemoryFactsOf(const iterations::RankContext& rank);
/// Sets memory.* to the worst of all ranks' GPUs, since one device cannot use another's memory.
/// Ignores CPUs. Uses only the devices of the contexts.
void SetMemoryMetrics(std::span<const iterations::RankContext> ranks,
                      std::span<const MemoryFacts> facts, catalog::Output& out);

/// Adds memory_ops, memory_events and memory_curve, and sets memory.*, for the whole profile.
///
/// Statistics by operator are those of the TensorBoard plug-in (memory_parser.py). An event belongs
/// to the innermost operator on its thread at its time; sizes and counts also count for the
/// operators around it; calls are all calls of the operator. Blocks pair an allocation with the
/// next release of the same address; a release belongs to the allocating operator.
void AddMemory(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::device
