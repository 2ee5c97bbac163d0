#include "analysis/simulation/keep_up.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/simulation/replayer.h"
#include "knowledge/plan.h"

namespace profgauge::analysis::simulation {
namespace {

using StepId = PathGraph::StepId;

// Each round costs a simulation; few iterations are recorded.
constexpr std::size_t kMostRounds = 16;

bool HasSenders(const JointReplay& joint) {
  for (std::size_t call = 0; call < joint.calls().size(); ++call) {
    if (joint.Sends(call)) return true;
  }
  return false;
}

/// A collective of the late rank.
struct LateArrival {
  StepId start = 0;
  Ns at = 0;    ///< As recorded.
  Ns need = 0;  ///< How much earlier it must come.
};

// By rank and device work, the joint calls that do not wait for the rank.
std::vector<Flags> LateWorks(const JointReplay& joint, std::span<const PathGraph> graphs,
                             std::span<const Flags> rows) {
  std::vector<Flags> late;
  for (const PathGraph& graph : graphs) late.emplace_back(graph.device_steps() / 2);
  for (std::size_t call = 0; call < joint.calls().size(); ++call) {
    if (joint.Sends(call)) continue;
    for (const JointReplay::Member& member : joint.calls()[call]) {
      const Flags& named = rows[member.rank];
      if (named.empty() || !named[graphs[member.rank].OwnerOf(member.end).row]) continue;
      late[member.rank].Set(member.end / 2);
    }
  }
  return late;
}

// Returns the arrivals of late ranks, in a replay with these paces that does not wait for them. The
// need of an arrival is how much earlier the call ends without the late rank, minus the rank's
// recorded waiting in it, which is available already.
std::vector<std::vector<LateArrival>> ArrivalsAt(RankPaces paces, const JointReplay& joint,
                                                 std::span<const PathGraph> graphs,
                                                 std::span<const Flags> late) {
  Scenario keeping_up;
  keeping_up.scalings.emplace_back().paces = std::make_shared<const RankPaces>(std::move(paces));
  std::vector<ScenarioChanges> changes;
  for (std::uint32_t rank = 0; rank < graphs.size(); ++rank) {
    changes.emplace_back(keeping_up, graphs[rank], rank, std::span<const Ns>(), &joint);
  }
  const std::vector<std::vector<Ns>> times = joint.Replay(changes, late);
  std::vector<std::vector<LateArrival>> arrivals(graphs.size());
  for (const std::vector<JointReplay::Member>& call : joint.calls()) {
    for (const JointReplay::Member& member : call) {
      if (!late[member.rank][member.end / 2]) continue;
      const PathGraph& graph = graphs[member.rank];
      const Ns earlier = graph.RecordedAt(member.end) - times[member.rank][member.end];
      const StepId start = member.end - 1;
      arrivals[member.rank].push_back({start, graph.RecordedAt(start), earlier - member.waited});
    }
  }
  for (std::vector<LateArrival>& its : arrivals) {
    std::sort(its.begin(), its.end(), [](const LateArrival& a, const LateArrival& b) {
      return std::pair(a.at, a.start) < std::pair(b.at, b.start);
    });
  }
  return arrivals;
}

// The part after `from` of a step's binding segment that a pace shortens.
Ns OwnPart(const PathGraph& graph, StepId step, PathGraph::Edge binding, Ns from) {
  const Ns at = graph.RecordedAt(step);
  const Ns segment = std::max<Ns>(0, at - std::max(from, graph.RecordedAt(binding.from)));
  const bool is_start = step < graph.device_steps() && (step & 1) == 0;
  if (!is_start) return IsOwnWork(graph, step) ? segment : 0;
  if (binding.kind != PathEdge::kLaunch) return 0;
  const ApiTable& api = graph.rank().profile->api;
  const std::uint32_t call = graph.OwnerOf(binding.from).row;
  return std::min(segment, std::max<Ns>(api.duration[call], 0));
}

// Sums the rank's own work on the binding chain before the step, back to `from`.
Ns OwnWorkBefore(const PathGraph& graph, StepId step, Ns from) {
  Ns own = 0;
  while (graph.RecordedAt(step) > from) {
    const PathGraph::Edge binding = graph.BindingOf(step);
    if (binding.from == PathGraph::kNone) break;
    own += OwnPart(graph, step, binding, from);
    step = binding.from;
  }
  return own;
}

// One pace for the time between two late arrivals. Gains add up along the rank, so each pace covers
// only the increase over the earlier needs:
//
//   arrival    1      2      3
//   need       3      6      5        earlier than recorded
//   more       3      3     -1        nothing to gain before the third
//   own        7      7      9        the rank's own work since the arrival before
//   factor    4/7    4/7     -
//
// If the need exceeds the own work, the factor is 0: the rank cannot keep up.
std::vector<Pace> PacesOf(const PathGraph& graph, std::span<const LateArrival> arrivals) {
  std::vector<Pace> paces;
  const auto iterations = graph.rank().iterations.selected();
  if (iterations.empty()) return paces;
  Ns from = iterations.front().time.start, gained = 0;
  for (const LateArrival& arrival : arrivals) {
    if (arrival.at <= from) continue;
    const Ns more = arrival.need - gained;
    const Ns own = more > 0 ? OwnWorkBefore(graph, arrival.start, from) : 0;
    if (own > 0) {
      const double factor = 1 - static_cast<double>(more) / static_cast<double>(own);
      paces.push_back({Span{from, arrival.at}, std::max(0.0, factor)});
      gained += std::min(more, own);
    }
    from = arrival.at;
  }
  return paces;
}

}  // namespace

bool IsOwnWork(const PathGraph& graph, PathGraph::StepId step) {
  if (step >= graph.device_steps()) return graph.BindingOf(step).kind != PathEdge::kSync;
  return !graph.rank().classes[graph.OwnerOf(step).row].collective;
}

RankPaces PacesToKeepUp(const JointReplay& joint, std::span<const PathGraph> graphs,
                        std::span<const Flags> rows) {
  const std::vector<Flags> late = LateWorks(joint, graphs, rows);
  RankPaces paces(graphs.size());
  // If no call sends, one round is enough. Each further round moves the receivers of the late
  // rank's data earlier in one more iteration.
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const auto arrivals = ArrivalsAt(paces, joint, graphs, late);
    RankPaces found;
    for (std::size_t rank = 0; rank < graphs.size(); ++rank) {
      found.push_back(PacesOf(graphs[rank], arrivals[rank]));
    }
    if (found == paces) break;
    paces = std::move(found);
    if (!HasSenders(joint)) break;
  }
  return paces;
}

Ns MostGained(std::span<const Pace> paces) {
  Ns most = 0;
  for (const Pace& pace : paces) {
    most += static_cast<Ns>(std::ceil((1 - pace.factor) * static_cast<double>(pace.time.length())));
  }
  return most;
}

}  // namespace profgauge::analysis::simulation
