#include "analysis/path/replayer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/path/scenario_changes.h"

namespace profgauge {

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
  if (ranks_->size() > 1) MatchCalls();
}

void Replayer::MatchCalls() {
  std::vector<std::vector<CollectiveCall>> calls;
  for (const RankContext& rank : *ranks_) calls.push_back(CollectCollectives(rank));
  const Matching matching = MatchRanks(*ranks_, calls);
  for (std::size_t i = 0; i < ranks_->size(); ++i) {
    transfers_[i].assign((*ranks_)[i].profile->device.size(), -1);
    for (const CollectiveCall& call : calls[i]) {
      if (call.event == Output::kNoRow || call.transfer < 0) continue;
      transfers_[i][call.event] = call.transfer;
      knows_waiting_ = true;
    }
  }
  if (knows_waiting_) joint_.emplace(graphs_, matching, calls);
}

std::vector<std::vector<Ns>> Replayer::TimesOf(std::span<const PathChanges> changes,
                                               bool alone) const {
  if (is_joint() && !alone) return joint_->Replay(changes);
  std::vector<std::vector<Ns>> times;
  for (std::size_t i = 0; i < graphs_.size(); ++i) times.push_back(graphs_[i].Replay(changes[i]));
  return times;
}

std::vector<std::vector<Ns>> Replayer::Slacks() const {
  if (is_joint()) return joint_->Slacks();
  std::vector<std::vector<Ns>> slacks;
  for (const PathGraph& graph : graphs_) slacks.push_back(graph.Slacks());
  return slacks;
}

Prediction Replayer::Predict(const Scenario& scenario) const {
  std::vector<ScenarioChanges> changed;
  std::vector<PathChanges> changes;
  const JointReplay* joint = is_joint() && !scenario.without_waiting ? &*joint_ : nullptr;
  for (std::uint32_t i = 0; i < graphs_.size(); ++i) {
    changed.push_back(ChangesOf(scenario, graphs_[i], i, transfers_[i], joint));
    changes.emplace_back(changed.back().cuts, changed.back().alone);
  }
  const std::vector<std::vector<Ns>> times = TimesOf(changes, joint == nullptr);
  Prediction out;
  std::map<std::string_view, std::pair<Ns, Ns>> slowest;  // Recorded and predicted.
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    const std::vector<Span> spans = graphs_[i].IterationsAt(times[i]);
    const auto selected = (*ranks_)[i].iterations.selected();
    for (std::size_t k = 0; k < spans.size(); ++k) {
      auto& [recorded, predicted] = slowest[selected[k].name];
      recorded = std::max(recorded, selected[k].time.length());
      predicted = std::max(predicted, spans[k].length());
    }
    const PathSums sums = SumCriticalPath(graphs_[i], changes[i], times[i], spans, transfers_[i]);
    for (std::size_t k = 0; k < kPathKinds; ++k) out.path[k] += sums[k];
  }
  for (const auto& [name, lengths] : slowest) {
    out.recorded_time += static_cast<double>(lengths.first);
    out.iteration_time += static_cast<double>(lengths.second);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(slowest.size(), 1));
  out.recorded_time /= count;
  out.iteration_time /= count;
  return out;
}

}  // namespace profgauge
