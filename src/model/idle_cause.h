// Why a device is idle. This is the only list of causes: metrics, the table of gaps and the page
// take ids, words and order from here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/metric_id.h"

namespace profgauge {

/// In order of display. analysis/breakdown/gap_explainer.cc assigns them; idle.h has a drawing.
enum class IdleCause : std::uint8_t {
  kHostWait,          ///< The host had not issued the work yet, for no more specific reason.
  kDataLoader,        ///< … it was waiting for input data (any thread).
  kSync,              ///< … it was blocked in, or had just come out of, a synchronizing call that
                      ///< drained the queue (launching thread); a copy that waits for earlier work
                      ///< or for its own end is such a call.
  kModuleLoading,     ///< … it was loading code for the device: in a call that does so, or in the
                      ///< first launch of a kernel, which loads it (launching thread).
  kCapture,           ///< … it was capturing launches into a graph, which run nothing, or making
                      ///< that graph (launching thread).
  kMemoryManagement,  ///< … it was in cudaMalloc, cudaFree or the like (launching thread).
  kLaunchLatency,     ///< The launch call itself, and up to 30 us from its beginning to the start.
  kQueued,            ///< Launched in time, but not started yet.
  kOther,             ///< The launch of the work is not recorded.
};
inline constexpr std::size_t kIdleCauses = static_cast<std::size_t>(IdleCause::kOther) + 1;

struct IdleCauseInfo {
  MetricId metric;  ///< Its share of the window.
  std::string_view title;
};

inline constexpr std::array<IdleCauseInfo, kIdleCauses> kIdleCauseInfo = {{
    {metric::kGpuIdleCauseHostWait, "host not ready"},
    {metric::kGpuIdleCauseDataloader, "waiting for data"},
    {metric::kGpuIdleCauseSync, "synchronization"},
    {metric::kGpuIdleCauseModuleLoading, "loading code"},
    {metric::kGpuIdleCauseCapture, "graph capture"},
    {metric::kGpuIdleCauseMemoryManagement, "memory management"},
    {metric::kGpuIdleCauseLaunchLatency, "launch latency"},
    {metric::kGpuIdleCauseQueued, "queued, not started"},
    {metric::kGpuIdleCauseOther, "not recorded"},
}};

constexpr const IdleCauseInfo& InfoOf(IdleCause cause) {
  return kIdleCauseInfo[static_cast<std::size_t>(cause)];
}
/// "host_wait": the last part of its metric's id.
constexpr std::string_view IdleCauseId(IdleCause cause) {
  const std::string_view metric = InfoOf(cause).metric.text();
  return metric.substr(metric.rfind('.') + 1);
}

}  // namespace profgauge
