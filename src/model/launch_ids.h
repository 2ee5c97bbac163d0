// Finds the call that launched each device event in profiles that do not number their launches.
#pragma once

#include <cstdint>
#include <vector>

#include "model/narrow_column.h"
#include "model/optional_column.h"
#include "model/profile.h"

namespace profgauge {

/// One end of an arrow from a call to the device work that it launched (Kineto's "ac2g").
struct LaunchArrow {
  std::int64_t id = -1;
  bool is_start = false;  ///< At the call.
  Ns time = 0;            ///< When the call, or the work, starts.
  ThreadId thread;        ///< Thread of the call.
  std::int32_t gpu = -1;  ///< GPU of the work.
  std::int64_t stream = -1;
};

/// Sets the launch numbers ("correlations") if no row of either table has one. Arrows from one call
/// to one device event come first. Then an id pairs calls and device events of one thread and one
/// stream, if both have it equally often. Unpaired rows keep -1. These ids are operators'
/// ("External id"), which several calls and events share. REQUIRES: sorted tables, and columns as
/// long as their table.
///
///   thread 1    [launch A] [launch B]        both within operator 7: id 7
///   stream 7           [kernel a] [kernel b]       id 7 as well
///
/// Id 7 has two calls on one thread and two kernels on one stream: A launched a, B launched b. With
/// three kernels, it would be unknown which call launched two of them, so none is paired.
void NumberLaunches(const Profile& profile, const std::vector<LaunchArrow>& arrows,
                    const OptionalColumn<std::int64_t, -1>& api_ids,
                    const OptionalColumn<std::int64_t, -1>& device_ids,
                    NarrowColumn<std::int64_t>& api_correlations,
                    NarrowColumn<std::int64_t>& device_correlations);

}  // namespace profgauge
