// Edges of the graph between streams and threads: what is launched, waited for and handed over.
#include <algorithm>
#include <utility>

#include "analysis/path/graph.h"
#include "analysis/path/graph_build.h"
#include "analysis/path/thread_links.h"
#include "base/parallel.h"

namespace profgauge::analysis::path {

// The word of a step while edges are added, and as StoreMany() leaves it:
//
//   no edge    kNone
//   one        5
//   two        kMany | 0    many_ {{5, 9}}    stored: kMany | 0    many_ [2, 5, 9, ...]
void PathGraphBuilder::AddCross(std::uint32_t& cross, StepId from) {
  if (cross == kNone) {
    cross = from;
  } else if ((cross & PathGraph::kMany) == 0) {
    many_.push_back({cross, from});
    cross = PathGraph::kMany | static_cast<std::uint32_t>(many_.size() - 1);
  } else {
    many_[cross & ~PathGraph::kMany].push_back(from);
  }
}

void PathGraphBuilder::StoreThreadEdges() {
  std::stable_sort(thread_edges_.begin(), thread_edges_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  auto& crosses = graph_.thread_crosses_;
  for (const auto& [step, from] : thread_edges_) {
    if (crosses.empty() || crosses.back().first != step) crosses.emplace_back(step, kNone);
    AddCross(crosses.back().second, from);
    graph_.thread_owners_[step - graph_.device_steps_] |= PathGraph::kHasCross;
  }
  thread_edges_ = {};
  crosses.shrink_to_fit();
  const std::size_t places = (graph_.thread_owners_.size() >> PathGraph::kPlaceBits) + 1;
  std::size_t at = 0;
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t begin = graph_.device_steps_ + (place << PathGraph::kPlaceBits);
    while (at < crosses.size() && crosses[at].first < begin) ++at;
    graph_.cross_places_.push_back(static_cast<std::uint32_t>(at));
  }
}

std::uint32_t& PathGraphBuilder::CrossWord(StepId step) {
  return step < graph_.device_steps_ ? graph_.work_crosses_[step / 2]
                                     : graph_.thread_crosses_[graph_.PlaceOf(step)].second;
}

// Only for a word with one edge: a list keeps its word when it becomes empty.
void PathGraphBuilder::DropCross(StepId step) {
  CrossWord(step) = kNone;
  if (step < graph_.device_steps_) return;
  graph_.thread_owners_[step - graph_.device_steps_] &= ~PathGraph::kHasCross;
}

// Parts of 2^18 rows: large enough that starting a task costs nothing in comparison.
template <class Work>
void PathGraphBuilder::ForEachPart(std::size_t count, Work work) {
  constexpr std::size_t kPart = std::size_t{1} << 18;
  ForEachAtOnce((count + kPart - 1) / kPart,
                [&](std::size_t i) { work(i * kPart, std::min(count, (i + 1) * kPart)); });
}

void PathGraphBuilder::LinkFirst(std::uint32_t row, std::uint32_t call, StepId step) {
  if (StepOfWork(row) == kNone) {
    steps_of_calls_.emplace(call, step);
  } else {
    AddToWork(StepOfWork(row), step);
  }
}

// A call that launches several works (a graph) has its step at its first work; the others take it
// from there. Only the word of the row itself is written, so parts run side by side.
void PathGraphBuilder::LinkLaunches() {
  ForEachPart(profile_.device.size(), [this](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
      const ApiId launch = profile_.device.launch[row];
      if (!launch.valid()) continue;
      const std::uint32_t first = waits_.LaunchedBy(launch.value);
      if (first == row || StepOfWork(row) == kNone) continue;
      // The first edge: nothing is shared.
      graph_.work_crosses_[StepOfWork(row) / 2] = LaunchOf(first, launch.value);
    }
  });
  steps_of_calls_ = {};
}

PathGraph::StepId PathGraphBuilder::LaunchOf(std::uint32_t first, std::uint32_t call) const {
  if (StepOfWork(first) != kNone) return graph_.work_crosses_[StepOfWork(first) / 2];
  const auto known = steps_of_calls_.find(call);
  return known == steps_of_calls_.end() ? kNone : known->second;
}

void PathGraphBuilder::LinkStreams() {
  if (waits_.streams().size() < 2) return;
  for (std::uint32_t row = 0; row < profile_.device.size(); ++row) {
    if (StepOfWork(row) == kNone) continue;
    const std::uint32_t other = waits_.OtherStreamBefore(row);
    if (other == kNone || StepOfWork(other) == kNone) continue;
    AddToWork(StepOfWork(row), StepOfWork(other) + 1);
  }
  for (const auto& [row, other] : event_waits_) {
    if (StepOfWork(row) == kNone || StepOfWork(other) == kNone) continue;
    if (waits_.OtherStreamBefore(row) == other) continue;  // Known.
    AddToWork(StepOfWork(row), StepOfWork(other) + 1);
  }
  step_of_device_ = {};
}

