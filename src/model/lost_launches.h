// Launches whose device work is missing in the profile, though it ran or should have run.
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
  kNone,  ///< Not a launching call, or a driver call inside a runtime call.
  kRan,
  kWithoutWork,  ///< No device work of this launch is in the profile.
};

/// Returns the state of each row of calls. Only calls of ApiKind::kLaunch have a state; of a
/// runtime call and the driver call inside it, only the outer call. A launch without linked work is
/// not lost if a kernel without a launch began after it. REQUIRES: device work is linked to its
/// calls. O(n log n) in launches without work and kernels without a launch.
std::vector<LaunchState> LaunchStates(const Profile& profile);

/// Like LaunchStates(), but uses only recorded links. O(n).
std::vector<LaunchState> LaunchStatesByLinks(const Profile& profile);

/// When each process captured launches into graphs. Captured launches do not run, on any thread (a
/// backward pass has a separate thread). A capture ends with the end call on its thread or, if that
/// thread has none, on another one. If its beginning is not recorded, it began at the profile's
/// start. If its end is not, it is as long as the begin call, since later launches may be lost
/// ones. `profile` must outlive it.
///
///   thread 1  [Begin].....launch........[End]
///   thread 2         [Begin]...[End]  launch       both launches are captured
class GraphCaptures {
 public:
  /// O(calls log calls).
  explicit GraphCaptures(const Profile& profile);
  std::int64_t count() const { return count_; }  ///< Captures whose beginning was recorded.
  bool empty() const;
  bool Has(ApiId call) const;  ///< True if the call begins in a capture of its process. O(log n).
  std::span<const Span> Near(ApiId call) const;  ///< Captures of its process.
  bool Touch(Span times) const;  ///< True if `times` overlaps a capture of any process.

 private:
  const Profile& profile_;
  ProcessNumbers processes_;
  std::vector<std::vector<Span>> of_process_;  // Each as of Merge().
  std::int64_t count_ = 0;
};

/// Launches that were captured into graphs (they run nothing), and kernels that ran.
struct CaptureCounts {
  std::int64_t captures = 0;  ///< Graphs that began to be captured.
  std::int64_t captured = 0;  ///< Launching calls inside captures, without device work.
  std::int64_t ran = 0;       ///< Kernels on the device.

  /// The share of captured launches; 1 if there was neither a captured launch nor a kernel.
  double captured_share() const {
    const std::int64_t all = captured + ran;
    return all > 0 ? static_cast<double>(captured) / static_cast<double>(all) : 1;
  }
};
/// Counts captures. A launch inside a capture that has device work was not captured: it ran.
/// O(calls log calls + work).
///
///   calls     BeginCapture  launch  launch  EndCapture  GraphLaunch
///   counted   captures      captured twice              its kernels count as `ran`
CaptureCounts CountCaptures(const Profile& profile);

/// For each thread: its process's captures, each prolonged until the thread has instantiated or
/// uploaded the graph, unless the thread launches before that. Sorted and disjoint; empty for
/// threads without calls. O(calls log calls).
///
///   calls   [Begin] launch launch [End]   [Instantiate]   [GraphLaunch]
///   spans   |-------------------------|---------------|
std::vector<std::vector<Span>> CaptureTimes(const Profile& profile);

/// Launch counts of one process.
struct LostLaunches {
  std::size_t lost = 0;
  std::size_t all = 0;  ///< Launches whose work could be in the profile.
};

/// Launches of a process whose device work would have to begin after all recorded work: they were
/// made when the process's last work had ended, so nothing was queued before them. All launches for
/// comparison. A profiler that stops loses a few; many show that recording ended early. The sum
/// over all processes that have work. `states`: of LaunchStates(). O(calls log calls + work).
LostLaunches LaunchesAfterWork(const Profile& profile, std::span<const LaunchState> states);

/// Counts launches of processes that lost the work of several launches. Work captured into a graph
/// is not lost, nor work in flight at the end, i.e. launched after the process's last launch with
/// recorded work. `states`: of LaunchStates(). O(calls log calls).
std::vector<LostLaunches> LostLaunchesByProcess(const Profile& profile,
                                                std::span<const LaunchState> states);

}  // namespace profgauge
