// The ranges and calls of each thread in the order in which they begin. Internal to the graph.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/simulation/derived_waits.h"
#include "analysis/simulation/graph.h"
#include "analysis/simulation/thread_links.h"
#include "analysis/simulation/waits.h"
#include "model/profile.h"

namespace profgauge::analysis::simulation {

/// A range or a call of the current thread, ns from the profile's start.
struct ThreadEvent {
  Ns start = 0, end = 0;
  PathTable table = PathTable::kHost;
  std::uint32_t row = 0;
};

/// Threads come one after the other, as the tables have them.
class ThreadEvents {
 public:
  /// The events that begin in `during`, its end too. `profile` must outlive it.
  ThreadEvents(const Profile& profile, Span during)
      : ranges_(profile.host, PathTable::kHost, during),
        calls_(profile.api, PathTable::kApi, during) {}

  void BeginThread(std::uint32_t thread) {
    thread_ = thread;
    ranges_.Advance(thread);
    calls_.Advance(thread);
  }

  /// The next of the thread in the order of starts, the longer first, ranges before calls.
  std::optional<ThreadEvent> Next() {
    const std::optional<ThreadEvent> range = ranges_.next(), call = calls_.next();
    const bool takes_range = range && (!call || range->start < call->start ||
                                       (range->start == call->start && range->end >= call->end));
    if (takes_range) {
      ranges_.Advance(thread_);
      return range;
    }
    if (call) calls_.Advance(thread_);
    return call;
  }

 private:
  template <class Table>
  class OneTable {
   public:
    OneTable(const Table& table, PathTable which, Span during)
        : table_(table), which_(which), during_(during) {}

    const std::optional<ThreadEvent>& next() const { return next_; }
    void Advance(std::uint32_t thread) {
      next_.reset();
      for (; row_ < table_.size() && table_.thread[row_].value == thread; ++row_) {
        const Ns start = table_.start[row_];
        if (start < during_.start || start > during_.end) continue;
        next_ = {start, start + std::max<Ns>(table_.duration[row_], 0), which_, row_};
        ++row_;
        return;
      }
    }

   private:
    const Table& table_;
    PathTable which_;
    Span during_;
    std::uint32_t row_ = 0;
    std::optional<ThreadEvent> next_;
  };

  OneTable<HostTable> ranges_;
  OneTable<ApiTable> calls_;
  std::uint32_t thread_ = 0;
};

// Builds a PathGraph in one pass over the rows of a rank, and then the order of its replay:
//
//   rows of streams and threads ──► steps, chain by chain ──► edges between chains ──► runs
//
// A *chain* is the steps of one stream or thread, each after the one before. Edges to other chains
// are *crosses*.
//
// Steps are numbered chain by chain: the streams first, two steps for each piece of work, so that
// its start has an even number. Two calls c1 and c2 that launch the kernels a and b:
//
//   time      0    2    4    6    8    10   12   14
//   thread    [c1---][c2---]
//   stream              [a----------][b----------]
//
//   step           recorded   binding predecessor   lag   other predecessors
//   0 start of a      4       launch, step 4         4
//   1 end of a        9       duration, step 0       5
//   2 start of b      9       stream, step 1         0    launch, step 6, with lag 0
//   3 end of b       14       duration, step 2       5
//   4 start of c1     0       none
//   5 end of c1       3       program, step 4        3
//   6 start of c2     3       program, step 5        0
//   7 end of c2       6       program, step 6        3
//
// The chains are [0, 4) and [4, 8). Only steps 0 and 2 have a cross word. If a takes 5 less, its
// end moves to 4, and b starts at max(4 + 0, 3 + 0) = 4.

/// For one graph. `rank` and its profile must outlive the graph, and have a selected iteration.
/// O(n log n) in the events at worst; mostly O(n).
class PathGraphBuilder {
 public:
  PathGraphBuilder(const iterations::RankContext& rank, unsigned block_bits)
      : rank_(rank),
        profile_(*rank.profile),
        waits_(profile_),
        waits_in_silence_(waits_.WaitsInSilence()),
        host_{rank.iterations.selected().front().host.start,
              rank.iterations.selected().back().host.end} {
    graph_.rank_ = &rank;
    graph_.profile_ = &profile_;
    graph_.starts_ = {profile_.host.start.data(), profile_.api.start.data(),
                      profile_.device.start.data()};
    graph_.block_bits_ = block_bits;
  }

