// Launches whose work the profile does not have, though it ran or should have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/processes.h"
#include "model/profile.h"

namespace profgauge {

/// State of a launch.
enum class LaunchState : std::uint8_t {
  kNone,  ///< No launching call, or a driver's call within the runtime's.
  kRan,
  kWithoutWork,  ///< Nothing that it launched is in the profile.
};

/// By row of calls. Work is linked to its launch or, where that link is missing, a kernel that
/// began after it: no launch is lost because its kernel does not name it. REQUIRES: device work is
/// linked to its calls. O(n log n) in launches without work and kernels without a launch.
/// Only calls of ApiKind::kLaunch have a state; of a runtime call and a driver's call within it the
/// outer one has it, whichever of the two the work is linked to.
std::vector<LaunchState> LaunchStates(const Profile& profile);

/// The same only by recorded links. O(n).
std::vector<LaunchState> LaunchStatesByLinks(const Profile& profile);

/// How many of these calls (rows) of a process were captured into a graph: they did not run.
std::size_t CountCaptured(const Profile& profile, const ProcessNumbers& processes,
                          std::uint32_t process, const std::vector<std::uint32_t>& rows);

/// Counts of one process.
struct LostLaunches {
  std::size_t lost = 0;
  std::size_t all = 0;  ///< Launches that could have their work.
};

/// Counts of the processes that lost the work of several launches. Not lost: work captured into a
/// graph, and work in flight at the end, which a process launched after the last of its launches
/// whose work is recorded. `states`: of LaunchStates(). O(calls log calls).
std::vector<LostLaunches> LostLaunchesByProcess(const Profile& profile,
                                                std::span<const LaunchState> states);

}  // namespace profgauge
