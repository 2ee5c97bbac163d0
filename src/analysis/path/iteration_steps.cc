#include "analysis/path/iteration_steps.h"

#include <algorithm>
#include <ranges>

namespace profgauge {
namespace {

using StepId = PathGraph::StepId;
constexpr StepId kNone = PathGraph::kNone;

bool IsMarker(const PathGraph& graph, StepId step) {
  const PathOwner owner = graph.OwnerOf(step);
  return owner.table == PathTable::kHost &&
         graph.rank().profile->host.kind[owner.row] == HostKind::kIterationMarker;
}

// The step of a thread nearest to a time on one side of it, markers preferred.
class Nearest {
 public:
  Nearest(const PathGraph& graph, Ns time, bool before)
      : graph_(graph), time_(time), before_(before) {}

  StepId Of(std::span<const ThreadSteps> threads) {
    for (const ThreadSteps& thread : threads) LookAt(thread);
    return best_;
  }

 private:
  Ns DistanceOf(StepId step) const {
    const Ns at = graph_.RecordedAt(step);
    return before_ ? time_ - at : at - time_;
  }

  // Steps of a thread are in order except for the resolution of their clock.
  void LookAt(const ThreadSteps& thread) {
    const auto steps = std::views::iota(thread.begin, thread.end);
    const auto found =
        std::ranges::lower_bound(steps, time_ - PathGraph::kResolution, {},
                                 [this](StepId at) { return graph_.RecordedAt(at); });
    StepId step = thread.begin + static_cast<StepId>(found - steps.begin());
    if (step > thread.begin) --step;
    for (; step < thread.end && graph_.RecordedAt(step) <= time_ + PathGraph::kResolution; ++step) {
      Consider(step);
    }
    if (!before_ && step < thread.end) Consider(step);
  }

  void Consider(StepId step) {
    const Ns away = DistanceOf(step);
    if (away < 0) return;
    if (best_ == kNone || away < DistanceOf(best_) ||
        (away == DistanceOf(best_) && IsMarker(graph_, step) && !IsMarker(graph_, best_))) {
      best_ = step;
    }
  }

  const PathGraph& graph_;
  Ns time_;
  bool before_;
  StepId best_ = kNone;
};

StepId FirstWorkAt(const PathGraph& graph, Ns time) {
  for (StepId step = 0; step < graph.device_steps(); step += 2) {
    if (graph.RecordedAt(step) == time) return step;
  }
  return kNone;
}

StepId CallEndAt(const PathGraph& graph, Ns time) {
  for (StepId step = graph.device_steps(); step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    const bool is_call = owner.table == PathTable::kApi && owner.is_end;
    if (is_call && graph.RecordedAt(step) == time) return step;
  }
  return kNone;
}

}  // namespace

PathGraph::IterationSteps FindIterationSteps(const PathGraph& graph,
                                             std::span<const ThreadSteps> threads,
                                             const Iteration& iteration) {
  PathGraph::IterationSteps steps;
  steps.begin = Nearest(graph, iteration.host.start, false).Of(threads);
  if (steps.begin != kNone) steps.lead = graph.RecordedAt(steps.begin) - iteration.host.start;
  steps.end = Nearest(graph, iteration.host.end, true).Of(threads);
  if (steps.end != kNone) steps.tail = iteration.host.end - graph.RecordedAt(steps.end);
  if (graph.rank().iterations.is_whole && iteration.time.start != iteration.host.start) {
    steps.first_work = FirstWorkAt(graph, iteration.time.start);
    // Else it is observed from where a call has set it up.
    if (steps.first_work == kNone) steps.first_work = CallEndAt(graph, iteration.time.start);
  }
  return steps;
}

}  // namespace profgauge
