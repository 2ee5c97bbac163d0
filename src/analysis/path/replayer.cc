#include "analysis/path/replayer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/communication/matching.h"

namespace profgauge {
namespace {

Ns Scaled(Ns time, double factor) {
  return static_cast<Ns>(std::llround(static_cast<double>(time) * factor));
}

// Which rows of one table a scaling names, and which of them end off their thread's chain.
class Coverage {
 public:
  Coverage(const PathGraph& graph, std::size_t rank, const Scaling& scaling, std::size_t rows)
      : graph_(graph), scaling_(scaling), named_(rows), detached_(rows) {
    for (const ScenarioRow& row : scaling.rows) {
      if (row.rank == rank && row.row < rows) named_[row.row] = true;
    }
    // Ends off their chain stand last.
    for (PathGraph::StepId step = static_cast<PathGraph::StepId>(graph.size()); step-- > 0;) {
      const PathOwner owner = graph.OwnerOf(step);
      if (!owner.is_end || !IsDetached(step)) break;
      if (owner.table == scaling.table) detached_[owner.row] = true;
    }
  }

  // Multiplies the factors of all segments that lie in named ranges.
  void Apply(std::vector<double>& factors) {
    std::size_t depth = 0;
    for (PathGraph::StepId step = 0; step < graph_.size(); ++step) {
      const PathOwner owner = graph_.OwnerOf(step);
      if (graph_.Before(step) == PathGraph::kNone) depth = 0;
      const bool named = owner.table == scaling_.table && named_[owner.row];
      if (depth > 0 || (named && owner.is_end)) factors[step] *= scaling_.factor;
      if (!named || detached_[owner.row]) continue;
      if (!owner.is_end) {
        ++depth;
      } else if (depth > 0) {
        --depth;
      }
    }
  }

 private:
  bool IsDetached(PathGraph::StepId step) const { return graph_.Before(step) == PathGraph::kNone; }

  const PathGraph& graph_;
  const Scaling& scaling_;
  std::vector<bool> named_, detached_;
};

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

// What a launch takes beyond its call stays: the call's own part shrinks with the call.
Ns LaunchCut(const PathGraph& graph, PathGraph::StepId step, PathGraph::StepId call_start,
             const std::vector<double>& factors) {
  const PathOwner call = graph.OwnerOf(call_start);
  const Ns duration = graph.rank().profile->api.duration[call.row];
  const double factor = factors[call_start + 1];  // Of the call's first segment.
  if (factor == 1 || duration <= 0) return 0;
  const Ns within = std::clamp<Ns>(graph.SegmentOf(step), 0, duration);
  return within - Scaled(within, factor);
}

}  // namespace

Replayer::Replayer(std::shared_ptr<const std::vector<RankContext>> ranks)
    : ranks_(std::move(ranks)) {
  for (const RankContext& rank : *ranks_) {
    auto graph = PathGraph::Build(rank);
    if (!graph) {
      why_not_ = std::move(graph.error());
      graphs_.clear();
      return;
    }
    graphs_.push_back(std::move(*graph));
  }
  transfers_.resize(ranks_->size());
  if (ranks_->size() > 1) FindTransfers();
}

void Replayer::FindTransfers() {
  std::vector<std::vector<CollectiveCall>> calls;
  for (const RankContext& rank : *ranks_) calls.push_back(CollectCollectives(rank));
  MatchRanks(*ranks_, calls);
  for (std::size_t i = 0; i < ranks_->size(); ++i) {
    const RankContext& rank = (*ranks_)[i];
    const DeviceTable& device = rank.profile->device;
    // Calls are the device's collectives by start; equal ones keep their order.
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < device.size(); ++row) {
      if (rank.classes[row].collective) rows.push_back(row);
    }
    if (rows.size() != calls[i].size()) continue;
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return device.start[a] < device.start[b];
    });
    transfers_[i].assign(device.size(), -1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      transfers_[i][rows[k]] = calls[i][k].transfer;
      knows_waiting_ = knows_waiting_ || calls[i][k].transfer >= 0;
    }
  }
}

Replayer::Changed Replayer::ChangesOf(const Scenario& scenario, std::size_t rank) const {
  const PathGraph& graph = graphs_[rank];
  const Profile& profile = *graph.rank().profile;
  std::vector<double> factors(graph.size(), 1.0);
  for (const Scaling& scaling : scenario.scalings) {
    Coverage(graph, rank, scaling, RowsOf(profile, scaling.table)).Apply(factors);
  }
  std::vector<Ns> cuts(graph.size());
  std::vector<std::uint8_t> alone(graph.size());
  for (PathGraph::StepId step = 0; step < graph.size(); ++step) {
    const PathOwner owner = graph.OwnerOf(step);
    const bool on_device = owner.table == PathTable::kDevice;
    if (on_device && !owner.is_end) {
      const PathGraph::Edge binding = graph.BindingOf(step);
      if (binding.kind == PathEdge::kLaunch) {
        cuts[step] = LaunchCut(graph, step, binding.from, factors);
      }
      continue;
    }
    Ns waiting = 0;
    if (on_device && scenario.without_waiting && !transfers_[rank].empty()) {
      const Ns transfer = transfers_[rank][owner.row];
      if (transfer >= 0) waiting = std::max<Ns>(0, graph.SegmentOf(step) - transfer);
    }
    if (factors[step] == 1 && waiting == 0) continue;
    Ns segment = std::max<Ns>(0, graph.SegmentOf(step)) - waiting;
    if (graph.BindingOf(step).kind == PathEdge::kSync && graph.Before(step) != PathGraph::kNone) {
      alone[step] = 1;
      segment = graph.RecordedAt(step) - graph.RecordedAt(step - 1);
    }
    cuts[step] = waiting + segment - Scaled(segment, factors[step]);
  }
  return {std::move(cuts), std::move(alone)};
}

Prediction Replayer::Predict(const Scenario& scenario) const {
  Prediction out;
  std::map<std::string_view, std::pair<Ns, Ns>> slowest;  // Recorded and predicted.
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    const Changed changed = ChangesOf(scenario, i);
    const PathChanges changes(changed.cuts, changed.alone);
    const std::vector<Ns> times = graphs_[i].Replay(changes);
    const std::vector<Span> spans = graphs_[i].IterationsAt(times);
    const auto selected = (*ranks_)[i].iterations.selected();
    for (std::size_t k = 0; k < spans.size(); ++k) {
      auto& [recorded, predicted] = slowest[selected[k].name];
      recorded = std::max(recorded, selected[k].time.length());
      predicted = std::max(predicted, spans[k].length());
    }
    const PathSums sums = SumPath(CriticalPath(graphs_[i], changes, times, transfers_[i]));
    for (std::size_t k = 0; k < kPathKinds; ++k) out.path[k] += sums[k];
  }
  for (const auto& [name, times] : slowest) {
    out.recorded_time += static_cast<double>(times.first);
    out.iteration_time += static_cast<double>(times.second);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(slowest.size(), 1));
  out.recorded_time /= count;
  out.iteration_time /= count;
  return out;
}

}  // namespace profgauge
