// Where the host's threads spent their time, by scheduling and by sampled call stacks.
#pragma once

#include <span>

#include "analysis/context/context.h"
#include "analysis/tables/output.h"

namespace profgauge {

/// Adds the tables thread_states and host_cores, where the profile has scheduling, and
/// cpu_samples, where it has samples.
/// A thread that did not run waited for the reason that the profiler names; else it is in the call
/// of the operating system that it made then, "in poll".
void AddCpuActivity(std::span<const RankContext> ranks, Output& out);

}  // namespace profgauge
