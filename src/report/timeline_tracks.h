// Collects events for a Timeline: their kinds, their tracks and lanes,
// and the row of the profile of each.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "report/report.h"

namespace profgauge::report {

struct TimelineEvent {
  /// The table of the profile that `row` is of.
  enum class Of : std::uint8_t { kNone, kDevice, kCall, kInstruction, kPacket, kHost, kPath };
  Ns start = 0, duration = 0;
  std::uint32_t kind = 0;
  std::uint32_t row = 0;
  Of of = Of::kNone;
  Ns end() const { return start + duration; }
};

/// Which row of the profile an event is.
struct TimelineRow {
  std::uint32_t row = 0;
  TimelineEvent::Of of = TimelineEvent::Of::kNone;
};

/// Numbers of kinds: the same words share one over all ranks.
class TimelineKinds {
 public:
  explicit TimelineKinds(std::vector<Timeline::Kind>& kinds) : kinds_(kinds) {}

  /// The strings of another profile follow.
  void StartProfile() { known_.clear(); }

  /// Properties of a kind. `a` to `d` distinguish kinds of that name and
  /// category: numbers or ids of strings.
  struct Key {
    StringId name;
    Category category = Category::kOther;
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    bool operator==(const Key& other) const = default;
  };
  /// `fill` sets detail and facets of a kind that is new.
  std::uint32_t Find(const Profile& profile, const Key& key,
                     const std::function<void(Timeline::Kind&)>& fill = {});

 private:
  using Words = std::tuple<std::string, Category, std::string, std::vector<std::string>, double>;
  std::vector<Timeline::Kind>& kinds_;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  boost::unordered_flat_map<Key, std::uint32_t, Hash> known_;
  std::map<Words, std::uint32_t> numbers_;
};

/// Puts tracks of one rank after another into a timeline.
class TimelineTracks {
 public:
  explicit TimelineTracks(Timeline& timeline) : timeline_(timeline) {}

  void StartRank(std::int64_t rank);

  /// Nothing when there are no events. Overlapping events get separate lanes, each as deep as
  /// it is nested:
  ///
  ///     lane 0    |==== forward ====|   |== step ==|
  ///     lane 1      |=conv=||=relu=|
  ///
  /// O(n log n). `events` may be in any order.
  void Add(Timeline::Track track, std::vector<TimelineEvent> events);
  /// A row in which nothing happens.
  void AddEmpty(Timeline::Track track);

  /// The properties of this rank's events, in the timeline's order from event first().
  const std::vector<TimelineRow>& rows() const { return rows_; }
  std::size_t first() const { return first_; }
  std::int64_t rank() const { return rank_; }

 private:
  Timeline& timeline_;
  std::vector<TimelineRow> rows_;
  std::size_t first_ = 0;
  std::int64_t rank_ = 0;
};

/// The column of that amount, one value for each event so far; made when it is new.
std::vector<std::int64_t>& FindAmount(Timeline& timeline, std::string_view id,
                                      std::string_view title, Unit unit, bool adds_up = true);

/// If there are more similar tracks than this, the busiest are separate; the others share a
/// section, named "555 more streams".
inline constexpr std::size_t kMostTracks = 16, kBusiestTracks = 12;

/// Beyond these a timeline has no more tracks of one GPU, threads of one rank, or GPUs of one rank:
/// the busiest are drawn, and the others are counted.
inline constexpr std::size_t kMostDrawnTracks = 256, kMostDrawnGpus = 64;

/// Which of the tracks with these busy times are separate.
std::vector<bool> BusiestTracks(const std::vector<Ns>& busy);
/// The `most` largest of `busy`; the earlier of equals.
std::vector<bool> Busiest(const std::vector<Ns>& busy, std::size_t most);

// Which events a timeline of limited size keeps: those of devices, then host events around
// findings, then the longest of the host.

/// The kept events of one rank.
struct TimelineCut {
  Ns device = 0, host = 0;  ///< Shorter ones are left out…
  std::vector<Span> around;  ///< …except for host events that start in one of these; sorted, apart.
  std::size_t device_lost = 0, host_lost = 0;

  bool KeepsDevice(Ns duration) const { return duration >= device; }
  bool KeepsHost(Ns start, Ns duration) const;
};

// Values over time for the timeline: the allocator's total, and how busy each GPU is.

/// Maximum number of points of a drawn counter: the resolution of a screen.
inline constexpr std::size_t kMostCounterPoints = 4000;
/// Counters are whole numbers: shares are kept times this.
inline constexpr double kMillionths = 1'000'000;

// The parts that only a NeuronCore's timeline has: engines with all their instructions, DMA by
// queue, layers as regions, dependencies, amounts; HFU, throughput, memory, throttling and
// semaphores over time.

/// Kinds of Neuron have these facets, in this order.
std::vector<Timeline::Facet> NeuronFacets();

/// REQUIRES: profile.neuron is set, and `tracks` started its rank.
void AddNeuronTracks(const Profile& profile, const TimelineCut& cut, TimelineKinds& kinds,
                     TimelineTracks& tracks);

/// For the rank's events: amounts (columns are made for all events so far) and dependencies.
void AddNeuronAmounts(const Profile& profile, const TimelineTracks& tracks, Timeline& timeline);

// Sampled call stacks as moments of the timeline.

/// By thread, in order of time: one event without length for each sample that the cut keeps, named
/// by the innermost function, with the whole stack as its detail.
std::vector<std::vector<TimelineEvent>> SampleEvents(const Profile& profile, const TimelineCut& cut,
                                                     TimelineKinds& kinds);

}  // namespace profgauge::report
