// The dependency graph of one rank's selected iterations, and its replay.
//
// Steps are the starts and ends of host ranges, runtime calls and device work. A step cannot be
// earlier than its predecessors allow:
//
//   program   the step before on the same thread: calls follow each other, and nest
//   launch    start of the launching call -> start of the device work (all kernels of a graph
//             launch)
//   stream    end of device work -> start of the next on its stream
//   duration  start -> end of one piece of device work, or of a host range that crosses another
//   sync      end of device work -> end of the call that waits for it, or of a spin without a call
//   event     end of device work -> start of another stream's work that waited for it or for room
//   thread    last step of a thread before it is silent -> next step of the thread that goes on
//             (forward and backward pass; threads that alternate)
//
// The *binding* predecessor is the one with the latest recorded time (ties: in the order above,
// then the lower step). Its lag is the recorded difference, and may be negative (work that overlaps
// on a stream, clocks that differ). The lag of every other predecessor is min(0, recorded
// difference). So a replay without changes returns every recorded time exactly, in integer
// nanoseconds.
//
// Python frames are not steps. Unrecorded dependencies have no edge: an unrecorded wait keeps its
// length, whatever happens before it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "analysis/iterations/context.h"
#include "analysis/simulation/flags.h"
#include "base/numbers.h"
#include "knowledge/path.h"

namespace profgauge::analysis::simulation {

/// The table of the profile that holds a step's row.
enum class PathTable : std::uint8_t {
  kHost,
  kApi,
  kDevice,
  kGap,  ///< For scenarios only: idle time of a device (analysis/simulation/scenario_changes.h).
         ///< Owns no step.
};

/// The kinds of dependencies, defined at the top of this file. At ties the first one binds.
enum class PathEdge : std::uint8_t {
  kNone,  ///< No predecessor: the step keeps its recorded time.
  kProgram,
  kLaunch,
  kStream,
  kDuration,
  kSync,
  kEvent,
  kThread,
};

/// The event that starts or ends in a step.
struct PathOwner {
  PathTable table = PathTable::kHost;
  bool is_end = false;
  std::uint32_t row = 0;  ///< In the profile's table.
};

/// The change of one step in a replay.
struct StepChange {
  Ns cut = 0;  ///< By how much the segment ending in it gets shorter; may be negative.
  /// True: the step only follows the one before on its thread, and all other predecessors are
  /// ignored. Its segment is then the time from that step.
  bool is_alone = false;
};

/// The changes of a replay for each step. These are views: their data must outlive it.
struct PathChanges {
  PathChanges() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): changes that consist only of cuts are common.
  PathChanges(const std::vector<Ns>& segments) : cuts(segments) {}
  PathChanges(std::span<const Ns> segments, std::span<const std::uint8_t> steps)
      : cuts(segments), alone(steps) {}

  std::span<const Ns> cuts;             ///< By step; 0 for later steps.
  std::span<const std::uint8_t> alone;  ///< By step; 0 for later steps.

  StepChange Of(std::uint32_t step) const {
    return {step < cuts.size() ? cuts[step] : 0, step < alone.size() && alone[step] != 0};
  }
  /// The change of a step with the given move, which PathChanges does not need.
  StepChange OfMove(std::uint32_t step, Ns /*move*/) const { return Of(step); }
  /// Whether any step from `begin` on may change.
  bool MayChange(std::uint32_t begin, std::size_t /*count*/) const {
    return begin < std::max(cuts.size(), alone.size());
  }
};

/// Read-only after Build(). Keeps a pointer to the rank, which must outlive it.
class PathGraph {
 public:
  using StepId = std::uint32_t;
  static constexpr StepId kNone = kNoIndex;
  /// Possible error, in ns, of the ends of ranges on one thread, if their start and duration are
  /// recorded in whole microseconds.
  static constexpr Ns kResolution = knowledge::kPathRangeResolution.ns();
  static constexpr unsigned kBlockBits = 14;

