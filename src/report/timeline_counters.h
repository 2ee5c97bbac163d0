#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// Name of a GPU's group of tracks and counters: "GPU 0 · Tesla V100".
std::string TimelineGpuName(const Profile& profile, std::int32_t id);

/// Numbers of the drawn GPUs: all, or of very many those with most events.
std::vector<std::int32_t> DrawnGpus(const DeviceTable& device);

/// Adds counters for each drawn GPU: allocated memory (with its peaks), GPU utilization and
/// estimated SM efficiency, if recorded; like the TensorBoard plug-in's two counter tracks (its
/// gpu_metrics_parser.py). `has_all`: the timeline has all of the rank's device work.
void AddCounters(const Profile& profile, std::int64_t rank, bool has_all, Timeline& timeline);

}  // namespace profgauge::report
