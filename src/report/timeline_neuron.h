// Values over time that only a Neuron recording has, for the timeline.
#pragma once

#include <cstdint>

#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// Adds for each NeuronCore, where recorded: FLOPs utilization of the Tensor Engine (HFU) in at
/// most 500 buckets, DMA and HBM throughput, pending DMA, use of SBUF and PSUM (at most 4 000
/// points each, peaks kept), and the share of cycles that throttling allows. REQUIRES:
/// profile.neuron is set.
void AddNeuronCounters(const Profile& profile, std::int64_t rank, Timeline& timeline);

}  // namespace profgauge::report
