// The timeline section of the report: the events of each rank as lanes, within a budget.
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

// Tracks of a timeline, rank by rank: devices and streams first, then threads, then counters.
//
// Not thread-safe. It reads profiles and writes one Timeline; how much is kept was decided before
// (CutTimeline()), and how it looks is the page's.

/// Events without a separate track, of one kind.
struct Undrawn {
  std::size_t tracks = 0, events = 0;
};

/// Fills one timeline; ranks are added in order. `timeline` and `knowledge` must outlive it. O(n
/// log n) in the events that the cut keeps.
class TimelineBuilder {
 public:
  using Of = TimelineEvent::Of;
  using Events = std::vector<TimelineEvent>;

  TimelineBuilder(Timeline& timeline, const analysis::classify::Knowledge& knowledge)
      : timeline_(timeline), kinds_(timeline.kinds), tracks_(timeline), knowledge_(knowledge) {}

  /// Adds all tracks of one rank. `path`: its longest moves on the critical path, or none.
  void AddRank(const Profile& profile, std::int64_t rank, const TimelineCut& cut,
               const std::vector<analysis::simulation::PathMove>& path);

  /// "99 936 more GPUs with 99 936 events"; empty when all have tracks. `gpus`: the word for
  /// them.
  std::string UndrawnText(const std::string& gpus) const;

 private:
  std::string GpuName(std::int32_t id) const { return TimelineGpuName(*profile_, id); }

  /// The critical path as a track of its own, above the others.
  void AddPath();
  /// A track for each stream of each drawn GPU, with its ranges below it.
  void AddStreams();
  /// Streams of one GPU: the busiest first, the others in a section that is folded.
  void AddGpu(std::int32_t gpu, std::map<std::int64_t, Events>& streams,
              std::map<std::pair<std::int32_t, std::int64_t>, Events>& ranges);
  /// Events of one name, category and configuration look alike and are stored once.
  std::uint32_t DeviceKindOf(std::size_t row, Category category);
  /// Tracks of the host: ranges and calls by thread, Python, the system's calls, cores.
  void AddThreads();

  // Calls of the operating system's libraries, thread by thread.
  void AddOsCalls();

  // The threads on each core, and the reasons of waiting threads.
  void AddCpu();

  bool IsOp(std::size_t row) const { return profile_->host.kind[row] == HostKind::kOp; }

  // Data that the program attached to a range or mark; of ops, which may have arguments instead,
  // too.
  std::string_view AttachedTo(std::size_t row) const;

  // Properties that distinguish events of one name: shapes of ops, domains of ranges, and attached
  // data of the program.
  std::uint32_t DetailKey(std::size_t row) const;
  /// The text to that key: "[[32, 3]], payload 5".
  std::string DetailOf(std::size_t row) const;

  // Busiest threads first: most readers look for the one that launches the work.
  void AddByThread(std::vector<Events>& threads, TrackType type);
  /// Counts events that no track shows.
  void Leave(std::string_view what, const Events& events);

  // From the events of devices to the calls that launched them, and from the steps of the critical
  // path to the events that contain them.
  void AddLinks();
  /// The bytes of each event of the device.
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
