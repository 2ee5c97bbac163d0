// Which device work is of which iteration, and from when to when that makes each last.
#pragma once

#include <optional>
#include <vector>

#include "analysis/context/iterations.h"

namespace profgauge {

/// The device events of each iteration, and how far they reach.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

/// By thread: whether what it launches can be of iterations that `marking` marks. Another process
/// that works on other GPUs alone has its own course.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking);

/// Fills `of_device`, `behind` and each iteration's `device_events` from recorded launches.
DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Fills each iteration's `time` and `lead_in`, by the rule that iterations.h states.
void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations);

/// Work whose launch was not recorded belongs to the iteration in which it starts.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations);

}  // namespace profgauge
