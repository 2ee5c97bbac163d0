// The iterations of a rank. Nearly every number is one per iteration, so an edge that is wrong here
// is wrong everywhere. Which markers divide the profile is decided by markers.h; which work is
// whose, by iteration_parts.h.
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

/// No iteration: the same as Iterations::kNone, for rows of `of_device`.
inline constexpr std::uint32_t kNoIteration = kNoIndex;

// Device work that iterations do not wait for.

/// Rows of device work that extend no iteration:
///
/// - copies and sets that still run when all kernels of the next iteration on their GPU are done,
///   as those of an asynchronous checkpoint do;
/// - work of streams beside the main one, copies, collectives and kernels alike, beside which the
///   next iteration's kernels run on the main stream, if they do not wait for it and the next
///   iteration has nothing on that stream: of snapshots, averages of weights and outer
///   all-reduces every few iterations. Work that every iteration has on a stream is waited for in
///   its order. The main stream of a GPU is that whose kernels, without those that communicate,
///   take most time: it cannot wait for another one, however few kernels it has;
/// - on the streams of these, work that outlives the kernels of the last iteration.
///
///   kernels      |###0###|###1###|###2###|
///   copies             |---- checkpoint ----|    of 0, runs past the kernels of 1: extends none
///   copies             |-d2h-|                   of 0, done before 1 is: 0 lasts until its end, if
///                                                1 copies on that stream, too, or waits for it
///
/// `of_device`: by row, the iteration that launched it, or kNoIteration. O(n log n).
boost::unordered_flat_set<std::uint32_t> WorkBehind(const Profile& profile,
                                                    std::span<const std::uint32_t> of_device);

// Iterations: where each begins and ends, which are selected, and the window that follows.
//
// The interval rule is the TensorBoard plug-in's (StepParser of its event_parser.py), without its
// counting of markers that were copied onto the GPU: an iteration begins at max(previous end, host
// start) and ends with the last device event launched in it. Unlike there, work from before it,
// launched earlier or without a recorded launch, that is running or queued when it would begin is
// waited for: it belongs to the iteration before. Host work before its first launch stays the
// iteration's. And work that delays none, such as an asynchronous checkpoint or work on a
// separate stream every few iterations, extends no iteration: WorkBehind().
//
// Device work whose launch is not recorded belongs to the iteration that holds the launches of the
// work around it on its stream, as if its own were there. Where these do not show it, it belongs to
// the iteration in which it begins, and extends none.
//
// A profile without markers is one iteration: the time in which the device can be observed, which
// holds all device work and ends with it (FindObservable in analysis/iterations/markers.h).

/// One iteration of one rank. Times are ns from the profile's start. `time` may begin after the end
/// of `host`: the device lags the host by more than an iteration then.
struct Iteration {
  std::string name;  ///< "5" of ProfilerStep#5; the position when the marker has no number.
  Span host;         ///< As marked.
  Span time;         ///< From where it begins to the end of its last device event.
  Ns lead_in = 0;    ///< How much later it begins because of work from before.
  /// Launched in it or, where some launches are recorded and theirs is not, begun in it.
  std::int64_t device_events = 0;
};

/// All iterations of one rank and the selected ones. There is at least one: an undivided profile is
/// one iteration. Positions (`first`, `last`, `of_device`) are indices into `all`.
struct Iterations {
  static constexpr std::uint32_t kNone = kNoIndex;

  std::vector<Iteration> all;        ///< In time order; `time` never overlaps. At least one.
  bool is_whole = false;             ///< Nothing marks iterations: the one there is holds all work.
  bool has_numbers = false;          ///< Names are the numbers that the markers recorded.
  std::vector<std::string> partial;  ///< Numbers missing in some rank of the run: excluded.
  std::size_t first = 0, last = 0;   ///< Selected: [first, last).
  bool everything = true;            ///< Nothing was left out: tables cover the whole trace.
  Span window;                       ///< [start of the first selected, end of the last).
  IterationSource source;
  std::string nested;  ///< Families of markers around or inside: ChosenMarkers.
  /// The family of recorded markers that hold no work of the device and so divide nothing.
  std::string without_work;
  std::int64_t lacking = 0;              ///< Iterations of its run that this rank does not have.
  std::int64_t dropped_at_end = 0;       ///< Trailing iterations without (enough) device events.
  std::int64_t dropped_at_start = 0;     ///< Leading ones, of which the profile has no work.
  std::int64_t lost = 0;                 ///< Of `all`, those of whose launches none has its work.
  std::int64_t launches_lost = 0;        ///< In the whole profile: model/lost_launches.h.
  std::int64_t launches_made = 0;        ///< All launches of those processes.
  MarkerFaults marker_faults;            ///< Faults of the markers.
  Ns in_doubt = 0;                       ///< As Observable's, of a profile without markers.
  std::vector<std::uint32_t> of_device;  ///< Per device row: iteration that launched it, or kNone.
  /// Device rows that extend no iteration: WorkBehind(), and work without a launch in iterations
  /// that have launches (MatchByStart()).
  boost::unordered_flat_set<std::uint32_t> behind;

