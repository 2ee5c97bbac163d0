// Functions that replay one graph under changes, for any type with the functions of PathChanges.
//
// A replay that only computes the iterations keeps times no longer than needed: some ten thousand
// of tens of millions of steps.
//
// Steps are simulated in their order. Each takes the latest time that its predecessors require; the
// lag of each edge is from the profile (analysis/simulation/graph.h):
//
//   host    |launch|..........|launch|     launch   start of the call -> start of the kernel
//              :                :
//   device      |#kernel a#|     |#kernel b#|       b starts by `launch`: the host binds
//                          |---->|  stream, with a lag of at most 0
//
// With calls twice as fast, the launch of b comes earlier, until the end of a binds and b cannot
// start earlier. The difference between the ends of the last iteration is the saving.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "analysis/simulation/graph.h"

namespace profgauge::analysis::simulation {

/// One number per step, stored in blocks of steps. A block exists from its first use until it has
/// been released as often as `needs` says.
///
///   block    0       1       2       3
///   state    gone    times   times   not yet     block 0 was released as often as needed: block
///   kept     last_                               3 reuses its memory, its last time is kept
class StepWindow {
 public:
  using StepId = PathGraph::StepId;

  /// `needs`: by block, the number of its releases.
  StepWindow(std::vector<std::uint32_t> needs, unsigned block_bits);

  StepId BlockBegin(StepId step) const { return step & ~mask_; }
  /// The first step of the next block.
  StepId BlockEnd(StepId step) const { return (step | mask_) + 1; }
  bool Has(StepId step) const { return blocks_[step >> bits_] != nullptr; }
  /// Creates the step's block; its numbers are not initialized.
  void Add(StepId step);
  /// REQUIRES: Has(step).
  Ns& operator[](StepId step) const { return blocks_[step >> bits_][step & mask_]; }
  /// The number of the step before, even if its block is gone; undefined for the first step.
  Ns Before(StepId step) const;
  /// REQUIRES: Has(step).
  void Release(StepId step, std::uint32_t count = 1) {
    if ((needs_[step >> bits_] -= count) == 0) Drop(step >> bits_);
  }

 private:
  using Block = std::unique_ptr<Ns[]>;

  void Drop(StepId block);

  unsigned bits_;
  StepId mask_;
  std::vector<std::uint32_t> needs_;
  std::vector<Block> blocks_, spare_;
  std::vector<Ns> last_;  // By released block: its last number.
};

/// By how much steps may be delayed before a selected iteration ends later; kFree if unlimited.
class FirstSlacks {
 public:
  using StepId = PathGraph::StepId;
  static constexpr Ns kFree = std::numeric_limits<Ns>::max() / 2;

  /// `graph` must outlive it.
  explicit FirstSlacks(const PathGraph& graph);

  /// Writes the slacks of the steps [begin, end) to `slacks`.
  void Fill(StepId begin, StepId end, Ns* slacks) const;

 private:
  const PathGraph& graph_;
  std::vector<std::pair<StepId, Ns>> ends_;  // Ends of iterations on the host, in order.
};

/// Finds when the selected iterations begin and end, from step times that arrive in parts.
class IterationTimes {
 public:
  using StepId = PathGraph::StepId;

  /// `graph` must outlive it.
  explicit IterationTimes(const PathGraph& graph);

  /// `times[step]` is defined for the steps [begin, end).
  template <class Times>
  void Take(StepId begin, StepId end, const Times& times);
  /// The iterations, by their definition.
  std::vector<Span> Spans() const;

 private:
  Ns At(StepId step) const;

