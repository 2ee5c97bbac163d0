// Kinds of segments of the critical path. This is the only list: metrics, tables, the page and the
// command line take ids, words and order from here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/metric_id.h"

namespace profgauge {

enum class PathKind : std::uint8_t {
  kHost,        ///< Operators, calls that launch nothing, and the time between them.
  kLaunch,      ///< From the begin of a launching call to the begin of its kernel or copy.
  kKernel,      ///< Kernels that are not collectives.
  kCopy,        ///< Copies and memsets.
  kTransfer,    ///< Collectives; if other ranks are recorded too, only the transfer itself.
  kWaiting,     ///< Collectives before the last rank arrived; only if other ranks are recorded.
  kDataLoader,  ///< Ranges of a data loader.
  kSync,        ///< Synchronizing calls, without the time in which the awaited work runs.
  kUnknown,     ///< No recorded dependency explains it, or the host was silent.
};
inline constexpr std::size_t kPathKinds = static_cast<std::size_t>(PathKind::kUnknown) + 1;

struct PathKindInfo {
  std::string_view id;
  PartMetrics metrics;
  std::string_view title;
  std::string_view part;     ///< "… of the critical path in <part>".
  std::string_view awaited;  ///< The awaited work, in a few words.
};

inline constexpr std::array<PathKindInfo, kPathKinds> kPathKindInfo = {{
    {"host",
     {metric::kCriticalHostShare, metric::kCriticalHostTime},
     "Host",
     "operators, calls that launch nothing, and the time between them",
     "operators, calls and Python on the host"},
    {"launch",
     {metric::kCriticalLaunchShare, metric::kCriticalLaunchTime},
     "Launch",
     "launching: from the beginning of a call to the beginning of its work, and from one kernel to "
     "the next on its stream",
     "launch latency"},
    {"kernel",
     {metric::kCriticalKernelShare, metric::kCriticalKernelTime},
     "Kernels",
     "kernels that are no collectives",
     "the end of a kernel"},
    {"copy",
     {metric::kCriticalCopyShare, metric::kCriticalCopyTime},
     "Copies",
     "copies and memsets",
     "the end of a copy or memset"},
    {"transfer",
     {metric::kCriticalTransferShare, metric::kCriticalTransferTime},
     "Transfer",
     "collectives; includes waiting for ranks that were not recorded",
     "a collective's transfer"},
    {"waiting",
     {metric::kCriticalWaitingShare, metric::kCriticalWaitingTime},
     "Waiting for ranks",
     "collectives before the last rank arrived",
     "another rank to reach a collective"},
    {"dataloader",
     {metric::kCriticalDataloaderShare, metric::kCriticalDataloaderTime},
     "Data loader",
     "ranges of a data loader",
     "the data loader"},
    {"sync",
     {metric::kCriticalSyncShare, metric::kCriticalSyncTime},
     "Synchronization",
     "waiting calls, after the awaited work has ended",
     "synchronization overhead"},
    {"unknown",
     {metric::kCriticalUnknownShare, metric::kCriticalUnknownTime},
     "Unknown",
     "time without a recorded dependency, and long periods in which nothing is recorded on the "
     "host "
     "while the device works: it may wait for it",
     "nothing that was recorded"},
}};

constexpr const PathKindInfo& InfoOf(PathKind kind) {
  return kPathKindInfo[static_cast<std::size_t>(kind)];
}

}  // namespace profgauge