  PathGraph Run();

 private:
  using StepId = PathGraph::StepId;
  static constexpr StepId kNone = PathGraph::kNone;

  /// Steps [begin, end), each after the one before it.
  struct Chain {
    StepId begin = 0, end = 0;
    std::uint32_t thread = kNone;  // For a thread.
  };
  /// An event of the current thread that began and has not ended.
  struct Open {
    Ns closes = 0;  // Its end, or that of its container if that is earlier.
    ThreadEvent event;
  };

  // --- Steps are numbered in the order in which they are emitted: device first, then threads.

  /// Two steps for a row of device work, its start and its end.
  void EmitWork(std::uint32_t row, bool is_first);
  /// One step of a thread. `is_first`: it follows no other on its chain.
  void Emit(PathTable table, bool is_end, std::uint32_t row, bool is_first);
  /// The number that the next step will have.
  StepId Next() const { return static_cast<StepId>(graph_.size()); }

  /// The start of device work, or kNone.
  StepId StepOfWork(std::uint32_t row) const {
    return has_all_work_ ? 2 * row : step_of_device_[row];
  }

  /// Adds an edge from `from` to the step whose cross word this is. Most steps have none and most
  /// of the others one, which fits the word itself; from the second on they are a list of many_.
  void AddCross(std::uint32_t& cross, StepId from);
  /// To the start of device work.
  void AddToWork(StepId start, StepId from) { AddCross(graph_.work_crosses_[start / 2], from); }
  /// To a step of a thread. They are few, and stored when all are known.
  void AddToThread(StepId step, StepId from) { thread_edges_.emplace_back(step, from); }

  /// Gives threads' steps their cross words, sorted by step, with a place for each 2^kPlaceBits
  /// steps.
  void StoreThreadEdges();

  // REQUIRES: the step has one.
  std::uint32_t& CrossWord(StepId step);
  void DropCross(StepId step);

  /// Whether the row is of a selected iteration, or runs in the window.
  bool HasDeviceRow(std::uint32_t row) const;
  /// One chain for each stream, by its rows in order.
  void AddDevice();

  // REQUIRES: the step is not the first of its thread. `around`: the innermost event between the
  // step before and it, or null.
  void AddSilentWait(StepId step, const ThreadEvent* around);
  /// Notes time without an event in which the thread may spin until its last launch has run: which
  /// of them do is known when the thread's usual pause is, see AddSpinWaits().
  void NoteStretch(StepId step, const ThreadEvent* around);
  /// Whether the range or one around it is a data loader's.
  bool LoadsData(HostId range) const;

  // The thread of these steps.
  void AddSpinWaits(StepId begin, StepId end);
  /// Emits the end of the innermost open event, after all that it waited for.
  void Close();
  /// Emits the start of an event, after the ends of those that end before it. Where ranges of a
  /// thread cross each other, the later one's end leaves the chain: it only follows its own start.
  ///
  ///   range A   |------------|
  ///   range B         |------------|     chain: A, B, end of A; apart: end of B after B
  void OpenEvent(const ThreadEvent& event, StepId first);
  /// One chain for each thread, then one for the ends of its crossing ranges. O(n) in its events.
  void AddThreads();

  // --- Edges.

  // Calls `work(begin, end)` for parts of `count` rows, side by side.
  template <class Work>
  static void ForEachPart(std::size_t count, Work work);

  // The first work of a call gets its edge as the call begins, most have no other.
  void LinkFirst(std::uint32_t row, std::uint32_t call, StepId step);
  /// Edges from a launching call to its other work: a graph launch has many kernels. O(device
  /// rows), on several threads: each row has a word of its own, and first edges were set by
  /// LinkFirst().
  void LinkLaunches();

