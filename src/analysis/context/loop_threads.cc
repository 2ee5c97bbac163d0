#include "analysis/context/loop_threads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "knowledge/iterations.h"

namespace profgauge {
namespace {}  // namespace

std::vector<bool> FindLoopThreads(const Profile& profile) {
  std::vector<std::int64_t> launched(profile.threads.size(), 0);
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (!launch.valid() || profile.device.kind[row] != DeviceKind::kKernel) continue;
    const ThreadId thread = profile.api.thread[launch.value];
    if (thread.valid()) ++launched[thread.value];
  }
  std::int64_t most = 0;
  for (const std::int64_t count : launched) most = std::max(most, count);
  std::vector<bool> threads(launched.size(), false);
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i] = launched[i] > 0 && launched[i] >= knowledge::kIterationsLoopThreadShare.Of(most);
  }
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    const ThreadId thread = profile.host.thread[row];
    if (profile.host.kind[row] == HostKind::kIterationMarker && thread.value < threads.size()) {
      threads[thread.value] = true;
    }
  }
  if (std::none_of(threads.begin(), threads.end(), [](bool is) { return is; })) {
    threads.assign(threads.size(), true);
  }
  return threads;
}

}  // namespace profgauge
