#include "analysis/path/scenario_changes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/path/replayer.h"

namespace profgauge {
namespace {

using StepId = PathGraph::StepId;

constexpr double kMostFactor = 1e6;  // Of several scalings together.

// Sums of what grew stay far from the largest time, whatever the recording and the factors hold.
Ns Scaled(Ns time, double factor) {
  constexpr double kMost = static_cast<double>(Ns{1} << 42);  // 73 minutes.
  const double scaled = static_cast<double>(time) * factor;
  return static_cast<Ns>(std::llround(std::min(scaled, std::max<double>(time, kMost))));
}

std::size_t RowsOf(const Profile& profile, PathTable table) {
  switch (table) {
    case PathTable::kHost:
      return profile.host.size();
    case PathTable::kApi:
      return profile.api.size();
    case PathTable::kDevice:
      break;
  }
  return profile.device.size();
}

// The factors of all segments that scalings cover. Few are, as a rule: a list, with a bit by step.
class Factors {
 public:
  explicit Factors(const PathGraph& graph) : graph_(graph), is_covered_(graph.size()) {}

  void Add(const Scaling& scaling, std::uint32_t rank) {
    std::vector<bool> named(RowsOf(*graph_.rank().profile, scaling.table));
    bool any = false;
    for (const ScenarioRow& row : scaling.rows) {
      if (row.rank != rank || row.row >= named.size()) continue;
      named[row.row] = any = true;
    }
    if (!any || (scaling.factor == 1 && !scaling.without_waiting)) return;
    if (scaling.table == PathTable::kDevice) {
      CoverDevice(named, scaling.factor);
      if (scaling.without_waiting) StopWaiting(named);
    } else {
      CoverThreads(named, scaling.table, scaling.factor);
    }
  }

  // REQUIRES: after the last Add(). One entry a step, in their order.
  void Finish() {
    std::stable_sort(covered_.begin(), covered_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t out = 0;
    for (std::size_t i = 0; i < covered_.size(); ++i) {
      if (out > 0 && covered_[out - 1].first == covered_[i].first) {
        double& factor = covered_[out - 1].second;
        factor = std::min(factor * covered_[i].second, kMostFactor);
      } else {
        covered_[out++] = covered_[i];
      }
    }
    covered_.resize(out);
  }

  double Of(StepId step) const {
    if (!is_covered_[step]) return 1;
    const auto at = std::lower_bound(
        covered_.begin(), covered_.end(), step,
        [](const std::pair<StepId, double>& entry, StepId wanted) { return entry.first < wanted; });
    return at->second;
  }
  bool StopsWaiting(StepId step) const {
    return step / 2 < waits_not_.size() && (step & 1) != 0 && waits_not_[step / 2];
  }
  std::span<const std::pair<StepId, double>> all() const { return covered_; }
  bool covers_threads() const {
    return !covered_.empty() && covered_.back().first >= graph_.device_steps();
  }

 private:
  void Cover(StepId step, double factor) {
    covered_.emplace_back(step, factor);
    is_covered_[step] = true;
  }

  void CoverDevice(const std::vector<bool>& named, double factor) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) Cover(end, factor);
    }
  }

  void StopWaiting(const std::vector<bool>& named) {
    waits_not_.resize(graph_.device_steps() / 2);
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      if (named[graph_.OwnerOf(end).row]) waits_not_[end / 2] = true;
    }
  }

  // Segments that lie in a named range; of one that ends off its thread's chain, its end alone.
  void CoverThreads(const std::vector<bool>& named, PathTable table, double factor) {
    std::vector<bool> detached;
    for (auto step = static_cast<StepId>(graph_.size()); step-- > graph_.device_steps();) {
      const PathOwner owner = graph_.OwnerOf(step);  // Such ends stand last.
      if (!owner.is_end || graph_.Before(step) != PathGraph::kNone) break;
      if (owner.table != table) continue;
      if (detached.empty()) detached.resize(named.size());
      detached[owner.row] = true;
    }
    std::size_t depth = 0;
    for (StepId step = graph_.device_steps(); step < graph_.size(); ++step) {
      if (graph_.Before(step) == PathGraph::kNone) depth = 0;
      const PathOwner owner = graph_.OwnerOf(step);
      const bool is_named = owner.table == table && named[owner.row];
      if (depth > 0 || (is_named && owner.is_end)) Cover(step, factor);
      if (!is_named || (!detached.empty() && detached[owner.row])) continue;
      if (!owner.is_end) {
        ++depth;
      } else if (depth > 0) {
        --depth;
      }
    }
  }

  const PathGraph& graph_;
  std::vector<std::pair<StepId, double>> covered_;
  std::vector<bool> is_covered_;
  std::vector<bool> waits_not_;  // By work of the device; empty: none.
};

