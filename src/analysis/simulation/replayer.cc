// Simulations of scenarios on all ranks; the covered segments of host ranges and calls.

#include "analysis/simulation/replayer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "analysis/classify/device_spans.h"
#include "analysis/communication/collective_calls.h"
#include "analysis/simulation/replay.h"
#include "base/parallel.h"
#include "knowledge/path.h"

namespace profgauge::analysis::simulation {
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

// Finds segments in named ranges. For a segment that ends off its thread's chain, only the end is
// found.
//
// A segment is identified by the step that ends it. Example: a named range R with a call A and a
// call F that frees memory or loads code (lower case: starts, upper case: ends):
//
//   R    |-----------------------|
//   A, F     |--|     |----|
//   steps  r a  A     f    F     R       covered: a A f R, not F: the call keeps its time
//
// Nested named ranges count once: `depth` is their number around the step.
class StepFinder {
 public:
  StepFinder(const PathGraph& graph, const Flags& named, PathTable table)
      : graph_(graph), named_(named), table_(table) {
    for (auto step = static_cast<StepId>(graph.size()); step-- > graph.device_steps();) {
      const PathOwner owner = graph.OwnerOf(step);  // Ends that are on no chain are last.
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
  // Whether a scenario shortens this call itself. The first call that launches or allocates also
  // loads code or sets up the device. Fewer calls would not save that time, so it is kept.
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
    Span segment{0, 0};  // The segment that ends in the step.
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

namespace {

// The time from the end of iteration `k` to the next start; 0 after the last.
template <class SpanAt>
Ns PauseAfter(std::size_t k, std::size_t count, SpanAt span_at) {
  return k + 1 < count ? std::max<Ns>(0, span_at(k + 1).start - span_at(k).end) : 0;
}

// Whether the time between iterations is large enough for a change of the loop to matter: at least
// the limit of `iteration/between`.
bool HasPauses(std::span<const iterations::Iteration> selected) {
  const auto span_at = [&](std::size_t k) { return selected[k].time; };
  Ns pauses = 0, lengths = 0;
  for (std::size_t k = 0; k < selected.size(); ++k) {
    pauses += PauseAfter(k, selected.size(), span_at);
    lengths += span_at(k).length();
  }
  return pauses > 0 && pauses >= knowledge::kPathLeastPauseShare.WholeOf(lengths + pauses);
}

}  // namespace

PathGraphs BuildGraphs(std::span<const iterations::RankContext> ranks) {
  std::vector<PathGraph> graphs;
  for (const iterations::RankContext& rank : ranks) {
    auto graph = PathGraph::Build(rank);
    if (!graph) return tl::unexpected(std::move(graph.error()));
    graphs.push_back(std::move(*graph));
  }
  return graphs;
}

Replayer::Replayer(std::shared_ptr<const std::vector<iterations::RankContext>> ranks,
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

// Waiting is known, and the replay is joint, only if calls could be matched between ranks.
void Replayer::MatchCalls() {
  std::vector<std::vector<communication::CollectiveCall>> calls;
  for (const iterations::RankContext& rank : *ranks_)
    calls.push_back(communication::CollectCollectives(rank));
  const communication::Matching matching = communication::MatchRanks(*ranks_, calls);
  std::size_t count = 0, matched = 0;
  for (std::size_t i = 0; i < ranks_->size(); ++i) {
    transfers_[i].assign((*ranks_)[i].profile->device.size(), -1);
    for (const communication::CollectiveCall& call : calls[i]) {
      if (call.event == catalog::Output::kNoRow) continue;
      ++count;
      if (call.transfer < 0) continue;
      ++matched;
      transfers_[i][call.event] = call.transfer;
      knows_waiting_ = true;
    }
  }
  knows_transfers_ = matched > 0 && static_cast<double>(matched) >=
                                        knowledge::kPathMatchedShare.Of(static_cast<double>(count));
  if (knows_waiting_) joint_.emplace(graphs_, matching, calls);
}

// Simulates all ranks together, with the times of all steps of all ranks in memory.
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

// Simulates one rank. Without the path, only the times that are still needed are kept.
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

std::shared_ptr<const std::vector<HidingRoom>> Replayer::RoomsOf(Hidden hidden) const {
  const std::lock_guard lock(making_rooms_);
  auto& known = rooms_[static_cast<std::size_t>(hidden)];
  if (known != nullptr) return known;
  auto rooms = std::make_shared<std::vector<HidingRoom>>();
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank) {
    rooms->push_back(RoomToHide((*ranks_)[rank], transfers_[rank], hidden));
  }
  return known = std::move(rooms);
}

namespace {

bool Hides(const Scenario& scenario) {
  return std::ranges::any_of(scenario.scalings,
                             [](const Scaling& scaling) { return scaling.hides.has_value(); });
}

// Whether the scenario speeds up all own work of a rank.
bool KeepsUp(const Scenario& scenario) {
  return std::ranges::any_of(scenario.scalings,
                             [](const Scaling& scaling) { return scaling.paces != nullptr; });
}

// The factor of each device row of a rank, without scalings that hide.
std::vector<double> FactorsOfWork(const Scenario& scenario, const PathGraph& graph,
                                  std::uint32_t rank) {
  std::vector<double> factors(graph.rank().profile->device.size(), 1);
  Flags is_covered(factors.size());
  for (const Scaling& scaling : scenario.scalings) {
    if (scaling.table != PathTable::kDevice || scaling.hides || scaling.factor == 1) continue;
    for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
      for (std::uint32_t row = range.begin; range.rank == rank && row < range.end; ++row) {
        const bool smallest = scenario.by_smallest && is_covered[row];
        factors[row] =
            smallest ? std::min(factors[row], scaling.factor) : factors[row] * scaling.factor;
        is_covered.Set(row);
      }
    }
  }
  return factors;
}

// The share of its recorded time that a GPU's computation takes.
double ComputingPart(const iterations::RankContext& rank, std::int32_t gpu,
                     std::span<const double> factors) {
  const DeviceTable& device = rank.profile->device;
  const classify::DeviceRows rows = classify::RowsOfGpu(device, gpu);
  double recorded = 0, then = 0;
  for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
    const bool computes = device.kind[row] == DeviceKind::kKernel && !rank.classes[row].collective;
    if (!computes || !rank.InIterations(DeviceId{row})) continue;
    const auto time = static_cast<double>(device.duration[row]);
    recorded += time;
    then += time * factors[row];
  }
  return recorded > 0 ? std::min(1.0, then / recorded) : 1;
}

// Rounds up, so that the hidden time never exceeds the room.
double FactorOfHidden(Ns hidden, Ns duration) {
  constexpr double kSteps = 1000;
  if (duration <= 0) return 1;
  const double left = 1 - static_cast<double>(hidden) / static_cast<double>(duration);
  return std::ceil(std::clamp(left, 0.0, 1.0) * kSteps) / kSteps;
}

}  // namespace

Scenario Replayer::WithFactors(const Scenario& scenario) const {
  Scenario out = scenario;
  std::erase_if(out.scalings, [](const Scaling& scaling) { return scaling.hides.has_value(); });
  std::map<double, Scaling> by_factor;
  for (const Scaling& scaling : scenario.scalings) {
    if (!scaling.hides || scaling.rooms == nullptr) continue;
    by_factor.clear();
    std::uint32_t known_rank = PathGraph::kNone;
    std::vector<double> factors;
    std::map<std::int32_t, double> shares_of;
    for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
      const iterations::RankContext& rank = (*ranks_)[range.rank];
      const DeviceTable& device = rank.profile->device;
      const HidingRoom& room = (*scaling.rooms)[range.rank];
      if (room.exposed.empty()) continue;
      if (range.rank != known_rank) {
        known_rank = range.rank;
        shares_of.clear();
        factors = scenario.keeps_rooms ? std::vector<double>(device.size(), 1)
                                       : FactorsOfWork(scenario, graphs_[range.rank], range.rank);
        for (const HidingRoom::Gpu& gpu : room.gpus) {
          shares_of[gpu.gpu] = room.HiddenShare(gpu.gpu, ComputingPart(rank, gpu.gpu, factors));
        }
      }
      for (std::uint32_t row = range.begin; row < range.end; ++row) {
        const auto hidden =
            static_cast<Ns>(static_cast<double>(room.exposed[row]) * shares_of[device.gpu[row]]);
        const Ns transfer = transfers_[range.rank].empty() ? -1 : transfers_[range.rank][row];
        const double factor =
            FactorOfHidden(hidden, transfer < 0 ? device.duration[row] : transfer);
        if (factor == 1) continue;
        Scaling& to = by_factor[factor];
        to.table = PathTable::kDevice;
        to.factor = factor;
        to.rows.push_back({range.rank, row});
      }
    }
    for (auto& [factor, of_factor] : by_factor) out.scalings.push_back(std::move(of_factor));
  }
  return out;
}

// Hidden work counts as a separate stream.
double Replayer::BusiestStream(const Scenario& scenario) const {
  double most = 0;
  for (std::uint32_t i = 0; i < graphs_.size(); ++i) {
    const iterations::RankContext& rank = (*ranks_)[i];
    const DeviceTable& device = rank.profile->device;
    const std::vector<double> factors = FactorsOfWork(scenario, graphs_[i], i);
    Flags hidden;
    for (const Scaling& scaling : scenario.scalings) {
      if (!scaling.hides) continue;
      if (hidden.empty()) hidden = Flags(device.size());
      for (const ScenarioRows::Range& range : scaling.rows.ranges()) {
        if (range.rank == i) hidden.Set(range.begin, range.end);
      }
    }
    double open = 0, beside = 0;
    for (std::uint32_t row = 0; row < device.size(); ++row) {  // Rows are sorted by stream.
      const bool is_same = row > 0 && device.gpu[row] == device.gpu[row - 1] &&
                           device.stream[row] == device.stream[row - 1];
      if (!is_same) open = beside = 0;
      if (!rank.InIterations(DeviceId{row})) continue;
      const Ns transfer = transfers_[i].empty() ? -1 : transfers_[i][row];
      const Ns length = transfer < 0 ? device.duration[row] : transfer;
      double& sum = !hidden.empty() && hidden[row] ? beside : open;
      sum += static_cast<double>(length) * factors[row];
      most = std::max({most, open, beside});
    }
  }
  return most;
}

double Replayer::TimeWithPauses() const {
  std::map<std::string_view, Ns> slowest;
  bool any = false;
  for (const iterations::RankContext& rank : *ranks_) {
    const auto selected = rank.iterations.selected();
    const bool with_pauses = HasPauses(selected);
    any = any || with_pauses;
    for (std::size_t k = 0; k < selected.size(); ++k) {
      const Ns pause =
          PauseAfter(k, selected.size(), [&](std::size_t at) { return selected[at].time; });
      Ns& time = slowest[selected[k].name];
      time = std::max(time, selected[k].time.length() + (with_pauses ? pause : 0));
    }
  }
  if (!any) return 0;
  double sum = 0;
  for (const auto& [name, time] : slowest) sum += static_cast<double>(time);
  return sum / static_cast<double>(slowest.size());
}

// Iterations with equal names on several ranks are the same iteration. It counts with its slowest
// rank, separately as recorded and as predicted: a change may make another one slowest.
Prediction Replayer::Predict(const Scenario& wished, PredictionOf wanted) const {
  const bool hides = Hides(wished);
  const Scenario with_factors = hides ? WithFactors(wished) : Scenario();
  const Scenario& scenario = hides ? with_factors : wished;
  std::vector<Replayed> replayed;
  if (is_joint() && !scenario.without_waiting) replayed = ReplayJointly(scenario, wanted);
  Prediction out;
  std::map<std::string_view, std::pair<Ns, Ns>> slowest;  // Recorded and predicted time.
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
  if (out.iteration_time < out.recorded_time && !KeepsUp(wished)) {
    const double busy = BusiestStream(wished) / count;
    out.iteration_time = std::max(out.iteration_time, std::min(out.recorded_time, busy));
  }
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

// Steps are found only for scalings of host ranges and calls, and paces and rooms for others.
void Replayer::FindSteps(Scenario& scenario) const {
  for (Scaling& scaling : scenario.scalings) {
    if (scaling.keeps_up) {
      scaling.paces = std::make_shared<const RankPaces>(PacesOf(scaling));
    }
    if (scaling.hides) scaling.rooms = RoomsOf(*scaling.hides);
    if (scaling.table != PathTable::kHost && scaling.table != PathTable::kApi) continue;
    auto steps = std::make_shared<std::vector<StepRanges>>();
    for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
      steps->push_back(CoveredSteps(graphs_[rank], scaling, rank));
    }
    scaling.steps = std::move(steps);
  }
}

bool Replayer::MayMissWaits() const {
  Ns silent = 0, whole = 0;
  for (std::size_t rank = 0; rank < graphs_.size(); ++rank) {
    silent += SilentTimeOfPath(graphs_[rank], transfers_[rank]);
    const std::vector<Span> iterations = graphs_[rank].IterationsAt(graphs_[rank].recorded());
    if (!iterations.empty()) whole += iterations.back().end - iterations.front().start;
  }
  return silent > 0 && silent >= knowledge::kPathSilentShare.Of(whole);
}

// An upper bound without a replay: no path can be shortened by more than the sum of all cuts.
double Replayer::MostSaved(const Scenario& scenario) const {
  if (scenario.without_waiting) return std::numeric_limits<double>::infinity();
  Scenario others = Hides(scenario)
                        ? WithFactors(scenario)
                        : scenario;  // Paces shorten paths, and each step contributes a part.
  std::erase_if(others.scalings, [](const Scaling& scaling) { return scaling.keeps_up; });
  double saved = 0;
  for (const Scaling& scaling : scenario.scalings) {
    if (!scaling.paces) continue;
    for (const std::vector<Pace>& paces : *scaling.paces) {
      saved += static_cast<double>(MostGained(paces));
    }
  }
  std::size_t iterations = 1;
  for (std::uint32_t rank = 0; rank < graphs_.size(); ++rank) {
    const PathGraph& graph = graphs_[rank];
    const JointReplay* const joint = is_joint() ? &*joint_ : nullptr;
    const ScenarioChanges changes(others, graph, rank, transfers_[rank], joint);
    iterations = std::max(iterations, (*ranks_)[rank].iterations.selected().size());
    for (const auto& [begin, end] : graph.runs()) {
      for (PathGraph::StepId at = begin, count = 0; at < end; at += count) {
        count = std::min(kChangeAtOnce, end - at);
        if (!changes.MayChange(at, count)) continue;
        for (PathGraph::StepId step = at; step < at + count; ++step) {
          const std::uint32_t move = graph.moves()[step];
          const StepChange change =
              move != PathGraph::kNoMove ? changes.OfMove(step, move) : changes.Of(step);
          if (change.is_alone) return std::numeric_limits<double>::infinity();
          saved += static_cast<double>(std::max<Ns>(change.cut, 0));
        }
      }
    }
  }
  return saved / static_cast<double>(iterations);
}

}  // namespace profgauge::analysis::simulation
