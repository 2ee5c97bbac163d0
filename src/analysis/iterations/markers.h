// Marks of iterations on the host, and the judged part of a profile without marks. Only
// FindMarkers() tries the ways in order:
//
//   1. the range, marker or key operator that the user names
//   2. at least two recorded markers (marker_choice.h)
//   3. the steps of a serving engine; without any recorded marker also those of an optimizer or a
//      loader, and repetition (derived_markers.h)
//   4. one recorded marker
//   5. none: the whole profile is one iteration
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/iterations/marker_choice.h"
#include "base/interval.h"
#include "model/iteration_source.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::analysis::iterations {

/// Id of the remark that the last iterations were dropped, and are too many to have been in flight.
inline constexpr std::string_view kIterationsLost = "iterations-lost";
/// Id of the remark that a few first iterations were dropped.
inline constexpr std::string_view kIncompleteStart = "incomplete-start";
/// Id of the remark that more than a few markers overlap or run backward.
inline constexpr std::string_view kMarkersDisplaced = "markers-displaced";
inline constexpr std::string_view kIterationsPartial = "iterations-partial";
inline constexpr std::string_view kProcessesApart = "processes-apart";
/// Id of the remark on ranks without device work, while other ranks have some.
inline constexpr std::string_view kRanksWithoutWork = "ranks-without-work";
/// Id of the remark on ranks without iteration markers, while other ranks have some.
inline constexpr std::string_view kRanksWithoutMarkers = "ranks-without-markers";
/// Ids of the remarks on runs that cannot be judged: no work on a device that was used, copies but
/// no kernels, collectives without the ranks' computation, and hardly any work.
inline constexpr std::string_view kNoDeviceEvents = "no-device-events";
inline constexpr std::string_view kNoKernels = "no-kernels";
inline constexpr std::string_view kCollectivesOnly = "collectives-only";
inline constexpr std::string_view kAlmostEmpty = "almost-empty";  ///< On NeuronCores.
/// Id of the remark on device work after the iterations that may belong to any of them, since its
/// launches were not recorded.
inline constexpr std::string_view kWorkOutside = "work-outside";

/// The marks of one rank, in order of time, with their source.
struct Markers {
  std::vector<Marker> found;  ///< At least one.
  IterationSource source;
  ThreadId thread;  ///< Thread of the marks; invalid without marks.
  /// The last mark has no length, because its end is unknown.
  bool last_is_open = false;
  std::string nested = {};  ///< From ChosenMarkers.
  MarkerFaults faults = {};
};

/// Returns the ranges that the selection requests; without a request the recorded markers, ranges
/// derived from other events, or the whole profile. `without_recorded` ignores recorded markers.
/// Errors: kUsage if the selection's range is empty ("analysis/empty-range"), its marker is not a
/// regular expression ("analysis/bad-marker") or matches nothing ("analysis/no-marker"), or its key
/// op occurs less than twice ("analysis/no-key-op").
Result<Markers> FindMarkers(const Profile& profile, const Selection& selection,
                            bool without_recorded = false);

/// The time in which the device can be observed, in a profile without markers.
struct Observable {
  Span window;
  /// How long the device was busy, directly before the window, with work launched before the
  /// profile: from the end of the first device event's launching call to that event.
  Ns backlog = 0;
  /// How long, at the window's start, it may have been busy without a recorded event.
  Ns in_doubt = 0;
};

/// Finds the window, which contains all recorded device work. It starts with `extent` (the host's
/// activity) or earlier work, unless the device may still run work launched before the profile:
///
///   - If the first event has no launch, and all such events precede those with one, the window
///     starts with that event.
///   - If the first event waits after its launching call, for longer than the host was active
///     before that, the window starts with it. If for more than a tenth, the head is in doubt.
///
/// The window ends with the last device work. Later host activity may launch unrecorded work or end
/// the program; the profile does not show which.
///
/// Without any recorded launch, the window is the time of device work, and of host work that leads
/// up to it without a pause; the head is then uncertain. Without device work it is `extent`.
///
/// Calls that set up the device move the start to their end. O(n log n) in calls and device rows.
Observable FindObservable(const Profile& profile, Span extent);

/// From the first start to the last end of device work. Ignores events that lost their times, which
/// readers place at the origin with length 0. Empty without work.
Span DeviceExtent(const DeviceTable& device);

/// Widens `extent` to hold a range that starts at `start`; negative durations count as 0.
void Extend(std::optional<Span>& extent, Ns start, Ns duration);

// Tests of texts in a profile, cached because most texts occur in many rows.

/// Whether the text of `id` satisfies `test`, which runs once per distinct text. For tests with
/// state, e.g. a compiled pattern; NameMemo (classify/name_memo.h) takes a plain function. Not
/// thread-safe. `profile` must outlive this.
class TextTest {
 public:
  TextTest(const Profile& profile, std::function<bool(std::string_view)> test)
      : profile_(profile), test_(std::move(test)), known_(profile.strings.size(), kUnknown) {}
  bool operator()(StringId id) {
    if (!id.valid()) return false;
    char& answer = known_[id.value];
    if (answer == kUnknown) answer = test_(profile_.strings[id]) ? kYes : kNo;
    return answer == kYes;
  }

 private:
  static constexpr char kUnknown = 0, kNo = 1, kYes = 2;
  const Profile& profile_;
  std::function<bool(std::string_view)> test_;
  std::vector<char> known_;
};

}  // namespace profgauge::analysis::iterations