  const PathGraph& graph_;
  std::vector<Ns> ends_;                      // By iteration: the end of its last device work.
  std::vector<std::pair<StepId, Ns>> marks_;  // Steps that begin or end iterations, in order.
};

/// Number of steps that one query checks for changes. Most long ranges of steps have none.
inline constexpr PathGraph::StepId kChangeAtOnce = 256;

/// Writes the times of the consecutive steps [begin, end) to `times`. `before`: the time of the
/// step before, if there is one; `time_of(step)`: the time of a predecessor elsewhere.
template <class Changes, class TimeOf>
void ReplayRun(const PathGraph& graph, PathGraph::StepId begin, PathGraph::StepId end,
               const Changes& changes, Ns before, TimeOf time_of, Ns* times) {
  const std::span<const std::uint32_t> moves = graph.moves();
  PathGraph::StepId step = begin;
  const auto after = [&](Ns cut) {
    return graph.TimeAfter(step, graph.RecordedAt(step), cut, [&](PathGraph::StepId from) {
      return from + 1 == step ? before : time_of(from);
    });
  };
  while (step < end) {
    const PathGraph::StepId stop = std::min(end, step + kChangeAtOnce);
    if (!changes.MayChange(step, stop - step)) {
      for (; step < stop; ++step) {
        before = moves[step] != PathGraph::kNoMove ? before + moves[step] : after(0);
        *times++ = before;
      }
      continue;
    }
    for (; step < stop; ++step) {
      if (const std::uint32_t move = moves[step]; move != PathGraph::kNoMove) {  // Most steps.
        before += move - changes.OfMove(step, move).cut;
      } else if (const auto [cut, is_alone] = changes.Of(step);
                 is_alone && graph.Before(step) != PathGraph::kNone) {
        before += graph.RecordedAt(step) - graph.RecordedAt(step - 1) - cut;
      } else {
        before = after(cut);
      }
      *times++ = before;
    }
  }
}

/// Replays the graph and returns the times of all steps.
template <class Changes>
std::vector<Ns> ReplayAll(const PathGraph& graph, const Changes& changes) {
  std::vector<Ns> times(graph.size());
  for (const auto& [begin, end] : graph.runs()) {
    ReplayRun(
        graph, begin, end, changes, begin > 0 ? times[begin - 1] : 0,
        [&times](PathGraph::StepId from) { return times[from]; }, &times[begin]);
  }
  return times;
}

/// Calls `visit(step, slack)` for all steps, successors first. The slack is by how much the step
/// could be later, with all else unchanged, before the last selected iteration ends later. O(steps
/// + edges).
template <class Visit>
void VisitSlacks(const PathGraph& graph, Visit visit);
/// Limits the slacks of a step's predecessors by the step's own slack, which is final.
/// `slack_of(step)`: a reference to a predecessor's slack so far.
template <class SlackOf>
void AllowBefore(const PathGraph& graph, PathGraph::StepId step, Ns slack, SlackOf slack_of);

/// For numbers that each step needs only once: a block is released after its steps are processed.
StepWindow WindowOfSteps(const PathGraph& graph);
/// For times of a replay: a block is released after its own steps and all edges from them.
StepWindow WindowOfTimes(const PathGraph& graph);

/// Returns the times of the iterations, like graph.IterationsAt(ReplayAll(graph, changes)).
template <class Changes>
std::vector<Span> ReplayIterations(const PathGraph& graph, const Changes& changes);

// --- Implementation.

template <class Times>
void IterationTimes::Take(StepId begin, StepId end, const Times& times) {
  const iterations::Iterations& known = graph_.rank().iterations;
  for (StepId step = begin | 1; step < std::min(end, graph_.device_steps()); step += 2) {
    const std::uint32_t row = graph_.OwnerOf(step).row;
    if (!known.Extends(row)) continue;
    Ns& last = ends_[known.of_device[row] - known.first];
    last = std::max(last, times[step]);
  }
  const auto after = [](const auto& mark, StepId step) { return mark.first < step; };
  for (auto at = std::lower_bound(marks_.begin(), marks_.end(), begin, after);
       at != marks_.end() && at->first < end; ++at) {
    at->second = times[at->first];
  }
}

template <class Changes>
std::vector<Span> ReplayIterations(const PathGraph& graph, const Changes& changes) {
  StepWindow times = WindowOfTimes(graph);
  IterationTimes found(graph);
  for (const auto& [begin, end] : graph.runs()) {
    for (PathGraph::StepId at = begin, stop = 0; at < end; at = stop) {
      stop = std::min(end, times.BlockEnd(at));
      times.Add(at);
      ReplayRun(
          graph, at, stop, changes, times.Before(at),
          [&times](PathGraph::StepId from) { return times[from]; }, &times[at]);
      found.Take(at, stop, times);
      graph.ForEachElsewhere(at, stop, [&](PathGraph::StepId from) { times.Release(from); });
      times.Release(at, stop - at);
    }
  }
  return found.Spans();
}

template <class SlackOf>
void AllowBefore(const PathGraph& graph, PathGraph::StepId step, Ns slack, SlackOf slack_of) {
  if (slack == FirstSlacks::kFree) return;
  const auto allow = [&](PathGraph::StepId from, Ns most) {
    Ns& known = slack_of(from);
    known = std::min(known, most);
  };
  if (graph.HasOneEdge(step)) {  // Most steps have only this one.
    if (graph.Before(step) != PathGraph::kNone) allow(step - 1, slack);
    return;
  }
  const PathGraph::StepId binding = graph.BindingOf(step).from;
  graph.ForEachEdge(step, [&](const PathGraph::Edge& edge) {
    // By how much the predecessor can be late before this step is later than its slack allows.
    const Ns difference = graph.RecordedAt(step) - graph.RecordedAt(edge.from);
    const Ns room = edge.from == binding ? 0 : std::max<Ns>(0, difference);
    allow(edge.from, slack + room);
  });
}

template <class Visit>
void VisitSlacks(const PathGraph& graph, Visit visit) {
  const FirstSlacks first(graph);
  StepWindow slacks = WindowOfSteps(graph);
  const auto slack_of = [&](PathGraph::StepId step) -> Ns& {
    if (!slacks.Has(step)) {
      slacks.Add(step);
      const PathGraph::StepId begin = slacks.BlockBegin(step);
      const auto size = static_cast<PathGraph::StepId>(graph.size());
      first.Fill(begin, std::min(slacks.BlockEnd(step), size), &slacks[begin]);
    }
    return slacks[step];
  };
  for (auto run = graph.runs().rbegin(); run != graph.runs().rend(); ++run) {
    for (PathGraph::StepId end = run->second, begin = 0; end > run->first; end = begin) {
      begin = std::max(run->first, slacks.BlockBegin(end - 1));
      Ns* const its = &slack_of(begin);
      for (PathGraph::StepId step = end; step-- > begin;) {
        const Ns slack = its[step - begin];
        if (step > begin && graph.FollowsOne(step)) {  // Most steps.
          Ns& before = its[step - begin - 1];
          before = std::min(before, slack);
        } else {
          AllowBefore(graph, step, slack, slack_of);
        }
        visit(step, slack);
      }
      slacks.Release(begin, end - begin);
    }
  }
}

}  // namespace profgauge::analysis::simulation
