#include "analysis/simulation/replay.h"

#include <limits>

namespace profgauge::analysis::simulation {
namespace {

std::vector<std::uint32_t> StepsOfBlocks(const PathGraph& graph) {
  const std::size_t block = std::size_t{1} << graph.block_bits();
  std::vector<std::uint32_t> steps;
  for (std::size_t at = 0; at < graph.size(); at += block) {
    steps.push_back(static_cast<std::uint32_t>(std::min(block, graph.size() - at)));
  }
  return steps;
}

}  // namespace

StepWindow::StepWindow(std::vector<std::uint32_t> needs, unsigned block_bits)
    : bits_(block_bits),
      mask_((StepId{1} << block_bits) - 1),
      needs_(std::move(needs)),
      blocks_(needs_.size()),
      last_(needs_.size()) {}

void StepWindow::Add(StepId step) {
  Block& block = blocks_[step >> bits_];
  if (block != nullptr) return;
  if (spare_.empty()) {
    block = std::make_unique_for_overwrite<Ns[]>(std::size_t{mask_} + 1);
    return;
  }
  block = std::move(spare_.back());
  spare_.pop_back();
}

Ns StepWindow::Before(StepId step) const {
  if (step == 0) return 0;
  const Block& block = blocks_[(step - 1) >> bits_];
  return block != nullptr ? block[(step - 1) & mask_] : last_[(step - 1) >> bits_];
}

void StepWindow::Drop(StepId block) {
  last_[block] = blocks_[block][mask_];
  spare_.push_back(std::move(blocks_[block]));
}

StepWindow WindowOfSteps(const PathGraph& graph) {
  return {StepsOfBlocks(graph), graph.block_bits()};
}

StepWindow WindowOfTimes(const PathGraph& graph) {
  std::vector<std::uint32_t> needs = StepsOfBlocks(graph);
  for (std::size_t i = 0; i < needs.size(); ++i) needs[i] += graph.edges_from_blocks()[i];
  return {std::move(needs), graph.block_bits()};
}

FirstSlacks::FirstSlacks(const PathGraph& graph) : graph_(graph) {
  const Ns end = graph.rank().window().end;
  for (const PathGraph::IterationSteps& iteration : graph.iterations()) {
    if (iteration.end == PathGraph::kNone) continue;
    ends_.emplace_back(iteration.end, end - graph.RecordedAt(iteration.end) - iteration.tail);
  }
  // If several end with the same step, the last one counts.
  std::stable_sort(ends_.begin(), ends_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

// Ends that determine the end of an iteration may move to the end of the window. All other steps
// have no limit until a successor limits them.
void FirstSlacks::Fill(StepId begin, StepId end, Ns* slacks) const {
  std::fill(slacks, slacks + (end - begin), kFree);
  if (graph_.iterations().empty()) return;
  const Ns last = graph_.rank().window().end;
  for (StepId step = begin | 1; step < std::min(end, graph_.device_steps()); step += 2) {
    const bool extends = graph_.rank().iterations.Extends(graph_.OwnerOf(step).row);
    if (extends) slacks[step - begin] = last - graph_.RecordedAt(step);
  }
  const auto after = [](const auto& known, StepId step) { return known.first < step; };
  for (auto at = std::lower_bound(ends_.begin(), ends_.end(), begin, after);
       at != ends_.end() && at->first < end; ++at) {
    slacks[at->first - begin] = at->second;
  }
}

IterationTimes::IterationTimes(const PathGraph& graph)
    : graph_(graph), ends_(graph.iterations().size(), std::numeric_limits<Ns>::min()) {
  for (const PathGraph::IterationSteps& steps : graph.iterations()) {
    for (const StepId step :
         {steps.begin, steps.end, steps.first_work, steps.launches_from, steps.launches_to}) {
      if (step != PathGraph::kNone) marks_.emplace_back(step, 0);
    }
  }
  std::sort(marks_.begin(), marks_.end());
}

Ns IterationTimes::At(StepId step) const {
  return std::lower_bound(marks_.begin(), marks_.end(), step,
                          [](const auto& mark, StepId wanted) { return mark.first < wanted; })
      ->second;
}

// An iteration begins with its range on the host, but not before the previous one ends. It ends
// with its range on the host, or with its last device work if that is later:
//
//   host      |---- 1 ----|---- 2 ----|
//   device        |------ 1 ------|----- 2 -----|
//   spans     |-------- 1 --------|----- 2 -----|
//
// A host that no longer waits for work before the first iteration runs ahead once, but not in later
// iterations: an iteration takes at least as long as the host from its begin to its last launch.
//
// A begin moves only if it follows this rule as recorded, or is at the iteration's first work.
// Without markers, an iteration ends with its device work only.
std::vector<Span> IterationTimes::Spans() const {
  const iterations::Iterations& known = graph_.rank().iterations;
  std::vector<Span> spans;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    const iterations::Iteration& recorded = known.all[known.first + i];
    const PathGraph::IterationSteps& steps = graph_.iterations()[i];
    Span span = recorded.time;
    if (steps.begin != PathGraph::kNone && (i > 0 || recorded.time.start == recorded.host.start)) {
      // If it begins late for another reason (work before the selection), that stays as recorded.
      const Ns previous = known.first + i > 0 ? known.all[known.first + i - 1].time.end
                                              : std::numeric_limits<Ns>::min();
      if (recorded.time.start == std::max(previous, recorded.host.start)) {
        span.start = At(steps.begin) - steps.lead;
      }
    }
    if (steps.first_work != PathGraph::kNone) span.start = At(steps.first_work);
    if (i > 0) span.start = std::max(span.start, spans.back().end);
    span.end = std::max(ends_[i], span.start);
    if (steps.end != PathGraph::kNone) {
      span.end = std::max(span.end, At(steps.end) + steps.tail);
    } else if (!graph_.rank().EndsWithWork()) {
      span.end = std::max(span.end, recorded.host.end);
    }
    if (steps.launches_to != PathGraph::kNone) {
      const Ns launches = At(steps.launches_to) - At(steps.launches_from);
      span.end = std::max(span.end, span.start + launches);
    }
    spans.push_back(span);
  }
  return spans;
}

}  // namespace profgauge::analysis::simulation
