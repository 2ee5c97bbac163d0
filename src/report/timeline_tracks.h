// Collects events for a Timeline: their kinds, tracks and lanes, and their rows in the profile.
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
  /// The table of the profile that has `row`.
  enum class Of : std::uint8_t { kNone, kDevice, kCall, kInstruction, kPacket, kHost, kPath };
  Ns start = 0, duration = 0;
  std::uint32_t kind = 0;
  std::uint32_t row = 0;
  Of of = Of::kNone;
  Ns end() const { return start + duration; }
};

/// The row of the profile that an event shows.
struct TimelineRow {
  std::uint32_t row = 0;
  TimelineEvent::Of of = TimelineEvent::Of::kNone;
};

/// Assigns numbers to kinds; equal ones share a number over all ranks.
class TimelineKinds {
 public:
  explicit TimelineKinds(std::vector<Timeline::Kind>& kinds) : kinds_(kinds) {}

  /// Call it before events of another profile, whose string ids differ.
  void StartProfile() { known_.clear(); }

  /// Properties that identify a kind. `a` to `d` distinguish kinds with the same name and category:
  /// numbers or ids of strings.
  struct Key {
    StringId name;
    Category category = Category::kOther;
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    bool operator==(const Key& other) const = default;
  };
  /// The number of a kind; `fill` sets detail and facets of a new one.
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

/// Adds tracks of one rank after another to a timeline.
class TimelineTracks {
 public:
  explicit TimelineTracks(Timeline& timeline) : timeline_(timeline) {}

  void StartRank(std::int64_t rank);

  /// Adds a track; nothing without events. Overlapping events get separate lanes, by nesting depth:
  ///
  ///     lane 0    |==== forward ====|   |== step ==|
  ///     lane 1      |=conv=||=relu=|
  ///
  /// O(n log n). `events` may be in any order.
  void Add(Timeline::Track track, std::vector<TimelineEvent> events);
  /// Adds a track without events.
  void AddEmpty(Timeline::Track track);

  /// Rows of this rank's events, in the timeline's order from event first() on.
  const std::vector<TimelineRow>& rows() const { return rows_; }
  std::size_t first() const { return first_; }
  std::int64_t rank() const { return rank_; }

 private:
  Timeline& timeline_;
  std::vector<TimelineRow> rows_;
  std::size_t first_ = 0;
  std::int64_t rank_ = 0;
};

/// The column of an amount, with a value for each event so far; created if new.
std::vector<std::int64_t>& FindAmount(Timeline& timeline, std::string_view id,
                                      std::string_view title, Unit unit, bool adds_up = true);

/// If there are more similar tracks than the first number, only the busiest are separate. The
/// others share a section, "555 more streams".
inline constexpr std::size_t kMostTracks = 16, kBusiestTracks = 12;

/// The most drawn tracks of one GPU, threads of one rank, and GPUs of one rank. The busiest are
/// drawn and the others counted.
inline constexpr std::size_t kMostDrawnTracks = 256, kMostDrawnGpus = 64;

/// True for each track that is separate, by busy time.
std::vector<bool> BusiestTracks(const std::vector<Ns>& busy);
/// True for the `most` largest of `busy`; of equal ones, the earlier.
std::vector<bool> Busiest(const std::vector<Ns>& busy, std::size_t most);

// Events that a timeline of limited size keeps: device events, then host events around findings,
// then the longest host events.

/// The kept events of one rank.
struct TimelineCut {
  Ns device = 0, host = 0;   ///< Shorter events are omitted…
  std::vector<Span> around;  ///< …except host events that start in one of these; sorted, disjoint.
  std::size_t device_lost = 0, host_lost = 0;

  bool KeepsDevice(Ns duration) const { return duration >= device; }
  bool KeepsHost(Ns start, Ns duration) const;
};

// Values over time for the timeline: allocated memory, and how busy each GPU is.

/// The most points of a drawn counter, about the resolution of a screen.
inline constexpr std::size_t kMostCounterPoints = 4000;
/// Counters are integers, so shares are multiplied by this.
inline constexpr double kMillionths = 1'000'000;

// Tracks of a NeuronCore: engines with all instructions, DMA by queue, layers as regions,
// dependencies, amounts; HFU, throughput, memory, throttling and semaphores over time.

/// The facets of Neuron kinds, in this order.
std::vector<Timeline::Facet> NeuronFacets();

/// Adds the tracks. REQUIRES: profile.neuron is set, and `tracks` started its rank.
void AddNeuronTracks(const Profile& profile, const TimelineCut& cut, TimelineKinds& kinds,
                     TimelineTracks& tracks);

/// Adds amounts (with values for all events so far) and dependencies of the rank's events.
void AddNeuronAmounts(const Profile& profile, const TimelineTracks& tracks, Timeline& timeline);

// Sampled call stacks as single moments.

/// Makes events by thread, in order of time: one without length per kept sample. Its name is the
/// innermost function, its detail the whole stack.
std::vector<std::vector<TimelineEvent>> SampleEvents(const Profile& profile, const TimelineCut& cut,
                                                     TimelineKinds& kinds);

}  // namespace profgauge::report
