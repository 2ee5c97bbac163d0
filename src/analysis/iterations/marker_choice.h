// Which of the recorded iteration markers are the run's iterations, where threads or names differ.
// Readers mark rows as HostKind::kIterationMarker by name (rules/knowledge/markers.yaml) and choose
// nothing. How names are taken apart is in marker_names.h.
//
// A marker around several others is of something larger, unless those are its parts:
//
//   epoch 0     |------------------------|        step 7     |-----------|  |-----------| step 8
//   step 0..2   |------||------||------|          batch 0..1 |----||----|   |----||----|
//   chosen      the steps                         chosen     the steps: their numbers rise, and
//                                                            each has the same names inside
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/interval.h"
#include "model/profile.h"

namespace profgauge::analysis::iterations {

/// One range on the host; times in ns from the profile's start.
struct Marker {
  Span host;
  StringId name;  ///< Invalid where nothing names it (key ops, ranges).
};

/// Markers of the iterations' own family whose times cannot be: one thread is in one iteration at a
/// time.
struct MarkerFaults {
  std::int64_t all = 0;        ///< Markers of the family, with those left out.
  std::int64_t open = 0;       ///< Last over the next ones: taken to end where the next begins.
  std::int64_t displaced = 0;  ///< Overlap another, or are left out since they are in another.
  /// The last one has no end, though others have: its iteration was not finished. No fault.
  std::int64_t unfinished = 0;
  std::int64_t count() const { return open + displaced; }
};

/// Gives markers without a length one where others of their family have one: they last to the next
/// of the family. The last one is taken out, since nothing shows when it would have ended; families
/// of those are returned. A family without any length is of marks, and stays as it is.
/// REQUIRES: markers of one thread by start. O(n log n).
std::set<std::string> EndMarkersWithoutLength(const Profile& profile, std::vector<Marker>& markers);

/// A marker around the one that follows it in number was closed late, mostly by the profiler's stop
/// (`step 5` around `step 6` to `step 14`): it ends where that begins. Returns how many were
/// repaired. REQUIRES: markers of one thread by start, the longest first. O(n log n).
std::int64_t EndOpenMarkers(const Profile& profile, std::vector<Marker>& markers);

/// Counts faults of `kept`, the markers chosen as iterations among `all` of their thread: pairs
/// that overlap by more than 1 % of the shorter one, and markers of the same family that were left
/// out. Doubled markers are no fault. REQUIRES: both by start, the longest first.
std::int64_t CountDisplaced(const Profile& profile, const std::vector<Marker>& kept,
                            const std::vector<Marker>& all);

/// The time of a row; negative durations count as 0.
Span RowSpan(const HostTable& host, std::size_t row);

/// The markers that divide the run, and remarks on the others.
struct ChosenMarkers {
  std::vector<Marker> found;  ///< In order of time; empty when there are none.
  ThreadId thread;            ///< Whose they are.
  /// Where names of several families were recorded, those that count and those that do not:
  /// "`train #`, not `eval #`". Else empty.
  std::string families;
  /// Families of markers around or inside of those, that are no iterations: "`batch #`".
  std::string nested;
  MarkerFaults faults;
};

/// The rows of HostKind::kIterationMarker of one thread: the one that makes most launches under its
/// markers, else the one with most of them (a loader's workers mark their batches too, and a copy
/// of the markers elsewhere would count them twice).
///
/// A marker around several others is of something larger, an epoch or the whole run, unless its
/// numbers rise while all have the same names inside (`step 7` around `batch 0` to `batch 2`): then
/// those are parts of it. If one is around a single other, like a doubled marker, the outer counts.
///
/// Parts that follow each other are one iteration together: of one number (`iter 0 fwd`, `iter 0
/// bwd`; `fwd_step 0`, `bwd_step 0`), or a few names that take turns (`step1_forward`,
/// `step2_backward`). The rest is of one family, names that differ only in their number: that
/// which covers most time (training, not the evaluation between).
///
/// O(n log n) in markers and launches; one walk over the host table where there are none.
ChosenMarkers ChooseMarkers(const Profile& profile);

}  // namespace profgauge::analysis::iterations
