// The timeline section of the report: the events of each rank as lanes, within a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/classify/knowledge.h"
#include "analysis/path/replayer.h"
#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

/// The critical path of one rank.
struct TimelinePath {
  const Profile* profile = nullptr;
  analysis::path::PathMoves moves;
};

/// Moves of the paths of all ranks together: the number that a page can show.
inline constexpr std::size_t kMostPathMoves = 20'000;

struct TimelineOptions {
  enum class Mode : std::uint8_t { kOff, kAuto, kFull };
  Mode mode = Mode::kAuto;
  /// Events of all ranks together that kAuto keeps; ranks share it evenly (timeline_tracks.h).
  /// Timeline::left_out counts the others.
  std::size_t budget = 300'000;
  /// Those of the analysis, so that both color a kernel alike.
  analysis::classify::Knowledge knowledge;
  std::vector<Timeline::Mark> marks;
  /// For ranks whose path is known; its steps are a separate track, each linked to the event that
  /// contains it.
  std::vector<TimelinePath> paths;
};

/// Tracks of a rank in this order: the devices' streams, threads (busiest first), Python stacks.
/// `report` has the findings, so that events around them are kept. Where ranks have no
/// events to draw `left_out` says why. Time: O(n log n) in the events that are kept, linear in the
/// others.
Timeline BuildTimeline(std::span<const Profile> ranks, const Report& report,
                       const TimelineOptions& options);

// The timelines of two runs on one axis.

/// One of them. `anchor`: its moment that is aligned with the other's.
struct TimelineOfRun {
  Timeline timeline;
  Ns anchor = 0;
  std::string_view name;  ///< Groups of tracks begin with it.
};

/// All tracks of `base`, then those of `current`. Nothing of either is changed but when it was: the
/// one whose anchor is earlier is moved. Facets and peaks stay where both have the same.
///
///     base       |--A-------|                   anchor A at 3
///     current    |------A-------|               anchor A at 7
///     stacked        |--A-------|               base moved by 4
///                |------A-------|
Timeline StackTimelines(TimelineOfRun base, TimelineOfRun current);

}  // namespace profgauge::report
