// The iterations of a rank. Most metrics are per iteration, so a wrong boundary makes all of them
// wrong. markers.h decides which markers divide the profile; iteration_parts.h matches device work
// to the iterations.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/marker_choice.h"
#include "base/interval.h"
#include "base/numbers.h"
#include "model/iteration_source.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// No iteration, for rows of `of_device`; equal to Iterations::kNone.
inline constexpr std::uint32_t kNoIteration = kNoIndex;

// Device work that iterations do not wait for.

/// Returns the rows of device work that extend no iteration:
///
/// - copies and memsets that still run when all kernels of the next iteration on their GPU are
///   done, e.g. those of an asynchronous checkpoint;
/// - work of any kind on a stream that is not the main one, under three conditions: the next
///   iteration's kernels run beside it on the main stream, they do not wait for it, and the next
///   iteration has no work on that stream. Examples: snapshots, averages of weights and outer
///   all-reduces every few iterations. Work that every iteration has on a stream is waited for. The
///   main stream of a GPU has most time in kernels that do not communicate;
/// - on streams with such work, work that outlives the kernels of the last iteration.
///
///   kernels      |###0###|###1###|###2###|
///   copies             |---- checkpoint ----|    of 0, outlives the kernels of 1: extends none
///   copies             |-d2h-|                   of 0, done before 1 is: 0 lasts until its end, if
///                                                1 copies on that stream, too, or waits for it
///
/// `of_device`: by row, the iteration that launched it, or kNoIteration. O(n log n).
boost::unordered_flat_set<std::uint32_t> WorkBehind(const Profile& profile,
                                                    std::span<const std::uint32_t> of_device);

// Iterations: where each begins and ends, which are selected, and the resulting window.
//
// The interval rule is that of the TensorBoard plug-in (StepParser in its event_parser.py), but
// markers copied onto the GPU do not count. An iteration begins at max(previous end, host start)
// and ends with the last device event launched in it. Two additions: First, an iteration waits for
// earlier work (launched before it, or without a recorded launch) that is running or queued at its
// beginning; that time belongs to the previous iteration. Host work before the first launch belongs
// to the iteration. Second, work that delays no iteration extends none, e.g. an asynchronous
// checkpoint or work on a separate stream every few iterations: WorkBehind().
//
// Device work with an unrecorded launch belongs to the iteration that launched its neighbors on the
// stream. If these do not determine it, it belongs to the iteration in which it begins, and extends
// none.
//
// A profile without markers is one iteration: the time in which the device can be observed, which
// contains all device work and ends with it (FindObservable in analysis/iterations/markers.h).

/// One iteration of one rank. Times are ns from the profile's start. If the device is more than one
/// iteration late, `time` begins after the end of `host`.
struct Iteration {
  std::string name;  ///< "5" of ProfilerStep#5; the position if the marker has no number.
  Span host;         ///< As marked.
  Span time;         ///< From its beginning to the end of its last device event.
  Ns lead_in = 0;    ///< By how much earlier work delays its beginning.
  /// Launched in it; or begun in it, if the launch is unrecorded but others are recorded.
  std::int64_t device_events = 0;
};

/// All iterations of one rank and the selected ones. There is at least one: a profile without
/// markers is one iteration. Positions (`first`, `last`, `of_device`) are indices into `all`.
struct Iterations {
  static constexpr std::uint32_t kNone = kNoIndex;

  std::vector<Iteration> all;        ///< In time order; `time` never overlaps. At least one.
  bool is_whole = false;             ///< No markers: the single iteration holds all work.
  bool has_numbers = false;          ///< Names are the numbers that the markers recorded.
  std::vector<std::string> partial;  ///< Numbers that a rank of the run has not recorded: excluded.
  std::size_t first = 0, last = 0;   ///< Selected: [first, last).
  bool everything = true;            ///< The selection is everything: tables cover the whole trace.
  Span window;                       ///< [start of the first selected, end of the last).
  IterationSource source;
  std::string nested;  ///< Families of outer or inner markers: ChosenMarkers.
  /// The family of recorded markers that was ignored because its ranges contain no device work.
  std::string without_work;
  std::int64_t lacking = 0;           ///< Iterations of the run that this rank has not recorded.
  std::int64_t dropped_at_end = 0;    ///< Trailing iterations without (enough) device events.
  std::int64_t dropped_at_start = 0;  ///< Leading iterations whose work is not in the profile.
  std::int64_t lost = 0;              ///< Iterations in `all` without work of their launches.
  std::int64_t launches_lost = 0;     ///< In the whole profile: model/lost_launches.h.
  std::int64_t launches_made = 0;     ///< All launches of the processes that lost some.
  /// Without markers: launches after all recorded work, of all (model/lost_launches.h).
  std::int64_t launches_behind = 0, launches_seen = 0;
  Ns silent_end = 0;                     ///< SilentEnd() of the only marked iteration.
  MarkerFaults marker_faults;            ///< Faults of the markers.
  Ns in_doubt = 0;                       ///< Observable::in_doubt of a profile without markers.
  std::vector<std::uint32_t> of_device;  ///< By device row: its iteration, or kNone.
  /// Device rows that extend no iteration: WorkBehind(), and work with an unrecorded launch in
  /// iterations with launches (MatchByStart()).
  boost::unordered_flat_set<std::uint32_t> behind;