std::vector<ThreadSteps> PathGraphBuilder::Threads() const {
  std::vector<ThreadSteps> threads;
  for (const Chain& chain : chains_) {
    if (chain.thread != kNone) threads.push_back({chain.begin, chain.end, chain.thread});
  }
  return threads;
}

void PathGraphBuilder::AddThreadLinks() {
  ThreadLinks links = LinkThreads(graph_, profile_, Threads());
  for (const auto& [step, from] : links.edges) AddToThread(step, from);
  graph_.free_threads_ = std::move(links.free);
}

void PathGraphBuilder::StoreMany() {
  std::vector<std::uint32_t> places;
  for (const std::vector<StepId>& list : many_) {
    places.push_back(static_cast<std::uint32_t>(graph_.many_.size()));
    graph_.many_.push_back(static_cast<StepId>(list.size()));
    graph_.many_.insert(graph_.many_.end(), list.begin(), list.end());
  }
  graph_.many_.shrink_to_fit();
  if (places.empty()) return;
  ForEachCrossWord([&](std::uint32_t& cross) {
    if (cross == kNone || (cross & PathGraph::kMany) == 0) return;
    cross = PathGraph::kMany | places[cross & ~PathGraph::kMany];
  });
}

template <class Visit>
void PathGraphBuilder::ForEachCrossWord(Visit visit) {
  for (std::uint32_t& cross : graph_.work_crosses_) visit(cross);
  for (auto& [step, cross] : graph_.thread_crosses_) visit(cross);
}

// A word with one edge holds a flag for whether that edge binds. Lists are asked anew each time.
void PathGraphBuilder::MarkBinding() {
  const auto mark = [this](StepId step, std::uint32_t& cross) {
    if ((cross & PathGraph::kMany) != 0) return;  // Several, or none.
    if (graph_.LatestEdge(step).from == cross) cross |= PathGraph::kCrossBinds;
  };
  std::vector<std::uint32_t>& works = graph_.work_crosses_;
  ForEachPart(works.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t work = begin; work < end; ++work) {
      mark(static_cast<StepId>(2 * work), works[work]);
    }
  });
  for (auto& [step, cross] : graph_.thread_crosses_) mark(step, cross);
}

namespace {

std::uint32_t MoveOf(Ns after) {
  const bool fits = after >= 0 && after < Ns{PathGraph::kNoMove};
  return fits ? static_cast<std::uint32_t>(after) : PathGraph::kNoMove;
}

}  // namespace

void PathGraphBuilder::FindMoves() {
  graph_.moves_.resize(graph_.size());
  const StepId of_device = graph_.device_steps();
  const auto& durations = profile_.device.duration;
  for (StepId step = 1; step < of_device; step += 2) {
    const Ns duration = durations[graph_.RowOfWork(step / 2)];
    graph_.moves_[step - 1] = PathGraph::kNoMove;  // Nearly all have a launch.
    graph_.moves_[step] = MoveOf(std::max<Ns>(duration, 0));
  }
  constexpr std::uint32_t kOthers = PathGraph::kHasCross | PathGraph::kFirstBit;
  ForEachPart(graph_.size() - of_device, [this, of_device](std::size_t begin, std::size_t end) {
    Ns before = begin > 0 ? graph_.RecordedAt(static_cast<StepId>(of_device + begin - 1)) : 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t word = graph_.thread_owners_[i];
      const bool is_call = (word >> PathGraph::kTableShift & 1) != 0;
      const std::uint32_t row = word & PathGraph::kRowMask;
      Ns at = is_call ? profile_.api.start[row] : profile_.host.start[row];
      if ((word & PathGraph::kEndBit) != 0) {
        const Ns length = is_call ? profile_.api.duration[row] : profile_.host.duration[row];
        at += std::max<Ns>(length, 0);
      }
      graph_.moves_[of_device + i] =
          (word & kOthers) == 0 ? MoveOf(at - before) : PathGraph::kNoMove;
      before = at;
    }
  });
}

void PathGraphBuilder::CountEdges() {
  std::vector<std::uint32_t>& counts = graph_.edges_from_blocks_;
  counts.assign((graph_.size() >> graph_.block_bits()) + 1, 0);  // The last may be empty.
  graph_.ForEachElsewhere(0, Next(), [&](StepId from) { ++counts[from >> graph_.block_bits()]; });
}

}  // namespace profgauge::analysis::path
