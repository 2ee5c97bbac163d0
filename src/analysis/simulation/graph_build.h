// Builds the graph: merges the ranges and calls of each thread by start. Internal to the graph.
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

/// A range or a call of the current thread; times in ns from the profile's start.
struct ThreadEvent {
  Ns start = 0, end = 0;
  PathTable table = PathTable::kHost;
  std::uint32_t row = 0;
};

/// Merges the events of one thread after another, in the order of the tables.
class ThreadEvents {
 public:
  /// Takes the events that start within `during`, including its end. `profile` must outlive it.
  ThreadEvents(const Profile& profile, Span during)
      : ranges_(profile.host, PathTable::kHost, during),
        calls_(profile.api, PathTable::kApi, during) {}

  void BeginThread(std::uint32_t thread) {
    thread_ = thread;
    ranges_.Advance(thread);
    calls_.Advance(thread);
  }

  /// The next event of the thread by start; at ties the longer one, then ranges before calls.
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

// Builds a PathGraph in one pass over the rows of a rank, then the order of its replay:
//
//   rows of streams and threads ──► steps, chain by chain ──► edges between chains ──► runs
//
// A *chain* is the sequence of steps of one stream or thread. Edges to other chains are *crosses*.
//
// Steps are numbered chain by chain, streams first. Each device event has two steps, so its start
// has an even number. Example: two calls c1 and c2 launch the kernels a and b:
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
// The chains are [0, 4) and [4, 8). Only steps 0 and 2 have a cross word. If a is 5 shorter, its
// end moves to 4, and b starts at max(4 + 0, 3 + 0) = 4.

/// Builds one graph. `rank` and its profile must outlive the graph, and have a selected iteration.
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
    std::uint32_t thread = kNone;  // Only for threads.
  };
  /// An event of the current thread that has begun and not ended.
  struct Open {
    Ns closes = 0;  // Its end, or the end of its container if that is earlier.
    ThreadEvent event;
  };

  // --- Steps are numbered in the order in which they are emitted: device first, then threads.

  /// Adds two steps for a row of device work: its start and its end.
  void EmitWork(std::uint32_t row, bool is_first);
  /// Adds one step of a thread. `is_first`: it is the first of its chain.
  void Emit(PathTable table, bool is_end, std::uint32_t row, bool is_first);
  /// The number that the next step will have.
  StepId Next() const { return static_cast<StepId>(graph_.size()); }

  /// The start step of device work, or kNone.
  StepId StepOfWork(std::uint32_t row) const {
    return has_all_work_ ? 2 * row : step_of_device_[row];
  }

  /// Adds an edge from `from` to the step with the cross word `cross`. Most steps have no such
  /// edge, and most others have one, which fits into the word; several are stored as a list in
  /// many_.
  void AddCross(std::uint32_t& cross, StepId from);
  /// Adds an edge to the start of device work.
  void AddToWork(StepId start, StepId from) { AddCross(graph_.work_crosses_[start / 2], from); }
  /// Adds an edge to a step of a thread. These are few, and stored after all are found.
  void AddToThread(StepId step, StepId from) { thread_edges_.emplace_back(step, from); }

  /// Stores the cross words of the steps of threads, sorted by step. cross_places_ gets one entry
  /// for each 2^kPlaceBits steps.
  void StoreThreadEdges();

  // REQUIRES: the step has a cross word.
  std::uint32_t& CrossWord(StepId step);
  void DropCross(StepId step);

  /// Whether the row belongs to a selected iteration, or runs in the window.
  bool HasDeviceRow(std::uint32_t row) const;
  /// Adds one chain for each stream, with its rows in order.
  void AddDevice();

  // Adds an edge if the thread waited silently before the step. `around`: the innermost event
  // between the step before and this step, or null. REQUIRES: the step is not its thread's first.
  void AddSilentWait(StepId step, const ThreadEvent* around);
  /// Stores a period without an event in which the thread may spin until its last launch has run.
  /// AddSpinWaits() decides it once the thread's median period is known.
  void NoteStretch(StepId step, const ThreadEvent* around);
  /// Whether the range or a range around it belongs to a data loader.
  bool LoadsData(HostId range) const;

  // Adds edges for the spin waits of the thread with the steps [begin, end).
  void AddSpinWaits(StepId begin, StepId end);
  /// Emits the end of the innermost open event, with edges from all that it waited for.
  void Close();
  /// Emits the start of an event, after the ends of the open events that end before it. If ranges
  /// of a thread cross, the later range's end leaves the chain: it follows only its own start.
  ///
  ///   range A   |------------|
  ///   range B         |------------|     chain: A, B, end of A; apart: end of B after B
  void OpenEvent(const ThreadEvent& event, StepId first);
  /// Adds one chain for each thread, then one for ends of crossing ranges. O(n) in the events.
  void AddThreads();

  // --- Edges.

  // Calls `work(begin, end)` for parts of `count` rows; parts run in parallel.
  template <class Work>
  static void ForEachPart(std::size_t count, Work work);

  // Links the first work of a call to the call's begin. Most calls have no other work.
  void LinkFirst(std::uint32_t row, std::uint32_t call, StepId step);
  /// Adds edges from a launching call to its other work: a graph launch has many kernels. O(device
  /// rows), in parallel: each row has its own word, and LinkFirst() has set the first edges.
  void LinkLaunches();

  // The step that starts the call, whose first work is `first`; or kNone.
  StepId LaunchOf(std::uint32_t first, std::uint32_t call) const;
  /// Adds edges between work on different streams: waits for events, or for a free slot.
  void LinkStreams();
  /// The chains of threads.
  std::vector<ThreadSteps> Threads() const;
  /// Adds edges between threads that hand over work (thread_links.h). Stores the threads for which
  /// no such edge is found.
  void AddThreadLinks();

  // --- The order of the replay.

  /// The chain of a step. O(log chains).
  std::size_t ChainOf(StepId step) const;

  // Returns the first predecessor on another chain that has no place in the order yet, or kNone. If
  // `drops_` is set, removes edges that would close a cycle. REQUIRES: the step can have
  // predecessors besides the step before.
  StepId FirstMissing(StepId step);

  // Runs a chain up to `stop`. If it needs a step of another chain, that chain runs up to it first.
  void RunChain(std::size_t chain, StepId stop);

  // Calls `run(chain)` for all chains, threads first: they run ahead of the device, so chains
  // switch less often.
  template <class RunOne>
  void ForEachChain(RunOne run);
  /// Resets every chain to its first step. `drops`: edges that would close a cycle are removed.
  void BeginSchedule(bool drops);

  // Finds the order. It does not affect whether a cycle exists, but which of its edges is removed.
  void Schedule();

  // Advances all chains together, so that a replay soon has the data that other chains need.
  void ScheduleByTime();

  // The end times of the slices: within a slice no chain has more steps than a block.
  std::vector<Ns> Slices() const;

  // Returns a time that nearly sorts the steps of a chain. Ends of crossing ranges, which are on a
  // separate chain, have the start of their range.
  Ns OrderOf(StepId step) const;

  // The first step of the chain, from its cursor on, that is in a later slice than `until`.
  StepId StopOf(std::size_t chain, Ns until) const;

  // Stores the lists of predecessors in many_.
  void StoreMany();

  // Calls `visit` for all cross words, which may be kNone.
  template <class Visit>
  void ForEachCrossWord(Visit visit);
  /// Marks the binding edge of each step, so that a replay need not determine it again.
  void MarkBinding();
  /// Fills PathGraph::moves(). REQUIRES: all crosses are known.
  void FindMoves();
  /// Counts the edges from each block: a replay keeps a block's times until all were read.
  void CountEdges();
  /// Finds the ranges of data loaders, and all ranges within them.
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
  boost::unordered_flat_map<std::uint32_t, StepId> steps_of_calls_;  // If their first work is no
                                                                     // step.
  std::vector<std::pair<StepId, StepId>> thread_edges_;  // To the first, from the second.
  std::vector<SilentStretch> stretches_;                 // Possible spins of the current thread.
  std::uint32_t last_launch_ = kNone;  // Device row that the current thread launched last.
  std::vector<std::vector<StepId>> many_;
  std::vector<Open> open_;
  std::vector<std::pair<ThreadEvent, StepId>> crossing_;
  std::vector<std::size_t> detached_;                  // Ends of each thread's crossing ranges.
  std::vector<StepId> cursor_;                         // By chain: the first step not yet placed.
  std::vector<bool> waiting_;                          // By chain: whether it is on the stack.
  std::size_t near_ = 0;                               // Chain that the last lookup found.
  std::vector<std::pair<std::size_t, StepId>> stack_;  // Chains, and their last steps.
  bool drops_ = false;
  std::size_t circles_ = 0;  // Edges that would close a cycle.
};

}  // namespace profgauge::analysis::simulation
