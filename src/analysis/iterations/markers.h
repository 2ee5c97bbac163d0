// Marks of iterations on the host, and the judged part of a profile without marks. FindMarkers() is
// the one place where the ways are tried one after another:
//
//   1. the range, marker or key operator that the user names
//   2. at least two recorded markers (marker_choice.h)
//   3. the steps of a serving engine; where no marker is recorded also those of an optimizer or a
//      loader, and repetition (derived_markers.h)
//   4. one recorded marker
//   5. nothing: the whole profile is one
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

/// Id of the remark on a run whose last iterations were left out, and are too many to be in flight.
inline constexpr std::string_view kIterationsLost = "iterations-lost";
/// Id of the remark on a run whose first iterations were left out, and are few.
inline constexpr std::string_view kIncompleteStart = "incomplete-start";
/// Id of the remark on markers of which more than a few overlap or run backwards.
inline constexpr std::string_view kMarkersDisplaced = "markers-displaced";
inline constexpr std::string_view kIterationsPartial = "iterations-partial";
inline constexpr std::string_view kProcessesApart = "processes-apart";
/// Id of the remark on ranks without any work on a device, beside others that have some.
inline constexpr std::string_view kRanksWithoutWork = "ranks-without-work";
/// Id of the remark on ranks that nothing divides into iterations, beside others that are.
inline constexpr std::string_view kRanksWithoutMarkers = "ranks-without-markers";
/// Ids of the remarks on runs of which nothing can be judged: no work of a device that was used, no
/// kernel beside copies, and collectives without what the ranks compute.
inline constexpr std::string_view kNoDeviceEvents = "no-device-events";
inline constexpr std::string_view kNoKernels = "no-kernels";
inline constexpr std::string_view kCollectivesOnly = "collectives-only";
/// Id of the remark on device work that may be of any iteration: it comes after them, and its
/// launches were not recorded.
inline constexpr std::string_view kWorkOutside = "work-outside";

/// The marks of one rank, in order of time, with their source.
struct Markers {
  std::vector<Marker> found;  ///< At least one.
  IterationSource source;
  ThreadId thread;  ///< Whose they are; invalid where nothing is marked.
  /// The end of the last one is unknown: it has no length.
  bool last_is_open = false;
  std::string nested = {};  ///< From ChosenMarkers.
  MarkerFaults faults = {};
};

/// The ranges that the selection asks for, else the recorded markers, else those derived from other
/// events, else the whole recording. `without_recorded`: as if none were recorded.
/// Errors: kUsage when the selection's range is empty ("analysis/empty-range"), its marker is no
/// regular expression ("analysis/bad-marker") or matches nothing ("analysis/no-marker"), or its key
/// op occurs less than twice ("analysis/no-key-op").
Result<Markers> FindMarkers(const Profile& profile, const Selection& selection,
                            bool without_recorded = false);

/// Where the device of a profile without markers can be observed.
struct Observable {
  Span window;
  /// How long, directly before the window, the device was busy with work launched before the
  /// profile: from the end of the first device event's launching call to that event.
  Ns backlog = 0;
  /// How long, at the window's start, it may have been: no device event is recorded.
  Ns in_doubt = 0;
};

/// The window holds all recorded device work. It starts with `extent`, the host's activity, or
/// earlier work, unless the device was busy at the profile's start with work launched before
/// it:
///
///   - Its first event has no launch, and all that have none come before those that have one: the
///     window starts with it.
///   - That event starts long after its launching call, for longer than the host was active before
///     the call: the window starts with it. For longer than a tenth of that, the head is in doubt.
///   - A call before it waited for the device: the window starts when that returned.
///
/// The window ends with the last device work. What the host does after it may launch work that was
/// not recorded, or end the program: nothing shows which.
///
/// Where no launch is recorded it is the time of device work, and of the host's that leads up to it
/// without a pause. The head is uncertain. `extent` where no device is recorded.
///
/// Calls that set the device up move the start to their end. O(n log n) in calls and device rows.
Observable FindObservable(const Profile& profile, Span extent);

/// When device work first starts and last ends, except for events that lost their times: readers
/// place those at the origin, without a length. Empty without work.
Span DeviceExtent(const DeviceTable& device);

/// Widens `extent` to hold a range that starts at `start`; negative durations count as 0.
void Extend(std::optional<Span>& extent, Ns start, Ns duration);

// A question about texts of a profile, of which most occur in many rows.

/// Whether the text of `id` satisfies `test`, asked once per distinct text. For tests that keep
/// something, e.g. a compiled pattern; NameMemo (classify/name_memo.h) takes a plain function. Not
/// safe for several threads. `profile` must outlive this.
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
