// Launches whose work the profile does not have, though it ran or should have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/interval.h"
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

/// When each process captured its launches into graphs: they did not run, on whatever thread they
/// were made (a backward pass has its own). A capture ends with the call that ends it on its thread
/// or, if it has none there, on another one. What began before the profile reaches back to its
/// start; what does not end in it is no more than the call that began it, since launches after that
/// may be lost ones. `profile` must outlive it.
///
///   thread 1  [Begin].....launch........[End]
///   thread 2         [Begin]...[End]  launch       both launches are captured
class GraphCaptures {
 public:
  /// O(calls log calls).
  explicit GraphCaptures(const Profile& profile);
  std::int64_t count() const { return count_; }  ///< Those whose begin was recorded.
  bool empty() const;
  bool Has(ApiId call) const;  ///< Whether the call begins in one of its process. O(log n).
  std::span<const Span> Near(ApiId call) const;  ///< All of its process, as of Merge().
  bool Touch(Span times) const;  ///< Whether one of any process is in part in there.

 private:
  const Profile& profile_;
  ProcessNumbers processes_;
  std::vector<std::vector<Span>> of_process_;  // Each as of Merge().
  std::int64_t count_ = 0;
};

/// Launches that were captured into graphs, which run nothing, beside what ran.
struct CaptureCounts {
  std::int64_t captures = 0;  ///< Graphs that began to be captured.
  std::int64_t captured = 0;  ///< Launching calls within them that ran nothing.
  std::int64_t ran = 0;       ///< Kernels on the device.

  /// The share of captured launches; 1 where nothing was launched in captures and nothing ran.
  double captured_share() const {
    const std::int64_t all = captured + ran;
    return all > 0 ? static_cast<double>(captured) / static_cast<double>(all) : 1;
  }
};
/// A launch within a capture that has device work ran all the same. O(calls log calls + work).
///
///   calls     BeginCapture  launch  launch  EndCapture  GraphLaunch
///   counted   captures      captured twice              its kernels count as `ran`
CaptureCounts CountCaptures(const Profile& profile);

/// By thread: its process' captures, and what the thread does from there until it has instantiated
/// or uploaded the graph, unless it launches before. Sorted and disjoint; empty for threads without
/// calls. O(calls log calls).
///
///   calls   [Begin] launch launch [End]   [Instantiate]   [GraphLaunch]
///   spans   |-------------------------|---------------|
std::vector<std::vector<Span>> CaptureTimes(const Profile& profile);

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