  /// A dependency of a step on an earlier one.
  struct Edge {
    PathEdge kind = PathEdge::kNone;
    StepId from = kNone;
  };
  /// The first and last step of a selected iteration's range on the host; kNone if there is none.
  /// `lead` and `tail`: by how much the range begins before, and ends after, these steps (e.g. if
  /// it is from Python frames, which are not steps).
  struct IterationSteps {
    StepId begin = kNone, end = kNone;
    Ns lead = 0, tail = 0;
    /// In a profile without markers: the device work, or the end of the setup call, with which the
    /// observed window starts. Such a window ends with device work, and `end` is kNone.
    StepId first_work = kNone;
    /// For an iteration that begins when earlier device work ends: the step that the thread with
    /// most launches has reached at that time, and the thread's last launch. Otherwise kNone.
    StepId launches_from = kNone, launches_to = kNone;
  };

  /// Time of one thread that scenarios do not change. Span lists.
  struct KeptTime {
    std::vector<Span> once;   ///< Code loading, device setup, graph capture.
    std::vector<Span> calls;  ///< The same, waits for the device, and memory calls.
  };

  /// The recorded times of all steps, which equal those of a replay without changes. No copy.
  struct Recorded {
    const PathGraph* graph;
    [[gnu::always_inline]] Ns operator[](StepId step) const { return graph->RecordedAt(step); }
  };
  Recorded recorded() const { return {this}; }

  /// Builds the graph of the rank's selected iterations; without a graph, returns the reason in one
  /// clause. `rank` and its profile must outlive the graph. O(n log n) in the events at worst.
  /// `block_bits`: a block has 2^block_bits steps; tests use small blocks.
  static tl::expected<PathGraph, std::string> Build(const iterations::RankContext& rank,
                                                    unsigned block_bits = kBlockBits);

  std::size_t size() const { return device_steps_ + thread_owners_.size(); }
  std::size_t bytes() const;  ///< Memory of the graph itself.
  std::size_t edges() const;  ///< Number of all edges.
  /// Number of edges that were removed because they would close a cycle.
  std::size_t edges_dropped() const { return dropped_; }
  const iterations::RankContext& rank() const { return *rank_; }
  /// Threads that launch device work without a known dependency on others (rows of the profile's
  /// threads). Changes elsewhere do not move them, so predictions underestimate the effect.
  std::span<const std::uint32_t> free_threads() const { return free_threads_; }

