// Makes the timeline of the report: the events of each rank in lanes, within a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/knowledge.h"
#include "analysis/simulation/replayer.h"
#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "model/tables.h"
#include "report/report.h"
#include "report/timeline_counters.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {

/// The critical path of one rank.
struct TimelinePath {
  const Profile* profile = nullptr;
  analysis::simulation::PathMoves moves;
};

/// The most moves of critical paths, over all ranks, that a page can show.
inline constexpr std::size_t kMostPathMoves = 20'000;

struct TimelineOptions {
  enum class Mode : std::uint8_t { kOff, kAuto, kFull };
  Mode mode = Mode::kAuto;
  /// The most events over all ranks with kAuto, shared evenly by ranks (timeline_tracks.h).
  /// Timeline::left_out counts the others.
  std::size_t budget = 300'000;
  /// The knowledge of the analysis, so that both color a kernel equally.
  analysis::classify::Knowledge knowledge;
  std::vector<Timeline::Mark> marks;
  /// Ranks with a known critical path. Its steps are a separate track, each linked to the event
  /// that contains it.
  std::vector<TimelinePath> paths;
};

/// Makes the tracks of each rank: streams of devices, threads (busiest first), Python stacks.
/// `report` has the findings, around which events are kept. If there are no events to draw,
/// `left_out` has the reason. Time: O(n log n) in the kept events, linear in the others.
Timeline BuildTimeline(std::span<const Profile> ranks, const Report& report,
                       const TimelineOptions& options);

// Two runs on one axis.

/// The timeline of a run. `anchor`: the moment that is aligned with the other run's.
struct TimelineOfRun {
  Timeline timeline;
  Ns anchor = 0;
  std::string_view name;  ///< Prefix of its groups of tracks.
};

/// Joins all tracks of `base`, then those of `current`. Only times change: the run with the earlier
/// anchor is moved. Facets and peaks stay if both runs have the same.
///
///     base       |--A-------|                   anchor A at 3
///     current    |------A-------|               anchor A at 7
///     stacked        |--A-------|               base moved by 4
///                |------A-------|
Timeline StackTimelines(TimelineOfRun base, TimelineOfRun current);

// Tracks of a timeline, rank by rank: devices and streams, then threads, then counters.
//
// Not thread-safe. It reads profiles and writes one Timeline. CutTimeline() decides which events
// are kept, and the page decides on their look.

/// Number of tracks and events of one kind that are not drawn.
struct Undrawn {
  std::size_t tracks = 0, events = 0;
};

/// Fills one timeline; ranks are added in order. `timeline` and `knowledge` must outlive it. O(n
/// log n) in the kept events.
class TimelineBuilder {
 public:
  using Of = TimelineEvent::Of;
  using Events = std::vector<TimelineEvent>;

  TimelineBuilder(Timeline& timeline, const analysis::classify::Knowledge& knowledge)
      : timeline_(timeline), kinds_(timeline.kinds), tracks_(timeline), knowledge_(knowledge) {}

  /// Adds all tracks of one rank. `path`: its longest moves on the critical path, or empty.
  void AddRank(const Profile& profile, std::int64_t rank, const TimelineCut& cut,
               const std::vector<analysis::simulation::PathMove>& path);

  /// "99 936 more GPUs with 99 936 events"; empty if all are drawn. `gpus`: the term for GPUs.
  std::string UndrawnText(const std::string& gpus) const;

 private:
  std::string GpuName(std::int32_t id) const { return TimelineGpuName(*profile_, id); }

  /// Adds the critical path as a separate track, above the others.
  void AddPath();
  /// Adds a track for each stream of each drawn GPU, with its ranges below it.
  void AddStreams();
  /// Adds the streams of one GPU: the busiest, then the others in a folded section.
  void AddGpu(std::int32_t gpu, std::map<std::int64_t, Events>& streams,
              std::map<std::pair<std::int32_t, std::int64_t>, Events>& ranges);
  /// The kind of a device event. Events with the same name, category and configuration share one.
  std::uint32_t DeviceKindOf(std::size_t row, Category category);
  /// Adds the tracks of the host: ranges and calls by thread, Python, system calls, cores.
  void AddThreads();

  // Adds calls of operating system libraries, by thread.
  void AddOsCalls();

  // Adds the threads on each core, and the reasons of waiting threads.
  void AddCpu();

  bool IsOp(std::size_t row) const { return profile_->host.kind[row] == HostKind::kOp; }

  // Returns the data that the program attached to a range, mark or operator. An operator may have
  // its arguments there instead; these are not returned.
  std::string_view AttachedTo(std::size_t row) const;

  // A key that distinguishes events with the same name: shapes of operators, domains of ranges, and
  // attached data.
  std::uint32_t DetailKey(std::size_t row) const;
  /// The text for that key: "[[32, 3]], payload 5".
  std::string DetailOf(std::size_t row) const;

  // Adds busiest threads first, since most readers look for the thread that launches the work.
  void AddByThread(std::vector<Events>& threads, TrackType type);
  /// Counts events that no track shows.
  void Leave(std::string_view what, const Events& events);

  // Links device events to the calls that launched them, and steps of the critical path to the
  // events that contain them.
  void AddLinks();
  /// Adds the bytes of each device event.
  void AddBytes();

  Timeline& timeline_;
  std::map<std::string_view, Undrawn> undrawn_;
  std::int64_t idle_cores_ = 0;  // That have no row.
  TimelineKinds kinds_;
  TimelineTracks tracks_;
  const analysis::classify::Knowledge& knowledge_;
  const Profile* profile_ = nullptr;
  TimelineCut cut_;
  std::vector<analysis::simulation::PathMove> path_;
};

}  // namespace profgauge::report
