#include "analysis/context/loop_threads.h"

#include <algorithm>
#include <cstddef>

namespace profgauge {

std::vector<bool> FindLoopThreads(const Profile& profile) {
  std::vector<bool> threads(profile.threads.size(), false);
  const auto add = [&](ThreadId thread) {
    if (thread.value < threads.size()) threads[thread.value] = true;
  };
  for (std::size_t row = 0; row < profile.host.size(); ++row) {
    if (profile.host.kind[row] == HostKind::kIterationMarker) add(profile.host.thread[row]);
  }
  for (std::size_t row = 0; row < profile.device.size(); ++row) {
    const ApiId launch = profile.device.launch[row];
    if (launch.valid() && profile.device.kind[row] == DeviceKind::kKernel) {
      add(profile.api.thread[launch.value]);
    }
  }
  if (std::none_of(threads.begin(), threads.end(), [](bool is) { return is; })) {
    threads.assign(threads.size(), true);
  }
  return threads;
}

}  // namespace profgauge