  // Used in the innermost loops of all graph walks. Compilers do not inline them unless forced.
  [[gnu::always_inline]] Ns RecordedAt(StepId step) const {
    const std::uint32_t owner = OwnerWord(step);
    const std::uint32_t row = owner & kRowMask;
    const auto table = static_cast<PathTable>(owner >> kTableShift);
    const Ns length = (owner & kEndBit) != 0 ? std::max<Ns>(DurationOf(table, row), 0) : 0;
    return starts_[owner >> kTableShift][row] + length;
  }
  [[gnu::always_inline]] PathOwner OwnerOf(StepId step) const {
    const std::uint32_t owner = OwnerWord(step);
    return {static_cast<PathTable>(owner >> kTableShift), (owner & kEndBit) != 0, owner & kRowMask};
  }
  /// Returns the recorded predecessor for which the step waited: the latest one. Exception: device
  /// work that starts over 1 us after its stream became free waited for its launch, if the
  /// launching call lasted longer than that.
  [[gnu::always_inline]] Edge BindingOf(StepId step) const {
    const std::uint32_t cross = CrossWord(step);
    if (cross == kNone) return EdgeBefore(step);
    if ((cross & kMany) != 0) return LatestEdge(step);
    if ((cross & kCrossBinds) == 0) return EdgeBefore(step);
    const StepId from = cross & ~kCrossBinds;
    return {CrossKind(step, from), from};
  }
  /// Returns the predecessor that determined the step's time in a replay with the result `times`.
  Edge BindingOf(StepId step, StepChange change, std::span<const Ns> times) const {
    return HasOneEdge(step) || IsAlone(step, change) ? EdgeBefore(step)
                                                     : LatestEdge(step, change.cut, times);
  }
  /// Without changes: the recorded binding edge.
  Edge BindingOf(StepId step, StepChange, Recorded) const { return BindingOf(step); }
  /// The recorded lag of the binding edge: the *segment* that ends in the step. 0 without one.
  Ns SegmentOf(StepId step) const;
  /// The step before on the same thread or stream; kNone for the first of one.
  [[gnu::always_inline]] StepId Before(StepId step) const {
    return IsFirst(step) ? kNone : step - 1;
  }
  [[gnu::always_inline]] Edge EdgeBefore(StepId step) const {
    return Before(step) == kNone ? Edge{} : Edge{BeforeKind(step), step - 1};
  }
  /// Whether EdgeBefore() is the only possible predecessor, as of most steps.
  [[gnu::always_inline]] bool HasOneEdge(StepId step) const {
    if (step >= device_steps_) return (thread_owners_[step - device_steps_] & kHasCross) == 0;
    return (step & 1) != 0 || work_crosses_[step / 2] == kNone;
  }
  /// Whether EdgeBefore() exists and is the only predecessor.
  [[gnu::always_inline]] bool FollowsOne(StepId step) const {
    if (step >= device_steps_) {
      return (thread_owners_[step - device_steps_] & (kHasCross | kFirstBit)) == 0;
    }
    return (step & 1) != 0 || (work_crosses_[step / 2] == kNone && !first_works_[step / 2]);
  }
  /// By step, the recorded time since the step before it; a replay needs only this number of a step
  /// that is FollowsOne(). kNoMove for starts of device work, for steps with several predecessors,
  /// and if the number does not fit: a tenth of all steps.
  std::span<const std::uint32_t> moves() const { return moves_; }
  static constexpr std::uint32_t kNoMove = 0xFFFF'FFFF;
  /// Steps [0, device_steps()) are the device's: the start of its work, then its end.
  StepId device_steps() const { return static_cast<StepId>(device_steps_); }
  /// The first step of each thread; the last entry is the first of the ends that are on no chain.
  std::span<const StepId> thread_begins() const { return thread_begins_; }
  /// For each thread, the time that a change of operators or launches cannot shorten.
  std::span<const KeptTime> kept_times() const { return kept_times_; }
  /// Calls `visit(Edge)` for all predecessors: the step before, then those on other chains.
  template <class Visit>
  void ForEachEdge(StepId step, Visit visit) const {
    if (Before(step) != kNone) visit(EdgeBefore(step));
    ForEachElsewhere(step, [&](StepId from) { visit(Edge{CrossKind(step, from), from}); });
  }
  /// Whether the thread was silent before this step (SilentSteps() in derived_waits.h): the profile
  /// does not show whether the host worked, or waited for the device.
  bool IsSilent(StepId step) const {
    return std::binary_search(silent_.begin(), silent_.end(), step);
  }
  /// Whether the range of the host table is a data loader's or inside of one.
  bool IsInDataLoader(HostId range) const { return range.valid() && in_loader_[range.value]; }

  /// The times of all steps under the changes; without changes, as recorded. O(steps + edges).
  std::vector<Ns> Replay(const PathChanges& changes) const;
  /// Returns the new time of a step that has predecessors on other chains. `recorded`: its recorded
  /// time; `cut`: by how much its segment is shortened; `time_of(step)`: the time of a predecessor.
  template <class TimeOf>
  [[gnu::always_inline]] inline Ns TimeAfter(StepId step, Ns recorded, Ns cut,
                                             TimeOf time_of) const;
  /// Returns when the selected iterations begin and end in a replay, by their definition. For the
  /// recorded times these are the recorded iterations.
  std::vector<Span> IterationsAt(std::span<const Ns> times) const;
  std::vector<Span> IterationsAt(Recorded times) const;
  /// The step that ends the last selected iteration in a replay with these results; or kNone.
  StepId LastStep(std::span<const Ns> times, std::span<const Span> spans) const;
  StepId LastStep(Recorded times, std::span<const Span> spans) const;
  /// For the selected iterations, in their order.
  std::span<const IterationSteps> iterations() const { return iterations_; }

