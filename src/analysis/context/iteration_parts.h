// The steps in which iterations are made of markers: which device work is of which, from when to
// when each lasts by that (iteration_work.cc), the work that the profile's edges cut off, and
// lost work (iteration_edges.cc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/context/iterations.h"
#include "model/profile.h"

namespace profgauge {

/// The device events of each iteration, and how far they reach.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

/// By thread: whether its launches can belong to iterations that `marking` marks. Another process
/// that works only on other GPUs has a separate course.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking);

/// Fills `of_device`, `behind` and each iteration's `device_events` from recorded launches.
DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Fills each iteration's `time` and `lead_in`, by the rule that iterations.h states.
void SetTimes(const Profile& profile, const DeviceReach& reach, Iterations& iterations);

/// Work whose launch was not recorded belongs to the iteration in which it starts.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Leaves out the first and last iterations, whose work the profile's edges cut, and counts those
/// inside of whose launches none has its work. `last_is_open`: nothing ends the last marker.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    Iterations& iterations);

/// Sets `launches_lost` and `launches_made`, where enough is lost to matter.
void CountLostLaunches(const Profile& profile, Iterations& iterations);

// How iterations end on the device: an iteration cut off by the end of a profile ends anywhere.

/// Whether the last of `count` iterations ends with the launches with which an earlier one ends and
/// which that one has nowhere else: such as those of its optimizer. `of_device` has for each device
/// row the iteration that launched it.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t count);

}  // namespace profgauge
