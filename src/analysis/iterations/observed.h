// Parts of a profile that show neither the program nor the device: at its edges, in pauses, and
// where the profiler delays both. Work in these parts is unknown, so it is not judged. Iterations
// keep their length, but idle time, breakdown and attribution exclude these parts. Otherwise the
// stop of a profiler would fail a limit on idle time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "base/interval.h"
#include "base/units.h"
#include "knowledge/once.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// The unobserved parts of the window, disjoint and in order; usually none. All except captures
/// only exist in profiles with marked iterations.
///
///   - CaptureParts().
///   - At the beginning: calls that wait at least 1 ms for the device before its first recorded
///     work. They wait for work launched before the profile, which is not in it. Calls that set up
///     the device are excluded.
///   - Times of at least 1 ms in which no device works while the profiler starts or stops, as its
///     calls and frames show, anywhere. Without such a call, a stall is the program's, even in the
///     last iteration.
///   - Between iterations whose numbers jump: times of at least 1 ms without any recorded event. A
///     profiler that pauses causes them.
///   - Times of at least 1 ms in which no device works while, by its own record, a profiler blocks
///     a launching thread (Nsight Systems flushes its buffers). If the thread is not recorded
///     (Kineto), while no launching thread begins or ends any event.
std::vector<Span> UnobservedParts(const Profile& profile, const Iterations& iterations);

/// Parts of the window in which launches are captured into graphs, or the graph is built, and no
/// device works; a span list. Programs capture once, so this idle time is not typical of the run.
/// Empty in three cases: it is less than a twentieth of the window; captures repeat (more than a
/// tenth of several iterations contain one; without iterations, work runs between two captures); or
/// most launches are captured, and the profile shows no normal run. O(calls log calls + work).
std::vector<Span> CaptureParts(const Profile& profile, const Iterations& iterations);

/// Returns `unobserved`, plus the time between marked iterations and after the last one: copies
/// that run there may delay no iteration. A span list whose last span is unbounded; only
/// `unobserved` if there are no marks.
std::vector<Span> UncountedParts(std::span<const Span> unobserved, const Iterations& iterations);

// Calls in which a process sets up its device: the first ones create the device's context and load
// its code, whatever their purpose. This happens once, so without iterations it is not part of the
// observed time.

/// The calls that set up the device: those of at least 50 ms that end before the first device work;
/// the call that launched that work, if it took as long before the work began; and the start-up of
/// the profiler.
///
/// Some profilers initialize themselves in the first call that waits for the device. Such a call
///   - is the first of its thread to wait or to copy, within 10 ms of the first event or before the
///     16th launch,
///   - takes at least 100 ms, and at least 20 times all others of its kind together,
///   - leaves the device idle for 95 % of its time, and device work follows it.
///
///   host    |launch| |------------ hipMemcpyWithStream ------------||launch| |launch|
///   device      |#|                                            |copy|   |####| |####|
///                    |<- start-up: no part of the window -------->|
class SetupTimes {
 public:
  explicit SetupTimes(const Profile& profile);

  /// How long, from its start, the call in that row sets up the device; 0 for others.
  Ns operator[](std::size_t call) const {
    const auto found = times_.find(call);
    return found == times_.end() ? 0 : found->second;
  }
  /// The time in which the profiler itself starts up; usually 0.
  Ns start_up() const { return start_up_; }
  /// The setup calls by row; there are few.
  const std::map<std::size_t, Ns>& calls() const { return times_; }

 private:
  void FindStartUp(const Profile& profile);

  std::map<std::size_t, Ns> times_;
  Ns start_up_ = 0;
};

/// In a profile without iterations, flags the calls that only set up the device and end before the
/// window, so that they are skipped like the rest of that time. By row of the profile's calls;
/// empty without such calls. REQUIRES: `iterations` are those of the profile.
std::vector<bool> CallsBeforeWindow(const Profile& profile, const Iterations& iterations);

/// By row of the profile's threads: whether it makes launches.
std::vector<bool> LaunchingThreads(const Profile& profile);

// The threads whose waits for input data delay the iterations.

/// Returns for each thread whether it has iteration markers, or launches at least a twentieth of
/// the busiest thread's kernels. Threads that only prefetch data delay no rank, even if they
/// normalize batches with a kernel or two. Returns all threads if none qualifies.
std::vector<bool> FindLoopThreads(const Profile& profile);

// One-off time: time that a few iterations take above the usual of all.

/// Returns `times` of iterations, with rare large values reduced to the largest usual one. Rare
/// values are at most `once.share` of all (but at least one may be), and each is more than
/// `once.stands_out` times the largest usual one. `calls`: numbers of calls in each iteration, or
/// empty. An iteration with more than twice the calls of all others is a different kind, and keeps
/// its time. Fewer than `least` times stay unchanged.
///
///   times   10 12 11 90 10 11 12 10 11 10      one of ten is more than 3 × 12
///   usual   10 12 11 12 10 11 12 10 11 10      OnlyOnce() is 78
std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls = {},
                            knowledge::Count least = knowledge::kOnceLeastIterations);

/// The one-off part of `times`: their sum minus the sum of WithoutOnce(). Usually 0.
Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls = {},
            knowledge::Count least = knowledge::kOnceLeastIterations);

}  // namespace profgauge::analysis::iterations
