#include "analysis/simulation/critical_path.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "knowledge/launches.h"

namespace profgauge::analysis::simulation {
namespace {

// The kind of a segment on a thread, by the innermost call or range around it. All time in a data
// loader is kDataLoader, including its calls: the loader is the part of the program to change.
PathKind KindOnThread(const PathGraph& graph, PathOwner in) {
  const Profile& profile = *graph.rank().profile;
  if (in.row == PathGraph::kNone) return PathKind::kHost;
  if (in.table == PathTable::kHost) {
    return graph.IsInDataLoader(HostId{in.row}) ? PathKind::kDataLoader : PathKind::kHost;
  }
  if (graph.IsInDataLoader(profile.api.op[in.row])) return PathKind::kDataLoader;
  switch (profile.api.kind[in.row]) {
    case ApiKind::kLaunch:
    case ApiKind::kMemcpy:
    case ApiKind::kMemset:
      return PathKind::kLaunch;
    case ApiKind::kSync:
      return PathKind::kSync;
    default:
      return PathKind::kHost;
  }
}

PathKind KindOnDevice(const PathGraph& graph, std::uint32_t row) {
  if (graph.rank().profile->device.kind[row] != DeviceKind::kKernel) return PathKind::kCopy;
  return graph.rank().classes[row].collective ? PathKind::kTransfer : PathKind::kKernel;
}

// A pause on a stream up to kLaunchesBusyPause is the device's cost of starting the next kernel; a
// longer one is unexplained.
PathKind KindOf(const PathGraph& graph, const PathSegment& segment, Ns length) {
  switch (segment.edge) {
    case PathEdge::kProgram: {
      const PathKind kind = KindOnThread(graph, segment.in);
      return kind == PathKind::kHost && graph.IsSilent(segment.step) ? PathKind::kUnknown : kind;
    }
    case PathEdge::kLaunch:
      return PathKind::kLaunch;
    case PathEdge::kStream:
      return length <= knowledge::kLaunchesBusyPause ? PathKind::kLaunch : PathKind::kUnknown;
    case PathEdge::kDuration: {
      const PathOwner owner = graph.OwnerOf(segment.step);
      return owner.table == PathTable::kDevice ? KindOnDevice(graph, owner.row) : PathKind::kHost;
    }
    case PathEdge::kSync:
    case PathEdge::kEvent:
      return PathKind::kSync;
    case PathEdge::kThread:
      return PathKind::kHost;
    case PathEdge::kNone:
      break;
  }
  return PathKind::kUnknown;
}

// Walks from the end of the path to its beginning. `visit` takes each segment that `Wants()`
// accepts, because finding the kind of a segment is slower than finding the previous segment.
//
// The path goes from the end of the last iteration back to the begin of the first:
//
//   begin_              from       at_
//     |  not yet walked  | segment  |  passed to `visit` before
//
// Each segment moves `at_` to its `from`. With a negative lag (work that overlaps on a stream) the
// predecessor is after `at_`: then no segment is taken, and `at_` stays. So the segments touch and
// add up to the path's length for all lags. A collective is split into two segments:
//
//   start                      end       recorded waiting and transfer of the rank;
//     |wwwwwwwwwww|############|         the transfer is counted back from the end
template <class Changes, class Times, class Visit>
class Walker {
 public:
  Walker(const PathGraph& graph, const Changes& changes, Times times, std::span<const Ns> transfers,
         Visit& visit)
      : graph_(graph), changes_(changes), times_(times), transfers_(transfers), visit_(visit) {}

  void Run(std::span<const Span> iterations) {
    if (iterations.empty()) return;
    begin_ = iterations.front().start;
    at_ = iterations.back().end;
    PathGraph::StepId step = graph_.LastStep(times_, iterations);
    if (step != PathGraph::kNone) {
      Ns time = times_[step];
      // A range may end after its last step: this is the time in between.
      Take(time, [&] { return SegmentOf(PathKind::kHost, PathEdge::kNone, step); });
      while (at_ > begin_) {
        if constexpr (std::is_same_v<Times, PathGraph::Recorded>) {  // That is: no changes.
          const std::uint32_t move = graph_.moves()[step];
          if (move != PathGraph::kNoMove) {  // Most steps.
            TakeEdge({time - move, time}, step, graph_.EdgeBefore(step).kind, {});
            --step;
            time -= move;
            continue;
          }
        }
        const StepChange change = changes_.Of(step);
        const PathGraph::Edge edge = graph_.BindingOf(step, change, times_);
        if (edge.from == PathGraph::kNone) break;
        const Ns from = times_[edge.from];
        TakeEdge({from, time}, step, edge.kind, change);
        step = edge.from;
        time = from;
      }
    }
    Take(begin_, [] { return PathSegment{}; });
  }

