// The steps in which iterations are made of markers: which device work is of which, from when to
// when each lasts by that (iteration_work.cc), the work that the profile's edges cut off, and
// lost work (iteration_parts.cc). Internal to FindIterations(); the rules that they follow are
// stated in iterations.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// Iterations that were recorded without a pause.
struct RecordedPart {
  std::size_t first = 0, last = 0;  ///< Indices: [first, last).
  Ns start = 0;                     ///< In the pause before it; of the first one the least time.
};

/// The longest time without an event in each of some spans, which are in order and apart. At the
/// span's start and empty where events cover it. O(n log n) in events within, and a look at others.
std::vector<Span> LongestSilence(const Profile& profile, std::span<const Span> spans);

/// The parts between which a profiler paused, in order; one mostly. It paused where the next marker
/// begins later than the median length after the end before, and nothing is recorded for as long;
/// not where its number follows, which shows that no iteration is missing.
/// At least one for at least one iteration. Where most markers are so far apart they are shorter
/// than what they mark, and there is one part. O(n log n), in events only where markers are apart.
std::vector<RecordedPart> RecordedParts(const Profile& profile, const Iterations& iterations);

/// The device events of each iteration, and how far they reach. Events that extend no iteration
/// (Iterations::behind) are left out. `any`: some event is of some iteration.
struct DeviceReach {
  std::vector<std::optional<Span>> of_iteration;
  bool any = false;
};

/// By thread: whether its launches can belong to iterations that `marking` marks. Another process
/// that works only on other GPUs has a separate course.
std::vector<bool> ThreadsOfIterations(const Profile& profile, ThreadId marking);

/// Fills `of_device`, `behind` and each iteration's `device_events` from recorded launches, and
/// from the neighbors of work without one in the same part. A call that ends after its iteration's
/// host range launches for none; of a range that was cut out by its times (IterationsBy::kRange) it
/// counts. REQUIRES: `all` has its host ranges, by time.
DeviceReach MatchDeviceEvents(const Profile& profile, ThreadId marking,
                              std::span<const RecordedPart> parts, Iterations& iterations);

/// Fills each iteration's `time` and `lead_in`, by the rule that iterations.h states. Times never
/// overlap. REQUIRES: `of_device` and `reach` are those of MatchDeviceEvents().
///
///   host      |--- 0 ---|--- 1 ---|          as marked
///   device       |##0##|  |###0###|  |##1##|
///   time      |-------- 0 --------|--- 1 --|    0 ends with its last work, and 1 begins there
void SetTimes(const Profile& profile, const DeviceReach& reach, std::span<const RecordedPart> parts,
              Iterations& iterations);

/// Work whose launch was not recorded belongs to the iteration in which it starts. It extends none,
/// so that iterations keep the lengths that SetTimes() gave them. Work of a GPU that only other
/// processes use stays out.
void MatchByStart(const Profile& profile, ThreadId marking, Iterations& iterations);

/// Leaves out the first and last iterations of each part, whose work its edges cut, and counts
/// those inside of whose launches none has its work. `last_is_open`: nothing ends the last marker.
/// Sets dropped_at_end, dropped_at_start and lost; positions in `of_device` move with those left
/// out.
void DropIncomplete(const Profile& profile, ThreadId marking, bool last_is_open,
                    std::span<const RecordedPart> parts, Iterations& iterations);

/// Sets `launches_lost` and `launches_made`, where enough is lost to matter: over the processes
/// that lost at least 1 % of their launches.
void CountLostLaunches(const Profile& profile, Iterations& iterations);

// How iterations end on the device: an iteration cut off by the end of a profile ends anywhere.

/// Whether the last iteration of [first, last) ends with the launches with which an earlier one of
/// them ends and which that one has nowhere else: such as those of its optimizer. `of_device` has
/// for each device row the iteration that launched it. REQUIRES: first < last. O(n log n) in
/// launches.
bool LastEndsLikeOthers(const Profile& profile, std::span<const std::uint32_t> of_device,
                        std::size_t first, std::size_t last);

}  // namespace profgauge::analysis::iterations