  /// Ranges of steps, [first, second), in an order in which predecessors come first. They follow
  /// the recorded times: threads and streams advance together, by about a block each.
  std::span<const std::pair<StepId, StepId>> runs() const { return runs_; }
  /// A block has 2^block_bits() steps.
  unsigned block_bits() const { return block_bits_; }
  /// By block, the number of edges from its steps, except those to the directly following step.
  std::span<const std::uint32_t> edges_from_blocks() const { return edges_from_blocks_; }
  /// Calls `visit(from)` for the predecessors on other chains.
  template <class Visit>
  void ForEachElsewhere(StepId step, Visit visit) const {
    ForEachOf(CrossWord(step), visit);
  }
  /// Calls `visit(from)` for the predecessors on other chains of all steps [begin, end).
  template <class Visit>
  void ForEachElsewhere(StepId begin, StepId end, Visit visit) const;

 private:
  friend class PathGraphBuilder;

  // Each step has two integers, called words; its time is in the profile. The owner word is stored
  // for a step of a thread, and computed for device work. The cross word is kNone for most steps of
  // threads and all ends of device work. Otherwise it is a step on another chain, with kCrossBinds
  // if that binds; or, for several such steps, kMany | index into many_.
  //
  //   owner word   bits 31-30 table | 29 is end | 28 first of its thread | 27-0 row of the table
  //                A thread's table is kHost or kApi, so that bit 31 is free: kHasCross.
  //   cross word   kMany | index   or   kCrossBinds? | step (below 2^30)   or   kNone
  static constexpr std::uint32_t kMany = 0x8000'0000, kCrossBinds = 0x4000'0000;
  static constexpr std::uint32_t kTableShift = 30, kEndBit = 1u << 29, kFirstBit = 1u << 28;
  static constexpr std::uint32_t kRowMask = kFirstBit - 1;
  static constexpr std::uint32_t kHasCross = 1u << 31;  // Only in words of threads.
  static constexpr unsigned kPlaceBits = 6;             // A place has 2^kPlaceBits steps.

  // kFirstBit is set only in words of threads.
  [[gnu::always_inline]] std::uint32_t OwnerWord(StepId step) const {
    if (step >= device_steps_) return thread_owners_[step - device_steps_] & ~kHasCross;
    return static_cast<std::uint32_t>(PathTable::kDevice) << kTableShift |
           ((step & 1) != 0 ? kEndBit : 0) | RowOfWork(step / 2);
  }
  [[gnu::always_inline]] std::uint32_t RowOfWork(StepId work) const {
    return work_rows_.empty() ? work : work_rows_[work];
  }
  [[gnu::always_inline]] bool IsFirst(StepId step) const {
    if (step >= device_steps_) return (thread_owners_[step - device_steps_] & kFirstBit) != 0;
    return (step & 1) == 0 && first_works_[step / 2];
  }
  template <class Visit>
  [[gnu::always_inline]] void ForEachOf(std::uint32_t cross, Visit visit) const {
    if (cross == kNone) return;
    if ((cross & kMany) == 0) return visit(cross & ~kCrossBinds);
    const std::size_t at = cross & ~kMany;
    for (std::size_t i = 1; i <= many_[at]; ++i) visit(many_[at + i]);
  }
  [[gnu::always_inline]] std::uint32_t CrossWord(StepId step) const {
    if (step < device_steps_) return (step & 1) != 0 ? kNone : work_crosses_[step / 2];
    return HasOneEdge(step) ? kNone : thread_crosses_[PlaceOf(step)].second;
  }
  /// REQUIRES: a step of a thread that has a cross word.
  std::size_t PlaceOf(StepId step) const {
    std::size_t at = cross_places_[(step - device_steps_) >> kPlaceBits];
    while (thread_crosses_[at].first != step) ++at;
    return at;
  }
  [[gnu::always_inline]] Ns DurationOf(PathTable table, std::uint32_t row) const {
    switch (table) {
      case PathTable::kHost:
        return profile_->host.duration[row];
      case PathTable::kApi:
        return profile_->api.duration[row];
      case PathTable::kDevice:
      case PathTable::kGap:
        break;
    }
    return profile_->device.duration[row];
  }
  Edge LatestEdge(StepId step) const;
  Edge LatestEdge(StepId step, Ns cut, std::span<const Ns> times) const;
  Edge StreamOrLaunch(StepId step, Edge stream) const;
  [[gnu::always_inline]] PathEdge BeforeKind(StepId step) const {
    if (step >= device_steps_) return PathEdge::kProgram;
    return (step & 1) != 0 ? PathEdge::kDuration : PathEdge::kStream;
  }
  [[gnu::always_inline]] PathEdge CrossKind(StepId step, StepId from) const {
    const bool from_device = from < device_steps_;
    if (step < device_steps_) return from_device ? PathEdge::kEvent : PathEdge::kLaunch;
    if (from_device) return PathEdge::kSync;
    // The end of a range that crosses another depends only on the start of that range.
    constexpr std::uint32_t kOwn = kFirstBit | kEndBit;
    return (OwnerWord(step) & kOwn) == kOwn ? PathEdge::kDuration : PathEdge::kThread;
  }
  bool IsAlone(StepId step, StepChange change) const {
    return change.is_alone && Before(step) != kNone;
  }
  template <class Times>
  StepId LastStepIn(Times times, std::span<const Span> spans) const;

