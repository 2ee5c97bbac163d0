// Which call launched which device work, in profiles that do not number their launches.
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
  ThreadId thread;        ///< The call's.
  std::int32_t gpu = -1;  ///< The work's.
  std::int64_t stream = -1;
};

/// Sets numbers of launches ("correlations") where no row of either table has one: by arrows from
/// one call to one work, then by ids that as many launching calls as works have, on one thread and
/// one stream. Rows that neither pairs keep -1. REQUIRES: tables are sorted, and each column has
/// a row for each of its table.
/// The ids are those of operators ("External id"), which several calls and works share:
///
///   thread 1    [launch A] [launch B]        both within operator 7: id 7
///   stream 7           [kernel a] [kernel b]       id 7 as well
///
/// Two calls and two works of id 7, one thread, one stream: A with a, B with b. With three kernels
/// nothing would say which call launched two, and none is paired.
void NumberLaunches(const Profile& profile, const std::vector<LaunchArrow>& arrows,
                    const OptionalColumn<std::int64_t, -1>& api_ids,
                    const OptionalColumn<std::int64_t, -1>& device_ids,
                    NarrowColumn<std::int64_t>& api_correlations,
                    NarrowColumn<std::int64_t>& device_correlations);

}  // namespace profgauge
