// Limits of this process' control groups: containers, Slurm and Kubernetes limit jobs by
// them, and the machine's own size says nothing there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace profgauge {

struct CgroupLimits {
  std::optional<std::uint64_t> memory;  ///< Bytes.
  std::optional<double> cores;          ///< Processor time: 2.5 cores.
};

/// The smallest limits of the groups that the process is in and of those around them, of either
/// version (cgroups(7)); none where nothing limits, and outside of Linux. `root`: where /proc and
/// /sys are, for tests.
CgroupLimits ReadCgroupLimits(const std::string& root = "");

}  // namespace profgauge