 private:
  static PathSegment SegmentOf(PathKind kind, PathEdge edge, PathGraph::StepId step) {
    return {{}, kind, edge, step, {}};
  }

  // Takes the segment from `from` to the current end of the path, if it is not empty.
  template <class Tell>
  void Take(Ns from, Tell tell) {
    from = std::max(from, begin_);
    if (from >= at_) return;
    const Span time{from, at_};
    at_ = from;
    if (!visit_.Wants(time.length())) return;
    PathSegment segment = tell();
    segment.time = time;
    visit_(segment);
  }

  // `time` starts at the predecessor's step.
  void TakeEdge(Span time, PathGraph::StepId step, PathEdge edge, StepChange change) {
    if (transfers_.empty()) return Take(time.start, [&] { return Told(time, step, edge); });
    PathSegment segment = Told(time, step, edge);
    if (segment.kind == PathKind::kTransfer) {
      const Ns transfer = transfers_[graph_.OwnerOf(step).row];
      if (transfer >= 0 && !change.is_alone) {
        Take(time.end - std::clamp(transfer - change.cut, Ns{0}, std::max<Ns>(time.length(), 0)),
             [&] { return segment; });
        segment.kind = PathKind::kWaiting;
      }
    }
    Take(time.start, [&] { return segment; });
  }

  PathSegment Told(Span time, PathGraph::StepId step, PathEdge edge) const {
    PathSegment segment = SegmentOf(PathKind::kUnknown, edge, step);
    if (edge == PathEdge::kProgram) segment.in = InnermostAt(graph_, step);
    segment.kind = KindOf(graph_, segment, time.length());
    return segment;
  }

  const PathGraph& graph_;
  const Changes& changes_;
  Times times_;
  std::span<const Ns> transfers_;
  Visit& visit_;
  Ns begin_ = 0, at_ = 0;
};

void WalkRecorded(const PathGraph& graph, std::span<const Ns> transfers, auto& visit) {
  const PathChanges none;
  Walker(graph, none, graph.recorded(), transfers, visit).Run(graph.IterationsAt(graph.recorded()));
}

// Passes on all segments, in batches.
class Batches {
 public:
  explicit Batches(const std::function<void(std::span<const PathSegment>)>& visit)
      : visit_(visit) {}

  static bool Wants(Ns /*length*/) { return true; }
  void operator()(const PathSegment& segment) {
    segments_[count_++] = segment;
    if (count_ == segments_.size()) PassOn();
  }
  void PassOn() {
    visit_(std::span(segments_).first(count_));
    count_ = 0;
  }

 private:
  const std::function<void(std::span<const PathSegment>)>& visit_;
  std::array<PathSegment, 256> segments_;
  std::size_t count_ = 0;
};

// Keeps segments longer than `limit_`, which rises as their number grows.
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {}

  bool Wants(Ns length) {
    ++count_;
    return length > limit_;
  }
  void operator()(const PathSegment& segment) {
    longest_.push_back(segment);
    if (longest_.size() > 2 * most_) DropShorter();
  }
  LongestSegments Take() {
    if (longest_.size() > most_) DropShorter();
    std::sort(longest_.begin(), longest_.end(), [](const PathSegment& a, const PathSegment& b) {
      return a.time.start < b.time.start;
    });
    const std::size_t left_out = count_ - longest_.size();
    return {std::move(longest_), left_out};
  }

 private:
  void DropShorter() {
    const auto cut = longest_.begin() + static_cast<std::ptrdiff_t>(most_);
    std::nth_element(longest_.begin(), cut, longest_.end(),
                     [](const PathSegment& a, const PathSegment& b) {
                       return a.time.length() > b.time.length();
                     });
    limit_ = cut->time.length();
    std::erase_if(longest_, [&](const PathSegment& one) { return one.time.length() <= limit_; });
  }