  // The step in which the call begins that launched `first` before other work, or kNone.
  StepId LaunchOf(std::uint32_t first, std::uint32_t call) const;
  /// Edges to work from work of other streams that it waited for, by events or for room in a queue.
  void LinkStreams();
  /// The chains that are threads.
  std::vector<ThreadSteps> Threads() const;
  /// Edges between threads that hand work over (thread_links.h), and the threads that none
  /// explains.
  void AddThreadLinks();

  // --- The order of the replay.

  /// The chain that a step is of. O(log chains).
  std::size_t ChainOf(StepId step) const;

  // The predecessor on another chain that has not been placed, or kNone. Edges that would close a
  // circle are kept or removed, by `drops_`.
  // REQUIRES: the step can have others than the one before.
  StepId FirstMissing(StepId step);

  // Runs a chain up to `stop`; where it needs a step of another, that one up to there, and so on.
  void RunChain(std::size_t chain, StepId stop);

  // Calls `run(chain)` for all. Threads first: they run ahead of the device, so that few turns are
  // taken.
  template <class RunOne>
  void ForEachChain(RunOne run);
  /// Every chain at its begin. `drops`: edges that would close a circle are removed.
  void BeginSchedule(bool drops);

  // Whether there is a circle does not depend on the order of turns, but which of its edges goes.
  void Schedule();

  // Chains advance together, so that a replay soon has the data that others need of a step.
  void ScheduleByTime();

  // When slices of the order end: no chain has more steps than a block in one.
  std::vector<Ns> Slices() const;

  // Times that give nearly the order of a chain's steps. Those of ranges that cross others,
  // each off its thread's chain, are in the order of the ranges' begins.
  Ns OrderOf(StepId step) const;

  // The first step of the chain from its cursor on that belongs to a later slice.
  StepId StopOf(std::size_t chain, Ns until) const;

  // Lists of predecessors, one after the other.
  void StoreMany();

  // Some of them kNone.
  template <class Visit>
  void ForEachCrossWord(Visit visit);
  /// Marks the one edge of a step that it waited for, so that a replay need not look again.
  void MarkBinding();
  /// PathGraph::moves(). REQUIRES: all crosses are known.
  void FindMoves();
  /// How many edges begin in each block: until they have been read a replay keeps its times.
  void CountEdges();
  /// Ranges of data loaders, and all in them.
  void FindLoaderRanges();
  void FindKeptTimes(const std::vector<ThreadSteps>& threads);

  const iterations::RankContext& rank_;
  const Profile& profile_;
  WaitFinder waits_;
  bool waits_in_silence_;
  EventWaits event_waits_of_{waits_};
  std::vector<EventWait> event_waits_;
  Span host_;  // The selected iterations' extent on the host.
  ThreadEvents events_{profile_, host_};
  PathGraph graph_;
  std::vector<Chain> chains_;
  bool has_all_work_ = false;           // All rows of the device table are steps.
  std::vector<StepId> step_of_device_;  // Steps of the starts; empty if all rows are steps.
  boost::unordered_flat_map<std::uint32_t, StepId> steps_of_calls_;  // Whose first work is no step.
  std::vector<std::pair<StepId, StepId>> thread_edges_;  // From the second to the first.
  std::vector<SilentStretch> stretches_;  // Parts of the current thread in which it may spin.
  std::uint32_t last_launch_ = kNone;     // Device row that the current thread launched last.
  std::vector<std::vector<StepId>> many_;
  std::vector<Open> open_;
  std::vector<std::pair<ThreadEvent, StepId>> crossing_;
  std::vector<std::size_t> detached_;  // By thread: where its crossing ranges end.
  std::vector<StepId> cursor_;         // By chain: the first step that has not had its turn.
  std::vector<bool> waiting_;          // By chain: whether it is on the stack.
  std::size_t near_ = 0;               // A chain.
  std::vector<std::pair<std::size_t, StepId>> stack_;  // Chains, and where their turns end.
  bool drops_ = false;
  std::size_t circles_ = 0;  // Edges that would close one.
};

}  // namespace profgauge::analysis::simulation
