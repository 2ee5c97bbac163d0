#include "analysis/simulation/graph.h"

#include <algorithm>
#include <limits>

#include "analysis/simulation/replay.h"
#include "analysis/simulation/waits.h"
#include "knowledge/launches.h"

namespace profgauge::analysis::simulation {
namespace {}  // namespace

std::size_t PathGraph::bytes() const {
  const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  return bytes(work_rows_) + bytes(work_crosses_) + first_works_.bytes() + bytes(thread_owners_) +
         bytes(moves_) + bytes(thread_crosses_) + bytes(cross_places_) + bytes(many_) +
         bytes(runs_) + bytes(iterations_) + bytes(edges_from_blocks_) + in_loader_.bytes() +
         bytes(silent_);
}

std::size_t PathGraph::edges() const {
  std::size_t sum = 0;
  for (StepId i = 0; i < size(); ++i) ForEachEdge(i, [&](const Edge&) { ++sum; });
  return sum;
}

PathGraph::Edge PathGraph::LatestEdge(StepId step) const {
  Edge binding = EdgeBefore(step);
  Ns latest = binding.from == kNone ? 0 : RecordedAt(binding.from);
  ForEachElsewhere(step, [&](StepId from) {
    const Edge edge{CrossKind(step, from), from};
    const Ns time = RecordedAt(from);
    const bool first =
        edge.kind < binding.kind || (edge.kind == binding.kind && edge.from < binding.from);
    if (binding.from != kNone && (time < latest || (time == latest && !first))) return;
    binding = edge;
    latest = time;
  });
  const bool streams = binding.kind == PathEdge::kStream || binding.kind == PathEdge::kEvent;
  return streams ? StreamOrLaunch(step, binding) : binding;
}

// Work that starts well after its stream was free waited for its launch, if the launching call was
// still running when the stream became free. The call of a copy is excluded, because it waits for
// the stream itself.
//
//   stream   |work before|..........|work|      the pause, from `free` to the start
//   call           |====launch====|             goes on at `free`: the launch binds
//   call     |=launch=|                         is over by then: the stream binds
PathGraph::Edge PathGraph::StreamOrLaunch(StepId step, Edge stream) const {
  const Ns free = RecordedAt(stream.from);
  const Ns pause = RecordedAt(step) - free;
  if (pause <= knowledge::kLaunchesBackToBack) return stream;
  if (pause <= knowledge::kLaunchesStartAfterWait && CopyBlocks(*rank_->profile, OwnerOf(step).row))
    return stream;
  Edge binding = stream;
  const ApiTable& api = rank_->profile->api;
  ForEachEdge(step, [&](const Edge& edge) {
    if (edge.kind != PathEdge::kLaunch) return;
    const std::uint32_t call = OwnerOf(edge.from).row;
    if (api.start[call] + api.duration[call] > free) binding = edge;
  });
  return binding;
}

Ns PathGraph::SegmentOf(StepId step) const {
  const Edge binding = BindingOf(step);
  return binding.from == kNone ? 0 : RecordedAt(step) - RecordedAt(binding.from);
}

// Returns the predecessor that determines the step in a replay. The recorded binding edge has its
// recorded lag, minus the cut. Other edges have the recorded lag if it is negative, else 0: the
// step is not earlier than that predecessor by more than recorded.
PathGraph::Edge PathGraph::LatestEdge(StepId step, Ns cut, std::span<const Ns> times) const {
  const Edge recorded = BindingOf(step);
  Edge best = recorded;
  if (recorded.from == kNone) return best;
  const Ns at = RecordedAt(step);
  Ns latest = times[recorded.from] + (at - RecordedAt(recorded.from)) - cut;
  ForEachEdge(step, [&](const Edge& edge) {
    if (edge.from == recorded.from) return;
    const Ns time = times[edge.from] + std::min<Ns>(0, at - RecordedAt(edge.from));
    if (time > latest) {
      latest = time;
      best = edge;
    }
  });
  return best;
}

std::vector<Ns> PathGraph::Replay(const PathChanges& changes) const {
  return ReplayAll(*this, changes);
}

std::vector<Span> PathGraph::IterationsAt(std::span<const Ns> times) const {
  IterationTimes found(*this);
  found.Take(0, static_cast<StepId>(size()), times);
  return found.Spans();
}

std::vector<Span> PathGraph::IterationsAt(Recorded times) const {
  IterationTimes found(*this);
  found.Take(0, static_cast<StepId>(size()), times);
  return found.Spans();
}

template <class Times>
PathGraph::StepId PathGraph::LastStepIn(Times times, std::span<const Span> spans) const {
  if (spans.empty()) return kNone;
  const Ns end = spans.back().end;
  for (StepId i = 1; i < device_steps_; i += 2) {
    const std::uint32_t row = OwnerOf(i).row;
    if (times[i] == end && rank_->iterations.Extends(row)) return i;
  }
  const IterationSteps& host = iterations_.back();
  return host.end != kNone && times[host.end] + host.tail == end ? host.end : kNone;
}

PathGraph::StepId PathGraph::LastStep(std::span<const Ns> times,
                                      std::span<const Span> spans) const {
  return LastStepIn(times, spans);
}

PathGraph::StepId PathGraph::LastStep(Recorded times, std::span<const Span> spans) const {
  return LastStepIn(times, spans);
}

}  // namespace profgauge::analysis::simulation
