// One row per GPU, and one per stream.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/device/kernel_sums.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds gpus and streams, in the order of ranks, GPUs and streams.
void AddDeviceTables(std::span<const RankContext> ranks, Output& out);

// Kernels by name, by launch and operator, and by iteration.

/// Adds kernels, kernels_by_op and kernels_by_iteration; sets profile.kernel_time,
/// kernel.count_per_iteration and kernel.short_share. Rows come by time, longest first; rows of
/// equal time by name. A name's rows of all ranks are added up in `kernels`.
void AddKernels(std::span<const RankContext> ranks, Output& out);
/// The same from kept sums of ranks, without kernels_by_op and kernels_by_iteration.
void AddKernelSums(std::span<const KernelFacts> ranks, Output& out);
/// The sums of one rank over its selected iterations, and over the whole profile for the tables.
KernelFacts KernelFactsOf(const RankContext& rank);

// Memory: the allocator's totals over time, each operator's allocations, and the blocks.

/// The allocator's totals on one device; -1: not recorded.
struct MemoryPeak {
  std::int64_t device_type = 0, device = -1;  ///< c10::DeviceType, and its number.
  std::int64_t allocated = -1, reserved = -1;
  std::int64_t allocated_at_most_reserved = -1;
  std::int64_t growth = -1;  ///< Of `allocated` from iteration to iteration; -1: unknown.
};

/// For one rank.
struct MemoryFacts {
  bool any = false;  ///< Events of memory were recorded.
  std::vector<MemoryPeak> peaks;
};
/// The peaks and the series of one rank. Empty without recorded allocations.
MemoryFacts MemoryFactsOf(const RankContext& rank);
/// Sets memory.*. Only devices of the contexts are used.
void SetMemoryMetrics(std::span<const RankContext> ranks, std::span<const MemoryFacts> facts,
                      Output& out);

/// Adds memory_ops, memory_events and memory_curve, and sets memory.*, over the whole profile.
///
/// Per-operator statistics are the TensorBoard plug-in's (its memory_parser.py): an event belongs
/// to the innermost operator of its thread at its time; sizes and counts are passed on to the
/// operators around it; calls are all calls of that operator. Blocks pair an allocation with the
/// next release of the same address; a release is the allocating operator's.
void AddMemory(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
