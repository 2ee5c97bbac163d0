// Where a profile's edges and pauses show neither the program nor the device, and where the
// profiler held up both: their work at that time is unknown, so it is not judged.
// The iterations keep their length. Idle time, the breakdown and the attribution leave these parts
// out; without that, a profiler's own stop would fail a limit on idle time.
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

/// Parts of the window, in order and apart; mostly none. All but captures only of profiles whose
/// iterations are marked.
///
///   - CaptureParts().
///   - At the beginning: calls that wait for at least 1 ms for the device before its first recorded
/// work. They wait for work launched before the profile, which is not in it. Calls that set
///     the device up are none.
/// - Times of at least 1 ms in which no device works while the profiler starts or stops, as
/// its own calls and frames show, wherever they are. Time without such a call is the program's: a
/// stall counts in the last iteration like in any other.
/// - Between iterations whose numbers jump: times of at least 1 ms in which nothing
///     was recorded. A profiler that pauses leaves them.
/// - Times of at least 1 ms in which no device works while the profiler itself, by its own record,
///     holds up a thread that launches (Nsight Systems flushes its buffers there). Where it does
///     not say which thread (Kineto), while all that launch neither begin nor end anything.
std::vector<Span> UnobservedParts(const Profile& profile, const Iterations& iterations);

/// Parts of the window in which launches are captured into graphs, or the graph is made, and no
/// device works; a span list. A program does that once, so its idle time says nothing of the run.
/// Empty where it is less than a twentieth of the window, where it happens again (more than a tenth
/// of several iterations have a part of it; without iterations, work runs between two captures),
/// and where most launches are captured: such a profile is of no run at all.
/// O(calls log calls + work).
std::vector<Span> CaptureParts(const Profile& profile, const Iterations& iterations);

/// `unobserved`, the time between marked iterations and after the last: copies that none
/// waits for may run there. A span list, of which the last one has no end; where nothing is marked,
/// `unobserved` only.
std::vector<Span> UncountedParts(std::span<const Span> unobserved, const Iterations& iterations);

// Calls in which a process sets its device up: the first ones make the device's context and load
// its code, whatever they are there for. A process does that once, so where nothing marks
// iterations it is no part of the time in which the device is observed.

/// The calls that set the device up: those of at least 50 ms that end before the first work of a
/// device, the call that launched that work if it took as long before the work began, and the
/// start-up of the recording.
///
/// Some profilers prepare themselves in the first call that waits for the device. That is a call
///   - that is the first of its thread to wait or to copy, within 10 ms of the first event or
///   before
///     the 16th launch,
///   - of at least 100 ms, and at least 20 times all others of its kind together,
///   - during which the device does nothing for 95 % of the time, and after which it works.
///
///   host    |launch| |------------ hipMemcpyWithStream ------------||launch| |launch|
///   device      |#|                                            |copy|   |####| |####|
///                    |<- start-up: no part of the window -------->|
class SetupTimes {
 public:
  explicit SetupTimes(const Profile& profile);

  /// For how long, from its start, the call in that row sets the device up; 0 for others.
  Ns operator[](std::size_t call) const {
    const auto found = times_.find(call);
    return found == times_.end() ? 0 : found->second;
  }
  /// The time of the recording's own start-up; 0 mostly.
  Ns start_up() const { return start_up_; }
  /// Those that do, which are few, by row.
  const std::map<std::size_t, Ns>& calls() const { return times_; }

 private:
  void FindStartUp(const Profile& profile);

  std::map<std::size_t, Ns> times_;
  Ns start_up_ = 0;
};

/// By row of the profile's calls: 1 for those that only set up the device in a profile without
/// iterations, and so are skipped with the time before its window; empty where there is none.
/// REQUIRES: `iterations` are those of the profile.
std::vector<bool> CallsBeforeWindow(const Profile& profile, const Iterations& iterations);

/// By row of the profile's threads: whether it makes launches.
std::vector<bool> LaunchingThreads(const Profile& profile);

// The threads whose waiting for input data is the iterations' waiting.

/// By row of the profile's threads: whether it has the markers of iterations or launches kernels,
/// at least a twentieth of the busiest thread's launches. A thread that only fetches data ahead
/// delays no rank, even if it normalizes batches with a kernel or two. All of them, where no
/// thread is known for either.
std::vector<bool> FindLoopThreads(const Profile& profile);

// One-off time, beyond the usual of all iterations.

/// `times` of iterations with rare large ones cut to the next largest: more than
/// `once.stands_out` as long, and at most `once.share` of them (of `least` or more at least one).
/// If iterations differ in their calls (`calls`, none or one number each), one with more than
/// twice the calls of all others is its kind's, however long. Fewer than `least` stay as they are.
///
///   times   10 12 11 90 10 11 12 10 11 10      one of ten is more than 3 × 12
///   usual   10 12 11 12 10 11 12 10 11 10      OnlyOnce() is 78
std::vector<Ns> WithoutOnce(std::vector<Ns> times, std::span<const std::int64_t> calls = {},
                            knowledge::Count least = knowledge::kOnceLeastIterations);

/// The difference of the sums of `times` and WithoutOnce(): the one-off part, 0 mostly.
Ns OnlyOnce(const std::vector<Ns>& times, std::span<const std::int64_t> calls = {},
            knowledge::Count least = knowledge::kOnceLeastIterations);

}  // namespace profgauge::analysis::iterations