  std::span<const Iteration> selected() const {
    return std::span(all).subspan(first, last - first);
  }
  bool SelectsIteration(std::uint32_t index) const { return index >= first && index < last; }
  bool SelectsDevice(std::uint32_t row) const {
    return everything || (of_device[row] != kNone && SelectsIteration(of_device[row]));
  }
  bool SelectsHostTime(Ns at) const { return everything || SelectsIteration(AtHostTime(at)); }
  /// Whether a selected iteration, that which launched it, lasts until this row's end.
  bool Extends(std::uint32_t row) const {
    return SelectsIteration(of_device[row]) && (behind.empty() || !behind.contains(row));
  }
  /// Whether metrics, and all values per iteration, count this row or the host's work
  /// then: it is in the selected iterations.
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

/// Finds the iterations of many moments that come mostly in order: as the functions of Iterations
/// with these names, which it asks where the last answer is false.
class IterationCursor {
 public:
  /// `iterations` must outlive it, and stay as they are.
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
  // Ends and the starts of the next ones may touch: those are looked up.
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

/// Errors: kUsage when the selection matches no iteration or a marker is not a regular expression.
/// O(n log n) in events.
Result<Iterations> FindIterations(const Profile& profile, const Selection& selection);

/// By their recorded numbers, which iterations all ranks of a run have. Ranks without numbers do
/// not count. Of a run that is too large for the memory this is what is kept of each rank.
class CommonIterations {
 public:
  /// REQUIRES: nothing was left out of the rank's iterations.
  void Add(const Iterations& rank);
  void Add(const CommonIterations& others);
  /// Whether each rank has each of them.
  bool AreAll() const { return Partial().empty(); }
  /// Leaves those out of the rank's that not all ranks have; nothing where none are common.
  void Limit(Iterations& rank) const;

 private:
  std::vector<std::string> Partial() const;  // In the order of their numbers.

  std::map<std::string, std::size_t> counts_;  // Ranks by number.
  std::size_t ranks_ = 0;
};

/// What ranks have to do with those of their run that are not in memory with them.
struct IterationsOfRun {
  const CommonIterations* all = nullptr;  ///< If known: iterations are limited to these.
  CommonIterations* found = nullptr;      ///< If wanted: theirs are added.
};

/// The same of several ranks: those whose recorded numbers all of them have, so that positions mean
/// the same everywhere. Ranks without numbers, or none in common, are left as they are.
Result<std::vector<Iterations>> FindIterations(std::span<const Profile> ranks,
                                               const Selection& selection,
                                               const IterationsOfRun& run = {});

/// The number that the marker of the iteration at `position` recorded, else the position.
std::int64_t NumberOf(const Iteration& iteration, std::size_t position);

/// Whether a number is less than the one before it: a count that starts again, or runs down. Then
/// positions order the iterations, not numbers.
bool NumbersFall(const Iterations& iterations);

/// For each of `iterations.all`, whether the next one follows it: their numbers differ by the least
/// that neighbors differ by (markers may count in fours, or down). Where they differ by more, the
/// profile skips some. One that goes back, against the direction of most, begins a new count: what
/// came before it is unknown, and it follows none. The last one is followed by none.
///
///   numbers   4  8  12  20  24  0  4
///   follows   y  y  n   y   n   y  n        the least step is 4; 16 was skipped, 0 begins anew
std::vector<bool> FollowsDirectly(const Iterations& iterations);

/// The name of an iteration for users: "ProfilerStep#5 (0)" where the number that the marker has
/// and the position differ, else "0". `source`: see Iterations.
std::string IterationLabel(const IterationSource& source, std::string_view name,
                           std::int64_t position);

/// Markers of iterations on the host, in order of time, with the last even if it is incomplete;
/// empty when there are none. Errors: as FindIterations.
Result<std::vector<Span>> MarkedIterations(const Profile& profile, const Selection& selection);

}  // namespace profgauge::analysis::iterations
