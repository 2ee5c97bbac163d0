// One row per GPU, and one per stream; kernels; memory. The tables of devices themselves, made of
// events. How busy a GPU is, is measured in iterations/utilization.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/device/kernel_sums.h"
#include "analysis/iterations/context.h"

namespace profgauge::analysis::device {

/// Adds gpus and streams, in the order of ranks, GPUs and streams. GPUs are those with work
/// (MeasureGpus()); streams are those with work in the selected iterations. Columns that need to
/// know when work ran are absent for a file of durations only. O(n log n).
void AddDeviceTables(std::span<const iterations::RankContext> ranks, catalog::Output& out);

// Kernels by name, by launch and operator, and by iteration.

/// Adds kernels, kernels_by_op and kernels_by_iteration; sets profile.kernel_time,
/// kernel.count_per_iteration and kernel.short_share. Rows come by time, longest first; rows of
/// equal time by name. A name's rows of all ranks are added up in `kernels`. `kernels` covers the
/// rows of InTables(), with a column for the time outside; the others cover the iterations.
void AddKernels(std::span<const iterations::RankContext> ranks, catalog::Output& out);
/// The same from kept sums of ranks, without kernels_by_op and kernels_by_iteration.
void AddKernelSums(std::span<const KernelFacts> ranks, catalog::Output& out);
/// The sums of one rank over its selected iterations, and over the whole profile for the tables.
/// Texts are views into the profile and its knowledge, which must outlive them.
KernelFacts KernelFactsOf(const iterations::RankContext& rank);

// Memory: the allocator's totals over time, each operator's allocations, and the blocks.

/// The allocator's totals on one device, bytes; -1: not recorded. `allocated_at_most_reserved`: the
/// most that was allocated while the most was reserved, so that the rest is fragmentation.
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
/// The peaks of one rank, over the whole profile; growth over its selected iterations. Empty
/// without recorded allocations. O(devices × memory events).
MemoryFacts MemoryFactsOf(const iterations::RankContext& rank);
/// Sets memory.*: of the GPUs of all ranks the worst, as one device's memory is of no use to
/// another. CPUs do not count. Only devices of the contexts are used.
void SetMemoryMetrics(std::span<const iterations::RankContext> ranks,
                      std::span<const MemoryFacts> facts, catalog::Output& out);

/// Adds memory_ops, memory_events and memory_curve, and sets memory.*, over the whole profile.
///
/// Per-operator statistics are the TensorBoard plug-in's (its memory_parser.py): an event belongs
/// to the innermost operator of its thread at its time; sizes and counts are passed on to the
/// operators around it; calls are all calls of that operator. Blocks pair an allocation with the
/// next release of the same address; a release is the allocating operator's.
void AddMemory(std::span<const iterations::RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::device