  const iterations::RankContext* rank_ = nullptr;
  const Profile* profile_ = nullptr;
  std::array<const Ns*, 3> starts_{};  // By PathTable.
  // Steps are in the order of streams, then threads; each stream or thread in its own order.
  std::size_t device_steps_ = 0;             // Steps [0, device_steps_) are the device's.
  std::vector<std::uint32_t> work_rows_;     // Row of each work; empty: work i is row i.
  std::vector<std::uint32_t> work_crosses_;  // By work: the cross word of its start.
  Flags first_works_;                        // By work: whether it is the first on its stream.
  std::vector<std::uint32_t> thread_owners_;
  std::vector<std::uint32_t> moves_;                              // By step.
  std::vector<std::pair<StepId, std::uint32_t>> thread_crosses_;  // Step and cross word, by step.
  // By place: the first entry in thread_crosses_.
  std::vector<std::uint32_t> cross_places_;
  std::vector<StepId> many_;                     // Lists: the number of steps, then the steps.
  std::vector<std::pair<StepId, StepId>> runs_;  // Predecessors first.
  std::vector<IterationSteps> iterations_;       // The selected ones.
  std::vector<std::uint32_t> free_threads_;
  std::vector<StepId> thread_begins_;
  std::vector<KeptTime> kept_times_;
  std::vector<std::uint32_t> edges_from_blocks_;
  unsigned block_bits_ = kBlockBits;
  Flags in_loader_;  // By row of the host table.
  std::vector<StepId> silent_;
  std::size_t dropped_ = 0;
};

template <class TimeOf>
Ns PathGraph::TimeAfter(StepId step, Ns recorded, Ns cut, TimeOf time_of) const {
  const std::uint32_t word = CrossWord(step);
  if ((word & kMany) == 0 && Before(step) != kNone) {  // The usual case: one on another chain.
    const StepId cross = word & ~kCrossBinds;
    const bool cross_binds = cross != word;
    const StepId binding = cross_binds ? cross : step - 1, other = cross_binds ? step - 1 : cross;
    const Ns bound = time_of(binding) + (recorded - RecordedAt(binding)) - cut;
    return std::max(bound, time_of(other) + std::min<Ns>(0, recorded - RecordedAt(other)));
  }
  const Edge binding = BindingOf(step);
  if (binding.from == kNone) return recorded;
  Ns time = time_of(binding.from) + (recorded - RecordedAt(binding.from)) - cut;
  ForEachEdge(step, [&](const Edge& edge) {
    if (edge.from == binding.from) return;
    const Ns lag = std::min<Ns>(0, recorded - RecordedAt(edge.from));
    time = std::max(time, time_of(edge.from) + lag);
  });
  return time;
}

template <class Visit>
void PathGraph::ForEachElsewhere(StepId begin, StepId end, Visit visit) const {
  const auto device_end = std::min(end, device_steps());
  for (StepId start = begin + (begin & 1); start < device_end; start += 2) {
    ForEachOf(work_crosses_[start / 2], visit);
  }
  const auto after = [](const auto& cross, StepId step) { return cross.first < step; };
  for (auto at = std::lower_bound(thread_crosses_.begin(), thread_crosses_.end(), begin, after);
       at != thread_crosses_.end() && at->first < end; ++at) {
    ForEachOf(at->second, visit);
  }
}

}  // namespace profgauge::analysis::simulation
