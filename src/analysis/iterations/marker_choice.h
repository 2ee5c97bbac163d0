// Chooses which recorded markers are the run's iterations if threads or names differ. Readers mark
// rows as HostKind::kIterationMarker by name (rules/knowledge/markers.yaml) and do not choose.
// Parsing of names is in marker_names.h.
//
// A marker around several others is a larger unit, unless these are its parts:
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
  StringId name;  ///< Invalid if it has no name (key ops, ranges).
};

/// Faults of markers of the chosen family. A thread is in one iteration at a time, so overlaps show
/// wrong times.
struct MarkerFaults {
  std::int64_t all = 0;        ///< Markers of the family, including those left out.
  std::int64_t open = 0;       ///< Extend over the next ones: end is set to the next start.
  std::int64_t displaced = 0;  ///< Overlap another, or are left out inside another.
  /// The last marker has no end, though others have: an unfinished iteration, which is no fault.
  std::int64_t unfinished = 0;
  std::int64_t count() const { return open + displaced; }
};

/// If some markers of a family have a length, sets the end of markers without one to the start of
/// the family's next marker. Removes the last one if it has no end, and returns the families of
/// such markers. A family in which no marker has a length stays unchanged.
/// REQUIRES: markers of one thread by start. O(n log n).
std::set<std::string> EndMarkersWithoutLength(const Profile& profile, std::vector<Marker>& markers);

/// Repairs markers that were closed late, mostly by the profiler's stop: a `step 5` that contains
/// `step 6` is ended where `step 6` starts. Returns the number of repairs. REQUIRES:
/// markers of one thread by start, the longest first. O(n log n).
std::int64_t EndOpenMarkers(const Profile& profile, std::vector<Marker>& markers);

/// Counts faults of `kept`, the markers chosen as iterations among `all` of their thread: pairs
/// that overlap by more than 1 % of the shorter one, and omitted markers of the same family.
/// Duplicates are not faults. REQUIRES: both by start, the longest first.
std::int64_t CountDisplaced(const Profile& profile, const std::vector<Marker>& kept,
                            const std::vector<Marker>& all);

/// The time of a row; negative durations count as 0.
Span RowSpan(const HostTable& host, std::size_t row);

/// The markers that divide the run, and information on the others.
struct ChosenMarkers {
  std::vector<Marker> found;  ///< In order of time; empty when there are none.
  ThreadId thread;            ///< Thread of the markers.
  /// If several families were recorded, the used and the ignored ones: "`train #`, not `eval #`".
  /// Else empty.
  std::string families;
  /// Families of outer or inner markers that are not iterations: "`batch #`".
  std::string nested;
  MarkerFaults faults;
};

/// Chooses from the rows of HostKind::kIterationMarker of one thread: the thread with most launches
/// under its markers or, without launches, with most markers. (A loader's workers also mark their
/// batches, and copies of the markers on other threads would count twice.)
///
/// A marker around several others is a larger unit, e.g. an epoch or the whole run. But if their
/// numbers rise and all have the same names inside (`step 7` around `batch 0` to `batch 2`), the
/// inner ones are parts. If a marker contains only one other, e.g. a duplicate, the outer counts.
///
/// Consecutive parts are merged into one iteration: parts of one number (`iter 0 fwd`, `iter 0
/// bwd`; `fwd_step 0`, `bwd_step 0`), or a few alternating names (`step1_forward`,
/// `step2_backward`). Otherwise one family is used, i.e. names that differ only in their number:
/// the one with most time (training, not the evaluation in between).
///
/// O(n log n) in markers and launches; one walk over the host table if there are no markers.
ChosenMarkers ChooseMarkers(const Profile& profile);

}  // namespace profgauge::analysis::iterations
