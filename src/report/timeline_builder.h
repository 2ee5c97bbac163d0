// Tracks of a timeline, rank by rank: devices and streams first, then threads, then counters.
//
// Not thread-safe. It reads profiles and writes one Timeline; how much is kept was decided before
// (CutTimeline()), and how it looks is the page's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/tables.h"
#include "report/timeline.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {

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
               const std::vector<analysis::path::PathMove>& path);

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
  TimelineKinds kinds_;
  TimelineTracks tracks_;
  const analysis::classify::Knowledge& knowledge_;
  const Profile* profile_ = nullptr;
  TimelineCut cut_;
  std::vector<analysis::path::PathMove> path_;
};

}  // namespace profgauge::report
