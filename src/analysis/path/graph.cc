#include "analysis/path/graph.h"

#include <algorithm>
#include <limits>

#include "analysis/path/waits.h"

namespace profgauge {
namespace {

// Between two kernels of a stream's queue pass 0.6 to 1.6 µs in recordings of V100 to H100: nothing
// shorter is a wait for a launch.
constexpr Ns kBackToBack = 1'000;
// A copy begins at most this long after the work that its call waited for.
constexpr Ns kAfterWait = 20'000;

}  // namespace

std::size_t PathGraph::bytes() const {
  return steps_.capacity() * sizeof(Step) + runs_.capacity() * sizeof(runs_[0]) +
         iterations_.capacity() * sizeof(IterationSteps) + many_.capacity() * sizeof(StepId) +
         in_loader_.capacity() / 8;
}

std::size_t PathGraph::edges() const {
  std::size_t sum = 0;
  for (StepId i = 0; i < steps_.size(); ++i) ForEachEdge(i, [&](const Edge&) { ++sum; });
  return sum;
}

PathGraph::Edge PathGraph::LatestEdge(StepId step) const {
  Edge binding;
  ForEachEdge(step, [&](const Edge& edge) {
    if (binding.from == kNone) {
      binding = edge;
      return;
    }
    const Ns time = RecordedAt(edge.from), best = RecordedAt(binding.from);
    const bool first =
        edge.kind < binding.kind || (edge.kind == binding.kind && edge.from < binding.from);
    if (time > best || (time == best && first)) binding = edge;
  });
  const bool streams = binding.kind == PathEdge::kStream || binding.kind == PathEdge::kEvent;
  return streams ? StreamOrLaunch(step, binding) : binding;
}

// Work that starts well after the stream was free has waited for its launch, if the call was still
// going on when the stream became free: the work before ended later than the call began, but the
// call has more to do than it. Not the call of a copy, which waited for the stream itself.
PathGraph::Edge PathGraph::StreamOrLaunch(StepId step, Edge stream) const {
  const Ns free = RecordedAt(stream.from);
  const Ns pause = RecordedAt(step) - free;
  if (pause <= kBackToBack) return stream;
  if (pause <= kAfterWait && CopyBlocks(*rank_->profile, OwnerOf(step).row)) return stream;
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

Ns PathGraph::TimeOf(StepId step, const PathChanges& changes, const std::vector<Ns>& times) const {
  const Step& at = steps_[step];
  const Ns recorded = RecordedAt(step);
  if ((at.cross & kMany) == 0 && (at.owner & kFirstBit) == 0) {  // Most: one here, one elsewhere.
    const StepId cross = at.cross & ~kCrossBinds;
    const bool cross_binds = cross != at.cross;
    const StepId binding = cross_binds ? cross : step - 1, other = cross_binds ? step - 1 : cross;
    const Ns bound = times[binding] + (recorded - RecordedAt(binding)) - changes.CutOf(step);
    return std::max(bound, times[other] + std::min<Ns>(0, recorded - RecordedAt(other)));
  }
  const Edge binding = BindingOf(step);
  if (binding.from == kNone) return recorded;
  Ns time = times[binding.from] + (recorded - RecordedAt(binding.from)) - changes.CutOf(step);
  ForEachEdge(step, [&](const Edge& edge) {
    if (edge.from == binding.from) return;
    const Ns lag = std::min<Ns>(0, recorded - RecordedAt(edge.from));
    time = std::max(time, times[edge.from] + lag);
  });
  return time;
}

PathGraph::Edge PathGraph::LatestEdge(StepId step, const PathChanges& changes,
                                      std::span<const Ns> times) const {
  const Edge recorded = BindingOf(step);
  Edge best = recorded;
  if (recorded.from == kNone) return best;
  const Ns at = RecordedAt(step);
  Ns latest = times[recorded.from] + (at - RecordedAt(recorded.from)) - changes.CutOf(step);
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

void PathGraph::ReplayRun(StepId begin, StepId end, const PathChanges& changes,
                          std::vector<Ns>& times) const {
  for (StepId i = begin; i < end; ++i) {
    const Step& at = steps_[i];
    if (at.cross != kNone && !IsAlone(i, changes)) {
      times[i] = TimeOf(i, changes, times);
    } else if ((at.owner & kFirstBit) != 0) {
      times[i] = RecordedAt(i);
    } else {  // Most steps: the one before alone.
      times[i] = times[i - 1] + (RecordedAt(i) - RecordedAt(i - 1)) - changes.CutOf(i);
    }
  }
}

std::vector<Ns> PathGraph::Replay(const PathChanges& changes) const {
  std::vector<Ns> times;
  Replay(changes, times);
  return times;
}

void PathGraph::Replay(const PathChanges& changes, std::vector<Ns>& times) const {
  times.resize(steps_.size());
  ForEachRun([&](StepId begin, StepId end) { ReplayRun(begin, end, changes, times); });
}

void PathGraph::ReplayInPlace(std::span<const std::uint8_t> alone, std::vector<Ns>& times) const {
  const std::size_t cuts = times.size();
  times.resize(steps_.size());
  const PathChanges changes(std::span<const Ns>(times).first(cuts), alone);
  ForEachRun([&](StepId begin, StepId end) { ReplayRun(begin, end, changes, times); });
}

std::vector<Ns> PathGraph::FirstSlacks() const {
  std::vector<Ns> slacks(steps_.size(), kFree);
  if (iterations_.empty()) return slacks;
  const Ns end = rank_->window().end;
  for (StepId i = 1; i < device_steps_; i += 2) {
    const std::uint32_t row = steps_[i].owner & kRowMask;
    const bool extends = rank_->iterations.Extends(row);
    if (extends) slacks[i] = end - RecordedAt(i);
  }
  for (const IterationSteps& iteration : iterations_) {
    if (iteration.end == kNone) continue;
    slacks[iteration.end] = end - RecordedAt(iteration.end) - iteration.tail;
  }
  return slacks;
}

void PathGraph::AllowBefore(StepId step, std::vector<Ns>& slacks) const {
  if (slacks[step] == kFree) return;
  if (HasOneEdge(step)) {  // Most steps: what it waited for.
    if (const StepId before = Before(step); before != kNone) {
      slacks[before] = std::min(slacks[before], slacks[step]);
    }
    return;
  }
  const StepId binding = BindingOf(step).from;
  ForEachEdge(step, [&](const Edge& edge) {
    // What a predecessor may move before it pushes this step beyond its own slack.
    const Ns difference = RecordedAt(step) - RecordedAt(edge.from);
    const Ns room = edge.from == binding ? 0 : std::max<Ns>(0, difference);
    slacks[edge.from] = std::min(slacks[edge.from], slacks[step] + room);
  });
}

std::vector<Ns> PathGraph::Slacks() const {
  std::vector<Ns> slacks = FirstSlacks();
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    for (StepId i = run->second; i-- > run->first;) AllowBefore(i, slacks);
  }
  return slacks;
}

template <class Times>
std::vector<Span> PathGraph::IterationsIn(Times times) const {
  const Iterations& known = rank_->iterations;
  std::vector<Ns> ends(iterations_.size(), std::numeric_limits<Ns>::min());
  for (StepId i = 1; i < device_steps_; i += 2) {
    const std::uint32_t row = steps_[i].owner & kRowMask;
    if (!known.Extends(row)) continue;
    Ns& end = ends[known.of_device[row] - known.first];
    end = std::max(end, times[i]);
  }
  std::vector<Span> spans;
  for (std::size_t i = 0; i < iterations_.size(); ++i) {
    const Iteration& recorded = known.all[known.first + i];
    const IterationSteps& steps = iterations_[i];
    Span span = recorded.time;
    if (steps.begin != kNone && (i > 0 || recorded.time.start == recorded.host.start)) {
      // What else delays a beginning (work from before the selection) stays as recorded.
      const Ns previous = known.first + i > 0 ? known.all[known.first + i - 1].time.end
                                              : std::numeric_limits<Ns>::min();
      if (recorded.time.start == std::max(previous, recorded.host.start)) {
        span.start = times[steps.begin] - steps.lead;
      }
    }
    if (steps.first_work != kNone) span.start = times[steps.first_work];
    if (i > 0) span.start = std::max(span.start, spans.back().end);
    const Ns host = steps.end != kNone ? times[steps.end] + steps.tail : recorded.host.end;
    span.end = std::max({host, ends[i], span.start});
    spans.push_back(span);
  }
  return spans;
}

std::vector<Span> PathGraph::IterationsAt(std::span<const Ns> times) const {
  return IterationsIn(times);
}

std::vector<Span> PathGraph::IterationsAt(Recorded times) const { return IterationsIn(times); }

template <class Times>
PathGraph::StepId PathGraph::LastStepIn(Times times, std::span<const Span> spans) const {
  if (spans.empty()) return kNone;
  const Ns end = spans.back().end;
  for (StepId i = 1; i < device_steps_; i += 2) {
    const std::uint32_t row = steps_[i].owner & kRowMask;
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

}  // namespace profgauge