  std::span<const Iteration> selected() const {
    return std::span(all).subspan(first, last - first);
  }
  bool SelectsIteration(std::uint32_t index) const { return index >= first && index < last; }
  bool SelectsDevice(std::uint32_t row) const {
    return everything || (of_device[row] != kNone && SelectsIteration(of_device[row]));
  }
  bool SelectsHostTime(Ns at) const { return everything || SelectsIteration(AtHostTime(at)); }
  /// Whether this row belongs to a selected iteration and can extend it.
  bool Extends(std::uint32_t row) const {
    return SelectsIteration(of_device[row]) && (behind.empty() || !behind.contains(row));
  }
  /// Whether metrics and values per iteration include this row or host work at this time: it is in
  /// the selected iterations.
  bool CountsDevice(std::uint32_t row) const {
    return is_whole || (of_device[row] != kNone && SelectsIteration(of_device[row]));
  }
  bool CountsHostTime(Ns at) const { return is_whole || SelectsIteration(AtHostTime(at)); }
  /// The iteration whose host range contains `at`, or kNone. O(log n).
  std::uint32_t AtHostTime(Ns at) const;
  /// The iteration whose interval `time` contains `at`, or kNone. O(log n).
  std::uint32_t AtTime(Ns at) const;
  /// Sum of the selected iterations' lengths; at most window.length().
  Ns SelectedTime() const;
};

/// Looks up the iterations of many times, fast if the times mostly ascend: each function first
/// tries the previous answer, then calls the function of Iterations with the same name.
class IterationCursor {
 public:
  /// `iterations` must outlive it unchanged.
  explicit IterationCursor(const Iterations& iterations) : iterations_(iterations) {}

  std::uint32_t AtHostTime(Ns at) {
    if (Holds(at, &Iteration::host)) return last_;
    return Keep(iterations_.AtHostTime(at));
  }
  std::uint32_t AtTime(Ns at) {
    if (Holds(at, &Iteration::time)) return last_;
    return Keep(iterations_.AtTime(at));
  }
  bool CountsHostTime(Ns at) {
    return iterations_.is_whole || iterations_.SelectsIteration(AtHostTime(at));
  }

 private:
  // An end may be equal to the next start; such times are searched again.
  bool Holds(Ns at, Span Iteration::*span) const {
    if (last_ == Iterations::kNone) return false;
    const Span& known = iterations_.all[last_].*span;
    const std::size_t next = last_ + std::size_t{1};
    return at >= known.start && at < known.end &&
           (next == iterations_.all.size() || at < (iterations_.all[next].*span).start);
  }
  std::uint32_t Keep(std::uint32_t found) {
    if (found != Iterations::kNone) last_ = found;
    return found;
  }

  const Iterations& iterations_;
  std::uint32_t last_ = Iterations::kNone;
};

/// Finds the iterations of one profile. Errors: kUsage if the selection matches no iteration or a
/// marker is not a regular expression. O(n log n) in events.
Result<Iterations> FindIterations(const Profile& profile, const Selection& selection);

/// Finds the recorded numbers that all ranks of a run have in common; ranks without numbers are
/// ignored. For runs larger than memory, only this is stored of each rank.
class CommonIterations {
 public:
  /// REQUIRES: no iterations of the rank were excluded.
  void Add(const Iterations& rank);
  void Add(const CommonIterations& others);
  /// Whether every rank has all numbers.
  bool AreAll() const { return Partial().empty(); }
  /// Removes iterations that not all ranks have; none if no number is common.
  void Limit(Iterations& rank) const;

 private:
  std::vector<std::string> Partial() const;  // In the order of their numbers.

  std::map<std::string, std::size_t> counts_;  // Ranks by number.
  std::size_t ranks_ = 0;
};

/// Links ranks to other ranks of their run that are not in memory.
struct IterationsOfRun {
  const CommonIterations* all = nullptr;  ///< If set: iterations are limited to these.
  CommonIterations* found = nullptr;      ///< If set: numbers of these ranks are added.
};

/// Finds the iterations of several ranks, and keeps those whose recorded numbers all ranks have, so
/// that positions mean the same on every rank. Ranks without numbers, or without common ones, keep
/// all.
Result<std::vector<Iterations>> FindIterations(std::span<const Profile> ranks,
                                               const Selection& selection,
                                               const IterationsOfRun& run = {});

/// The recorded number of the iteration at `position`; without one, the position.
std::int64_t NumberOf(const Iteration& iteration, std::size_t position);

/// Whether any number is smaller than the one before it (a restarted or descending count). Then
/// iterations are ordered by position instead of number.
bool NumbersFall(const Iterations& iterations);

/// For each of `iterations.all`, whether the next one follows directly: their numbers differ by the
/// smallest difference between neighbors (markers may count in fours, or downward). A larger
/// difference shows that the profile skips some. A number against the main direction starts a new
/// count: its predecessor is unknown, and it follows none. The last one has no successor.
///
///   numbers   4  8  12  20  24  0  4
///   follows   y  y  n   y   n   y  n        the least step is 4; 16 was skipped, 0 begins anew
std::vector<bool> FollowsDirectly(const Iterations& iterations);

/// The name of an iteration for users: "ProfilerStep#5 (0)" if the marker's number and the position
/// differ, else "0". `source`: see Iterations.
std::string IterationLabel(const IterationSource& source, std::string_view name,
                           std::int64_t position);

/// Markers of iterations on the host, in order of time, including an incomplete last one; empty if
/// there are none. Errors: as FindIterations().
Result<std::vector<Span>> MarkedIterations(const Profile& profile, const Selection& selection);

}  // namespace profgauge::analysis::iterations
