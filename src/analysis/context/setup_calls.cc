#include "analysis/context/setup_calls.h"

#include <algorithm>
#include <cstddef>

#include "analysis/context/markers.h"
#include "knowledge/idle.h"
#include "knowledge/launches.h"

namespace profgauge {
namespace {}  // namespace

SetupTimes::SetupTimes(const Profile& profile) {
  const ApiTable& api = profile.api;
  const DeviceTable& device = profile.device;
  if (device.size() == 0) return;
  const Ns first_work = *std::min_element(device.start.begin(), device.start.end());
  for (std::size_t row = 0; row < api.size(); ++row) {
    const bool may_set_up = api.kind[row] == ApiKind::kOther || api.kind[row] == ApiKind::kMemory;
    if (may_set_up && api.duration[row] >= knowledge::kIdleDeviceSetupCall &&
        api.start[row] + api.duration[row] <= first_work) {
      times_[row] = api.duration[row];
    }
  }
  for (std::size_t row = 0; row < device.size(); ++row) {
    const ApiId launch = device.launch[row];
    if (device.start[row] != first_work || !launch.valid()) continue;
    const Ns until = first_work - api.start[launch.value];
    const Ns duration = api.duration[launch.value];
    // Work that begins much later than the call returned waited for something else.
    if (until < knowledge::kIdleDeviceSetupCall ||
        until > duration + knowledge::kLaunchesFreeLatency)
      continue;
    times_[launch.value] = std::min(until, duration);
  }
}

std::vector<bool> CallsBeforeWindow(const Profile& profile, const Iterations& iterations) {
  if (!iterations.is_whole || iterations.source.by != IterationsBy::kUndivided ||
      !profile.has_timeline)
    return {};
  const SetupTimes setup(profile);
  std::vector<bool> calls;
  for (const auto& [row, time] : setup.calls()) {
    if (profile.api.start[row] + time > iterations.window.start) continue;
    calls.resize(profile.api.size());
    calls[row] = true;
  }
  return calls;
}

}  // namespace profgauge
