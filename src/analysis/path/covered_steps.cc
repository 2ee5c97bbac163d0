// The segments that scalings of host ranges and calls cover: analysis/path/scenario_changes.h.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "analysis/path/replayer.h"
#include "base/parallel.h"

namespace profgauge::analysis::path {
namespace {

using StepId = PathGraph::StepId;

std::size_t RowsOf(const Profile& profile, PathTable table) {
  switch (table) {
    case PathTable::kHost:
      return profile.host.size();
    case PathTable::kApi:
      return profile.api.size();
    case PathTable::kDevice:
    case PathTable::kGap:
      break;
  }
  return profile.device.size();
}

// Finds segments that are in a named range. For a segment that ends off its thread's chain, only
// the end is found.
//
// A segment is known by the step that it ends in. In a named range R with a call A and a call F
// that frees memory or loads code (lower case: starts, upper case: ends):
//
//   R    |-----------------------|
//   A, F     |--|     |----|
//   steps  r a  A     f    F     R       covered: a A f R, not F: the call keeps its time
//
// Nested named ranges count once: `depth` is the number of those around the step.
class StepFinder {
 public:
  StepFinder(const PathGraph& graph, const Flags& named, PathTable table)
      : graph_(graph), named_(named), table_(table) {
    for (auto step = static_cast<StepId>(graph.size()); step-- > graph.device_steps();) {
      const PathOwner owner = graph.OwnerOf(step);  // Such ends are last.
      if (!owner.is_end || graph.Before(step) != PathGraph::kNone) break;
      if (owner.table != table) continue;
      if (detached_.empty()) detached_ = Flags(named.size());
      detached_.Set(owner.row);
    }
  }

  StepRanges Find() const {
    const auto begins = graph_.thread_begins();
    std::vector<StepRanges> of_threads(begins.size());
    ForEachAtOnce(begins.size(), [&](std::size_t i) {
      const auto size = static_cast<StepId>(graph_.size());
      of_threads[i] =
          FindIn(begins[i], i + 1 < begins.size() ? begins[i + 1] : size, graph_.kept_times()[i]);
    });
    StepRanges all;
    for (const StepRanges& some : of_threads) all.insert(all.end(), some.begin(), some.end());
    return all;
  }

 private:
  // Whether a scenario shortens this call itself, whatever it does. The first call that launches or
  // allocates loads code or sets the device up, which the others do not: that is kept.
  bool IsMeant(PathOwner owner) const {
    if (owner.table != PathTable::kApi) return false;
    const ApiKind kind = graph_.rank().profile->api.kind[owner.row];
    return kind != ApiKind::kLaunch && kind != ApiKind::kMemory;
  }

  StepRanges FindIn(StepId begin, StepId end, const PathGraph::KeptTime& kept) const {
    StepRanges found;
    StepId open = begin;  // Steps [open, step) are covered.
    std::size_t depth = 0, meant = 0;
    KeptSteps keeps(graph_, table_ == PathTable::kHost ? kept.calls : kept.once);
    const std::span<const std::uint32_t> moves = graph_.moves();
    Span segment{0, 0};  // That ends in the step.
    for (StepId step = begin; step < end; ++step) {
      const std::uint32_t move = moves[step];
      const Ns at = move != PathGraph::kNoMove ? segment.end + move : graph_.RecordedAt(step);
      segment = {segment.end, at};
      if (move == PathGraph::kNoMove && graph_.Before(step) == PathGraph::kNone) depth = meant = 0;
      const PathOwner owner = graph_.OwnerOf(step);
      const bool is_named = owner.table == table_ && named_[owner.row];
      const bool lies_in = depth > 0 || (is_named && owner.is_end);
      if (!lies_in || (meant == 0 && keeps.Has(step, segment))) {
        if (open < step) found.emplace_back(open, step);
        open = step + 1;
      }
      if (!is_named || (!detached_.empty() && detached_[owner.row])) continue;
      if (!owner.is_end) {
        ++depth;
        meant += IsMeant(owner) ? 1 : 0;
      } else if (depth > 0) {
        --depth;
        meant -= IsMeant(owner) ? 1 : 0;
      }
    }
    if (open < end) found.emplace_back(open, end);
    return found;
  }

  const PathGraph& graph_;
  const Flags& named_;
  PathTable table_;
  Flags detached_;
};

}  // namespace

Flags NamedRows(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank) {
  Flags named;
  const std::size_t size = RowsOf(*graph.rank().profile, scaling.table);
  for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
    if (range.rank != rank || range.begin >= size) continue;
    if (named.empty()) named = Flags(size);
    named.Set(range.begin, std::min<std::size_t>(range.end, size));
  }
  return named;
}

StepRanges CoveredSteps(const PathGraph& graph, const Scaling& scaling, std::uint32_t rank) {
  const Flags named = NamedRows(graph, scaling, rank);
  return named.empty() ? StepRanges() : StepFinder(graph, named, scaling.table).Find();
}

}  // namespace profgauge::analysis::path
