// Memory: the allocator's totals over time, each operator's allocations, and the blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

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
