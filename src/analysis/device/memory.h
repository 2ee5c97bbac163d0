// Memory: the allocator's totals over time, what each operator allocated, and the blocks.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds memory_ops, memory_events and memory_curve, and sets memory.*, over the whole recording.
///
/// Per-operator statistics are the TensorBoard plug-in's (formats/kineto, b10): an event belongs to
/// the innermost operator of its thread at its time; sizes and counts are passed on to the
/// operators around it; calls are all calls of that operator. Blocks pair an allocation with the
/// next release of the same address; a release is the allocating operator's.
void AddMemory(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
