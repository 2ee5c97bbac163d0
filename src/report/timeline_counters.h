// Values over time for the timeline: the allocator's total, and how busy each GPU is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// Maximum number of points of a drawn counter: the resolution of a screen.
inline constexpr std::size_t kMostCounterPoints = 4000;
/// Counters are whole numbers: shares are kept times this.
inline constexpr double kMillionths = 1'000'000;

/// "GPU 0 · Tesla V100": the group of a GPU's tracks and counters.
std::string TimelineGpuName(const Profile& profile, std::int32_t id);

/// The GPUs that a timeline draws, by number: all, or of very many those with the most events.
std::vector<std::int32_t> DrawnGpus(const DeviceTable& device);

/// Adds for each GPU that is drawn of the profile, where recorded: memory allocated (peaks kept),
/// GPU utilization and estimated SM efficiency in at most 100 buckets, as the TensorBoard plug-in's
/// two counter tracks (its gpu_metrics_parser.py).
void AddCounters(const Profile& profile, std::int64_t rank, Timeline& timeline);

}  // namespace profgauge::report