  std::size_t most_, count_ = 0;
  std::vector<PathSegment> longest_;
  Ns limit_ = 0;
};

// Sums nanoseconds by kind.
struct Sums {
  PathSums sums{};

  static bool Wants(Ns /*length*/) { return true; }
  void operator()(const PathSegment& segment) {
    sums[static_cast<std::size_t>(segment.kind)] += segment.time.length();
  }
};

// Sums the time in which threads are silent.
struct SilentTime {
  const PathGraph& graph;
  Ns sum = 0;

  static bool Wants(Ns /*length*/) { return true; }
  void operator()(const PathSegment& segment) {
    if (segment.edge == PathEdge::kProgram && graph.IsSilent(segment.step)) {
      sum += segment.time.length();
    }
  }
};

// Sums nanoseconds by kind for each iteration; segments arrive from the last to the first. The time
// between two iterations belongs to the earlier one. A segment that crosses a start is split.
class SumsByIteration {
 public:
  explicit SumsByIteration(std::span<const Span> iterations)
      : iterations_(iterations), sums_(iterations.size()), at_(iterations.size()) {}

  static bool Wants(Ns /*length*/) { return true; }
  void operator()(const PathSegment& segment) {
    Ns end = segment.time.end;
    while (end > segment.time.start) {
      while (at_ > 1 && iterations_[at_ - 1].start >= end) --at_;
      const Ns start =
          at_ > 1 ? std::max(segment.time.start, iterations_[at_ - 1].start) : segment.time.start;
      sums_[at_ - 1][static_cast<std::size_t>(segment.kind)] += end - start;
      end = start;
    }
  }
  std::vector<PathSums> Take() { return std::move(sums_); }

 private:
  std::span<const Span> iterations_;
  std::vector<PathSums> sums_;
  std::size_t at_;
};

}  // namespace

// The segment before an end is in the event that ends. Before a start it is in the event that began
// last if none ended since, else in the container of the event that starts.
PathOwner InnermostAt(const PathGraph& graph, PathGraph::StepId step) {
  const PathOwner owner = graph.OwnerOf(step);
  if (owner.is_end) return owner;
  const Profile& profile = *graph.rank().profile;
  const PathGraph::StepId before = graph.Before(step);
  if (before != PathGraph::kNone) {
    const PathOwner last = graph.OwnerOf(before);
    if (!last.is_end) return last;
  }
  const HostId around =
      owner.table == PathTable::kApi ? profile.api.op[owner.row] : profile.host.parent[owner.row];
  return {PathTable::kHost, false, around.value};
}

void VisitCriticalPath(const PathGraph& graph, std::span<const Ns> transfers,
                       const std::function<void(std::span<const PathSegment>)>& visit) {
  Batches batches(visit);
  WalkRecorded(graph, transfers, batches);
  batches.PassOn();
}

LongestSegments LongestOfPath(const PathGraph& graph, std::span<const Ns> transfers,
                              std::size_t most) {
  Longest longest(most);
  WalkRecorded(graph, transfers, longest);
  return longest.Take();
}

PathSums SumCriticalPath(const PathGraph& graph, const ScenarioChanges& changes,
                         std::span<const Ns> times, std::span<const Span> iterations,
                         std::span<const Ns> transfers) {
  Sums sums;
  Walker(graph, changes, times, transfers, sums).Run(iterations);
  return sums.sums;
}

Ns SilentTimeOfPath(const PathGraph& graph, std::span<const Ns> transfers) {
  SilentTime silent{graph};
  WalkRecorded(graph, transfers, silent);
  return silent.sum;
}

std::vector<PathSums> PathSumsByIteration(const PathGraph& graph) {
  const std::vector<Span> iterations = graph.IterationsAt(graph.recorded());
  if (iterations.size() != graph.rank().iterations.selected().size()) return {};
  SumsByIteration sums(iterations);
  WalkRecorded(graph, {}, sums);
  return sums.Take();
}

}  // namespace profgauge::analysis::simulation
