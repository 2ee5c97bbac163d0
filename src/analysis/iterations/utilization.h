// How busy each GPU was in the window. Metrics gpu.utilization, gpu.idle, gpu.sm_efficiency and
// gpu.occupancy are made here of GpuUse (gpu_use.h). Estimated SM efficiency and occupancy are the
// TensorBoard plug-in's; a GPU that copies is not idle, though its utilization counts kernels only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/catalog/output.h"
#include "analysis/iterations/context.h"
#include "analysis/iterations/gpu_use.h"

namespace profgauge::analysis::iterations {

/// One entry per GPU that ran a kernel anywhere in the trace, by id; if none did, per GPU with any
/// device event. A GPU whose work is outside the window is idle, not missing; one on which a rank
/// of several has less than 0.1 % of its kernels' time is another rank's.
/// O(n log n) over the device rows.
/// `gpus` are their properties, by id; `unobserved` parts of the window count neither as idle nor
/// in the window that idle time is a share of, of which `captured` also counts in no other window.
/// `iterations`: the selected ones.
std::vector<GpuUse> MeasureGpus(const Profile& profile, std::span<const Gpu> gpus, Span window,
                                std::span<const Span> unobserved,
                                std::span<const Iteration> iterations, Ns captured);
/// The same for a rank, as measured once when its context was built.
inline const std::vector<GpuUse>& MeasureGpus(const RankContext& rank) { return rank.gpus; }
/// The window without its unobserved parts, a span list. Empty for a window without a length.
/// REQUIRES: `unobserved` is a span list.
std::vector<Span> ObservedOf(Span window, std::span<const Span> unobserved);

/// Blocks per SM of a kernel: as recorded, else from its grid and the GPU's number of SMs (ROCm
/// records none). Absent when neither is known. REQUIRES: `gpus` are sorted by id.
std::optional<double> BlocksPerSm(const Profile& profile, std::span<const Gpu> gpus,
                                  DeviceId kernel);

/// Sets gpu.utilization.*, gpu.idle.* (shares, and times per iteration), gpu.sm_efficiency,
/// gpu.occupancy: over the GPUs with work of all ranks. Idle time that single iterations have above
/// all others may be one-off: it may be the rest.
void AddUtilization(std::span<const RankContext> ranks, catalog::Output& out);

}  // namespace profgauge::analysis::iterations
