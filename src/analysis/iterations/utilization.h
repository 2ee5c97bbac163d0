// How busy each GPU was in the window. Computes the metrics gpu.utilization, gpu.idle,
// gpu.sm_efficiency and gpu.occupancy from GpuUse (gpu_use.h). Estimated SM efficiency and
// occupancy are defined like in the TensorBoard plug-in. A GPU that copies is not idle, but
// utilization counts only kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/gpu_use.h"

namespace profgauge::analysis::iterations {

/// Returns one entry for each GPU that ran a kernel anywhere in the trace, by id; without kernels,
/// for each with any device event. A GPU with work only outside of the window is idle, not missing.
/// With several ranks, a GPU with less than 0.1 % of the rank's kernel time belongs to another
/// rank. `gpus`: properties of the GPUs, by id. `unobserved`: parts of the window that count
/// neither as idle nor in the window of the idle share; the part `captured` of it counts in no
/// window at all. `iterations`: the selected ones. O(n log n) over the device rows.
std::vector<GpuUse> MeasureGpus(const Profile& profile, std::span<const Gpu> gpus, Span window,
                                std::span<const Span> unobserved,
                                std::span<const Iteration> iterations, Ns captured);
/// The result for a rank, measured when its context was built.
inline const std::vector<GpuUse>& MeasureGpus(const RankContext& rank) { return rank.gpus; }
/// The window without its unobserved parts, as a span list. Empty for an empty window.
std::vector<Span> ObservedOf(Span window, std::span<const Span> unobserved);

/// Blocks per SM of a kernel: recorded, else computed from its grid and the GPU's number of SMs
/// (not recorded by ROCm). Absent if neither is known. REQUIRES: `gpus` are sorted by id.
std::optional<double> BlocksPerSm(const Profile& profile, std::span<const Gpu> gpus,
                                  DeviceId kernel);

/// Sets gpu.utilization.*, gpu.idle.* (shares, and times per iteration), gpu.sm_efficiency and
/// gpu.occupancy over the GPUs with work of all ranks. If a part of the idle time may be one-off,
/// adds that a metric may also have its value without that part.
void AddUtilization(std::span<const RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::iterations
