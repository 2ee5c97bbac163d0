// Launches whose work the profile does not have, though it ran or should have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/process_numbers.h"
#include "model/profile.h"

namespace profgauge {

/// How many of these calls (rows) of a process were captured into a graph: they did not run.
std::size_t CountCaptured(const Profile& profile, const ProcessNumbers& processes,
                          std::uint32_t process, const std::vector<std::uint32_t>& rows);

/// Of one process.
struct LostLaunches {
  std::size_t lost = 0;
  std::size_t all = 0;  ///< Launches that could have their work.
};

/// Of the processes that lost the work of several launches. No loss is what was captured into a
/// graph, and what was in flight at the end: what a process launched after the last of its launches
/// whose work is recorded. `without_work`: rows of launching calls without work. REQUIRES: device
/// work is linked to its calls. O(calls log calls).
std::vector<LostLaunches> LostLaunchesByProcess(const Profile& profile,
                                                const std::vector<std::uint32_t>& without_work);

}  // namespace profgauge