class Cutter {
 public:
  Cutter(const PathGraph& graph, std::uint32_t rank, std::span<const Ns> transfers,
         const JointReplay* joint)
      : graph_(graph), rank_(rank), transfers_(transfers), joint_(joint) {}

  ScenarioChanges Run(const Factors& factors, bool without_waiting) {
    if (factors.all().empty() && !without_waiting) return {};
    out_.cuts.resize(graph_.size());
    out_.alone.resize(graph_.size());
    for (const auto& [step, factor] : factors.all()) {
      CutSegment(step, factor, factors.StopsWaiting(step));
    }
    if (factors.covers_threads()) CutLaunches(factors);
    if (without_waiting) CutWaiting(factors);
    return std::move(out_);
  }

 private:
  Ns TransferOf(StepId end) const {
    return transfers_.empty() ? -1 : transfers_[graph_.OwnerOf(end).row];
  }

  void CutSegment(StepId step, double factor, bool stops_waiting) {
    Ns segment = std::max<Ns>(0, graph_.SegmentOf(step)), waiting = 0;
    if (joint_ != nullptr && joint_->IsJointEnd(rank_, step)) {
      const Ns transfer = TransferOf(step);
      if (stops_waiting) {
        out_.alone[step] = 1;
        waiting = segment - transfer;
      }
      segment = transfer;
    }
    if (step >= graph_.device_steps() && graph_.Before(step) != PathGraph::kNone &&
        graph_.BindingOf(step).kind == PathEdge::kSync) {
      out_.alone[step] = 1;
      segment = graph_.RecordedAt(step) - graph_.RecordedAt(step - 1);
    }
    out_.cuts[step] = waiting + segment - Scaled(segment, factor);
  }

  // What a launch takes beyond its call stays: the call's own part shrinks with the call.
  void CutLaunches(const Factors& factors) {
    for (StepId start = 0; start < graph_.device_steps(); start += 2) {
      bool may_change = false;
      graph_.ForEachEdge(start, [&](const PathGraph::Edge& edge) {
        may_change |= edge.kind == PathEdge::kLaunch && factors.Of(edge.from + 1) != 1;
      });
      if (!may_change) continue;
      const PathGraph::Edge binding = graph_.BindingOf(start);
      if (binding.kind != PathEdge::kLaunch) continue;
      const PathOwner call = graph_.OwnerOf(binding.from);
      const Ns duration = graph_.rank().profile->api.duration[call.row];
      const Ns within = std::clamp<Ns>(graph_.SegmentOf(start), 0, std::max<Ns>(duration, 0));
      out_.cuts[start] = within - Scaled(within, factors.Of(binding.from + 1));
    }
  }

  void CutWaiting(const Factors& factors) {
    for (StepId end = 1; end < graph_.device_steps(); end += 2) {
      const Ns transfer = TransferOf(end);
      if (transfer < 0) continue;
      const Ns segment = std::max<Ns>(0, graph_.SegmentOf(end));
      const Ns waiting = std::max<Ns>(0, graph_.SegmentOf(end) - transfer);
      const Ns rest = segment - waiting;
      out_.alone[end] = 1;
      out_.cuts[end] = waiting + rest - Scaled(rest, factors.Of(end));
    }
  }

  const PathGraph& graph_;
  std::uint32_t rank_;
  std::span<const Ns> transfers_;
  const JointReplay* joint_;
  ScenarioChanges out_;
};

}  // namespace

ScenarioChanges ChangesOf(const Scenario& scenario, const PathGraph& graph, std::uint32_t rank,
                          std::span<const Ns> transfers, const JointReplay* joint) {
  Factors factors(graph);
  for (const Scaling& scaling : scenario.scalings) factors.Add(scaling, rank);
  factors.Finish();
  return Cutter(graph, rank, transfers, joint).Run(factors, scenario.without_waiting);
}

}  // namespace profgauge
