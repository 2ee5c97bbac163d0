#include "analysis/path/replayer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analysis/path/replay.h"
#include "knowledge/path.h"

namespace profgauge::analysis::path {
namespace {

// From the end of iteration `k` to where the next one starts; 0 after the last.
template <class SpanAt>
Ns PauseAfter(std::size_t k, std::size_t count, SpanAt span_at) {
  return k + 1 < count ? std::max<Ns>(0, span_at(k + 1).start - span_at(k).end) : 0;
}

// Whether time passes between the iterations that a change of the loop may win: as much as
// `iteration/between` reports.
bool HasPauses(std::span<const context::Iteration> selected) {
  const auto span_at = [&](std::size_t k) { return selected[k].time; };
  Ns pauses = 0, lengths = 0;
  for (std::size_t k = 0; k < selected.size(); ++k) {
    pauses += PauseAfter(k, selected.size(), span_at);
    lengths += span_at(k).length();
  }
  return pauses > 0 && pauses >= knowledge::kPathLeastPauseShare.WholeOf(lengths + pauses);
}

}  // namespace

PathGraphs BuildGraphs(std::span<const context::RankContext> ranks) {
  std::vector<PathGraph> graphs;
  for (const context::RankContext& rank : ranks) {
    auto graph = PathGraph::Build(rank);
    if (!graph) return tl::unexpected(std::move(graph.error()));
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

Replayer::Replayer(std::shared_ptr<const std::vector<context::RankContext>> ranks,
                   PathGraphs graphs)
    : ranks_(std::move(ranks)) {
  if (!graphs) {
    why_not_ = std::move(graphs.error());
    return;
  }
  graphs_ = *std::move(graphs);
  transfers_.resize(ranks_->size());
  if (ranks_->size() > 1) MatchCalls();
}

// Waiting is known, and the replay joint, only if calls could be matched over ranks.
void Replayer::MatchCalls() {
  std::vector<std::vector<communication::CollectiveCall>> calls;
  for (const context::RankContext& rank : *ranks_)
    calls.push_back(communication::CollectCollectives(rank));
  const communication::Matching matching = communication::MatchRanks(*ranks_, calls);
  for (std::size_t i = 0; i < ranks_->size(); ++i) {
    transfers_[i].assign((*ranks_)[i].profile->device.size(), -1);
    for (const communication::CollectiveCall& call : calls[i]) {
      if (call.event == tables::Output::kNoRow || call.transfer < 0) continue;
      transfers_[i][call.event] = call.transfer;
      knows_waiting_ = true;
    }
  }
  if (knows_waiting_) joint_.emplace(graphs_, matching, calls);
}

// Ranks are simulated together: the times of all steps of all ranks are in memory.
std::vector<Replayer::Replayed> Replayer::ReplayJointly(const Scenario& scenario,
                                                        PredictionOf wanted) const {
  std::vector<ScenarioChanges> changes;
  for (std::uint32_t i = 0; i < graphs_.size(); ++i) {
    changes.emplace_back(scenario, graphs_[i], i, transfers_[i], &*joint_);
  }
  const std::vector<std::vector<Ns>> times = joint_->Replay(changes);
  std::vector<Replayed> out(graphs_.size());
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    out[i].iterations = graphs_[i].IterationsAt(times[i]);
    if (wanted == PredictionOf::kTimes) continue;
    out[i].path =
        SumCriticalPath(graphs_[i], changes[i], times[i], out[i].iterations, transfers_[i]);
  }
  return out;
}

// Without the path only the times that are still needed are kept.
Replayer::Replayed Replayer::ReplayAlone(const Scenario& scenario, std::uint32_t rank,
                                         PredictionOf wanted) const {
  const PathGraph& graph = graphs_[rank];
  const ScenarioChanges changes(scenario, graph, rank, transfers_[rank], nullptr);
  Replayed out;
  if (wanted == PredictionOf::kTimes) {
    out.iterations = ReplayIterations(graph, changes);
    return out;
  }
  const std::vector<Ns> times = ReplayAll(graph, changes);
  out.iterations = graph.IterationsAt(times);
  out.path = SumCriticalPath(graph, changes, times, out.iterations, transfers_[rank]);
  return out;
}

// Iterations of ranks are the same if their names are. Each counts as long as on its slowest rank,
// recorded and predicted apart, since another rank may be the slowest after the change.
Prediction Replayer::Predict(const Scenario& scenario, PredictionOf wanted) const {
  std::vector<Replayed> replayed;
  if (is_joint() && !scenario.without_waiting) replayed = ReplayJointly(scenario, wanted);
  Prediction out;
  std::map<std::string_view, std::pair<Ns, Ns>> slowest;  // Recorded and predicted.
  for (std::uint32_t i = 0; i < graphs_.size(); ++i) {
    const Replayed its =
        i < replayed.size() ? std::move(replayed[i]) : ReplayAlone(scenario, i, wanted);
    const std::vector<Span>& spans = its.iterations;
    const auto selected = (*ranks_)[i].iterations.selected();
    const bool with_pauses = HasPauses(selected);
    for (std::size_t k = 0; k < spans.size(); ++k) {
      Ns was = selected[k].time.length(), is = spans[k].length();
      if (with_pauses) {
        was += PauseAfter(k, spans.size(), [&](std::size_t at) { return selected[at].time; });
        is += PauseAfter(k, spans.size(), [&](std::size_t at) { return spans[at]; });
      }
      auto& [recorded, predicted] = slowest[selected[k].name];
      recorded = std::max(recorded, was);
      predicted = std::max(predicted, is);
    }
    for (std::size_t k = 0; k < kPathKinds; ++k) out.path[k] += its.path[k];
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

RankPaces Replayer::PacesOf(const Scaling& scaling) const {
  if (!is_joint()) return RankPaces(graphs_.size());
  std::vector<Flags> rows;
  for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
    rows.push_back(NamedRows(graphs_[rank], scaling, rank));
  }
  return PacesToKeepUp(*joint_, graphs_, rows);
}

// Only scalings of host ranges and calls have covered steps.
void Replayer::FindSteps(Scenario& scenario) const {
  for (Scaling& scaling : scenario.scalings) {
    if (scaling.keeps_up) {
      scaling.paces = std::make_shared<const RankPaces>(PacesOf(scaling));
    }
    if (scaling.table != PathTable::kHost && scaling.table != PathTable::kApi) continue;
    auto steps = std::make_shared<std::vector<StepRanges>>();
    for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
      steps->push_back(CoveredSteps(graphs_[rank], scaling, rank));
    }
    scaling.steps = std::move(steps);
  }
}

// An upper bound that needs no replay: no path can get shorter by more than all cuts together.
double Replayer::MostSaved(const Scenario& scenario) const {
  if (scenario.without_waiting) return std::numeric_limits<double>::infinity();
  Scenario others = scenario;  // Paces shorten paths, of which every step has a part.
  std::erase_if(others.scalings, [](const Scaling& scaling) { return scaling.keeps_up; });
  double saved = 0;
  for (const Scaling& scaling : scenario.scalings) {
    if (!scaling.paces) continue;
    for (const std::vector<Pace>& paces : *scaling.paces) {
      saved += static_cast<double>(MostGained(paces));
    }
  }
  ReplayPart part;
  std::size_t iterations = 1;
  for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
    const PathGraph& graph = graphs_[rank];
    const JointReplay* const joint = is_joint() ? &*joint_ : nullptr;
    const ScenarioChanges changes(others, graph, rank, transfers_[rank], joint);
    iterations = std::max(iterations, (*ranks_)[rank].iterations.selected().size());
    for (const auto& [begin, end] : graph.runs()) {
      for (PathGraph::StepId at = begin, count = 0; at < end; at += count) {
        count = std::min(ReplayPart::kSteps, end - at);
        part.recorded[0] = at > 0 ? graph.RecordedAt(at - 1) : 0;
        graph.ReadTimes(at, std::span(part.recorded).subspan(1, count));
        const auto own = std::span(part.own).first(count);
        changes.Read(at, std::span(part.recorded).first(count + 1), own);
        for (const StepChange& change : own) {
          if (change.is_alone) return std::numeric_limits<double>::infinity();
          saved += static_cast<double>(std::max<Ns>(change.cut, 0));
        }
      }
    }
  }
  return saved / static_cast<double>(iterations);
}

}  // namespace profgauge::analysis::path
