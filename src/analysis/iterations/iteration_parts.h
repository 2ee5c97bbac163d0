// The steps by which markers become iterations: iteration_work.cc assigns device work to them, and
// from that finds when each begins and ends. iteration_parts.cc drops iterations that the profile's
// edges cut, and counts lost work. Internal to FindIterations(); iterations.h states the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// A range of iterations between which the profiler did not pause.
struct RecordedPart {
  std::size_t first = 0, last = 0;  ///< Indices: [first, last).
  Ns start = 0;                     ///< A time in the pause before it; for the first part the
                                    ///< smallest time.
};

/// Returns, for each of the spans (disjoint, in order), the longest time without an event in it; an
/// empty one at the span's start if events cover it. O(n log n) in events inside, O(1) for each
/// other event.
std::vector<Span> LongestSilence(const Profile& profile, std::span<const Span> spans);

/// Splits the iterations at pauses of the profiler; usually there is one part. A pause is assumed
/// between two markers if their distance exceeds the median length of markers, no event is recorded
/// for as long, and their numbers are not consecutive. If most markers are that far apart, there is
/// one part: they are just shorter than the iterations that they mark. O(n log n), in events only
/// if markers are apart.
std::vector<RecordedPart> RecordedParts(const Profile& profile, const Iterations& iterations);

/// The extent of each iteration's device events, except for events that extend no iteration
/// (Iterations::behind). `any`: whether any event belongs to any iteration.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

/// Returns for each thread whether its launches can belong to the iterations that the thread
/// `marking` marks. A process that works only on other GPUs has separate iterations.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking);

/// Sets `of_device`, `behind` and each iteration's `device_events`: from the recorded launch, and
/// for work without one from its neighbors in the same part. A launch belongs to an iteration only
/// if the call ends within its host range, except in a range selected by time
/// (IterationsBy::kRange). REQUIRES: `all` has its host ranges, sorted by time.
DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking,
                              std::span<const RecordedPart> parts, Iterations& iterations);

/// Sets each iteration's `time` and `lead_in`, by the rule in iterations.h. Times never overlap.
/// REQUIRES: `of_device` and `reach` are those of MatchDeviceEvents().
///
///   host      |--- 0 ---|--- 1 ---|          as marked
///   device       |##0##|  |###0###|  |##1##|
///   time      |-------- 0 --------|--- 1 --|    0 ends with its last work, and 1 begins there
void SetTimes(const Profile& profile, const DeviceReach& reach, std::span<const RecordedPart> parts,
              Iterations& iterations);

/// Assigns work with an unrecorded launch to the iteration in which it starts. Such work does not
/// change the times that SetTimes() found. Work of a GPU that only other processes use is ignored.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Drops the first and last iterations of each part if their work is cut off. Counts inner
/// iterations that launched work of which none was recorded. `last_is_open`: the last marker has no
/// end. Sets dropped_at_end, dropped_at_start and lost; updates the positions in `of_device`.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    std::span<const RecordedPart> parts, Iterations& iterations);

/// If launches were lost to a relevant extent, sets `launches_lost` and `launches_made`. They count
/// only the processes that lost at least 1 % of their launches.
void CountLostLaunches(const Profile& profile, Iterations& iterations);

/// For how long the last iteration has no event at its end, if nothing follows and that shows
/// that recording ended in it: for over a twentieth of it and for twice as long as any other, or
/// for a quarter of the only one. Otherwise 0. REQUIRES: iterations are marked. O(n log m).
Ns SilentEnd(const Profile& profile, const Iterations& iterations);

// Compares how iterations end on the device. One that is cut off may end with any launch.

/// True if the last iteration of [first, last) ends with the same launches as an earlier one, and
/// these occur only at the end of that one, e.g. those of its optimizer. `of_device`: by device
/// row, the iteration that launched it. REQUIRES: first < last. O(n log n) in launches.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t first, std::size_t last);

}  // namespace profgauge::analysis::iterations
