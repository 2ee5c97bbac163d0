// The order of a replay: every step after those that it waits for, chains side by side.
//
// A chain runs until a step needs one of another chain that has no place yet. That chain runs up to
// there first, and so on: the stack holds the chains that wait for each other. Here a2 waits for
// b1, and b0 for a0:
//
//   A   a0 a1 a2 a3        runs: [a0 a1] [b0 b1] [a2 a3] [b2]
//   B   b0 b1 b2
//
// If the needed chain is on the stack itself, the edge closes a circle: the dependencies contradict
// each other. Such edges are dropped, and counted.
#include <algorithm>
#include <limits>

#include "analysis/path/graph.h"
#include "analysis/path/graph_build.h"
#include "base/partition_point.h"

namespace profgauge::analysis::path {

std::size_t PathGraphBuilder::ChainOf(StepId step) const {
  const auto after =
      std::upper_bound(chains_.begin(), chains_.end(), step,
                       [](StepId wanted, const Chain& chain) { return wanted < chain.begin; });
  return static_cast<std::size_t>(after - chains_.begin()) - 1;
}

PathGraph::StepId PathGraphBuilder::FirstMissing(StepId step) {
  const std::uint32_t cross = CrossWord(step);
  const auto missing = [&](StepId from) {
    // Mostly one of the chain of the last that was asked for.
    const bool is_near = from >= chains_[near_].begin && from < chains_[near_].end;
    if (!is_near) near_ = ChainOf(from);
    return from >= cursor_[near_];
  };
  const auto closes_circle = [&](StepId from) { return waiting_[ChainOf(from)]; };
  if ((cross & PathGraph::kMany) == 0) {
    if (!missing(cross)) return kNone;
    if (!closes_circle(cross)) return cross;
    ++circles_;
    if (drops_) DropCross(step);
    return kNone;
  }
  std::vector<StepId>& list = many_[cross & ~PathGraph::kMany];
  StepId first = kNone;
  std::erase_if(list, [&](StepId from) {
    if (!missing(from)) return false;
    if (!closes_circle(from)) {
      if (first == kNone) first = from;
      return false;
    }
    ++circles_;
    return drops_;
  });
  return first;
}

void PathGraphBuilder::RunChain(std::size_t chain, StepId stop) {
  stack_.push_back({chain, stop});
  waiting_[chain] = true;
  while (!stack_.empty()) {
    const auto [at, its_stop] = stack_.back();
    StepId step = cursor_[at], needed = kNone;
    const StepId begin = step;
    while (step < its_stop && (graph_.HasOneEdge(step) || (needed = FirstMissing(step)) == kNone)) {
      ++step;
    }
    cursor_[at] = step;
    if (step > begin) graph_.runs_.emplace_back(begin, step);
    if (needed != kNone) {
      const std::size_t other = ChainOf(needed);
      waiting_[other] = true;
      stack_.push_back({other, needed + 1});
    } else {
      waiting_[at] = false;
      stack_.pop_back();
    }
  }
}

template <class RunOne>
void PathGraphBuilder::ForEachChain(RunOne run) {
  for (const bool of_thread : {true, false}) {
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if ((chains_[i].thread != kNone) == of_thread) run(i);
    }
  }
}

void PathGraphBuilder::BeginSchedule(bool drops) {
  drops_ = drops;
  circles_ = 0;
  graph_.runs_.clear();
  cursor_.clear();
  for (const Chain& chain : chains_) cursor_.push_back(chain.begin);
  waiting_.assign(chains_.size(), false);
}

// At most three passes. The first, by time, finds whether there are circles: nearly never. Then
// whole chains run one after the other, so that the choice of the dropped edge does not depend on
// the size of blocks, and the order is made anew without these edges.
void PathGraphBuilder::Schedule() {
  ScheduleByTime();
  if (circles_ == 0) return;
  BeginSchedule(true);
  ForEachChain([this](std::size_t i) { RunChain(i, chains_[i].end); });
  graph_.dropped_ = circles_;
  ScheduleByTime();
}

void PathGraphBuilder::ScheduleByTime() {
  BeginSchedule(false);
  for (const Ns until : Slices()) {
    ForEachChain([this, until](std::size_t i) {
      if (cursor_[i] < chains_[i].end) RunChain(i, StopOf(i, until));
    });
  }
}

// One time for each full block of each chain, and the end of time: a replay that goes slice by
// slice holds about one block of each chain.
std::vector<Ns> PathGraphBuilder::Slices() const {
  const StepId block = StepId{1} << graph_.block_bits();
  std::vector<Ns> ends;
  for (const Chain& chain : chains_) {
    for (StepId at = chain.begin; chain.end - at > block;) {
      at += block;
      ends.push_back(OrderOf(at));
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  ends.push_back(std::numeric_limits<Ns>::max());
  return ends;
}

Ns PathGraphBuilder::OrderOf(StepId step) const {
  const PathOwner owner = graph_.OwnerOf(step);
  const bool is_detached = owner.is_end && graph_.Before(step) == kNone;
  return is_detached ? graph_.starts_[static_cast<std::size_t>(owner.table)][owner.row]
                     : graph_.RecordedAt(step);
}

PathGraph::StepId PathGraphBuilder::StopOf(std::size_t chain, Ns until) const {
  const StepId first = cursor_[chain];
  if (OrderOf(first) >= until) return first;
  return PartitionPoint(first, chains_[chain].end,
                        [&](StepId step) { return OrderOf(step) < until; });
}

}  // namespace profgauge::analysis::path
