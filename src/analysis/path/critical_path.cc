#include "analysis/path/critical_path.h"

#include <algorithm>

namespace profgauge {
namespace {

// From one kernel to the next on a stream passes a moment; longer pauses have a cause that is not
// recorded.
constexpr Ns kNextOnStream = 10'000;

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

PathKind KindOf(const PathGraph& graph, const PathSegment& segment, Ns length) {
  switch (segment.edge) {
    case PathEdge::kProgram:
      return KindOnThread(graph, segment.in);
    case PathEdge::kLaunch:
      return PathKind::kLaunch;
    case PathEdge::kStream:
      return length <= kNextOnStream ? PathKind::kLaunch : PathKind::kUnknown;
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

// From the end of the path to its beginning; `visit` takes each segment.
template <class Changes, class Times, class Visit>
class Walker {
 public:
  Walker(const PathGraph& graph, const Changes& changes, Times times, std::span<const Ns> transfers,
         Visit visit)
      : graph_(graph), changes_(changes), times_(times), transfers_(transfers), visit_(visit) {}

  void Run(std::span<const Span> iterations) {
    if (iterations.empty()) return;
    begin_ = iterations.front().start;
    at_ = iterations.back().end;
    PathGraph::StepId step = graph_.LastStep(times_, iterations);
    if (step != PathGraph::kNone) {
      Ns time = times_[step];
      Take(time, SegmentOf(PathKind::kHost, PathEdge::kNone, step));  // The tail of a range.
      while (at_ > begin_) {
        const StepChange change = changes_.Of(step);
        const PathGraph::Edge edge = graph_.BindingOf(step, change, times_);
        if (edge.from == PathGraph::kNone) break;
        const Ns from = times_[edge.from];
        TakeEdge({from, time}, step, edge.kind, change);
        step = edge.from;
        time = from;
      }
    }
    Take(begin_, {});
  }

 private:
  static PathSegment SegmentOf(PathKind kind, PathEdge edge, PathGraph::StepId step) {
    return {{}, kind, edge, step, {}};
  }

  // From `from` to where the path has got, if that is any time at all.
  void Take(Ns from, PathSegment segment) {
    from = std::max(from, begin_);
    if (from >= at_) return;
    segment.time = {from, at_};
    visit_(segment);
    at_ = from;
  }

  // `time`: from the step that the edge comes from.
  void TakeEdge(Span time, PathGraph::StepId step, PathEdge edge, StepChange change) {
    PathSegment segment = SegmentOf(PathKind::kUnknown, edge, step);
    if (edge == PathEdge::kProgram) segment.in = InnermostAt(graph_, step);
    segment.kind = KindOf(graph_, segment, time.length());
    if (segment.kind == PathKind::kTransfer && !transfers_.empty()) {
      const Ns transfer = transfers_[graph_.OwnerOf(step).row];
      if (transfer >= 0 && !change.is_alone) {
        Take(time.end - std::clamp<Ns>(transfer - change.cut, 0, std::max<Ns>(time.length(), 0)),
             segment);
        segment.kind = PathKind::kWaiting;
      }
    }
    Take(time.start, segment);
  }

  const PathGraph& graph_;
  const Changes& changes_;
  Times times_;
  std::span<const Ns> transfers_;
  Visit visit_;
  Ns begin_ = 0, at_ = 0;
};

}  // namespace

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
  std::array<PathSegment, 256> segments;
  std::size_t count = 0;
  const auto pass_on = [&] {
    visit(std::span(segments).first(count));
    count = 0;
  };
  const PathChanges none;
  Walker(graph, none, graph.recorded(), transfers, [&](const PathSegment& segment) {
    segments[count++] = segment;
    if (count == segments.size()) pass_on();
  }).Run(graph.IterationsAt(graph.recorded()));
  pass_on();
}

PathSums SumCriticalPath(const PathGraph& graph, const ScenarioChanges& changes,
                         std::span<const Ns> times, std::span<const Span> iterations,
                         std::span<const Ns> transfers) {
  PathSums sums{};
  Walker(graph, changes, times, transfers, [&sums](const PathSegment& segment) {
    sums[static_cast<std::size_t>(segment.kind)] += segment.time.length();
  }).Run(iterations);
  return sums;
}

}  // namespace profgauge
