#include "analysis/simulation/joint.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/communication/collective_calls.h"
#include "analysis/simulation/replay.h"

namespace profgauge::analysis::simulation {

// Orders the steps of all ranks so that predecessors come first. Runs a thread or stream until it
// needs a step of another; then runs that one up to the needed step, and so on.
class JointScheduler {
 public:
  explicit JointScheduler(JointReplay& out) : out_(out) {
    for (std::uint32_t rank = 0; rank < out.graphs_.size(); ++rank) AddChains(rank);
  }

  void Run() {
    for (std::size_t chain = 0; chain < chains_.size(); ++chain) RunChain(chain);
  }

 private:
  using StepId = PathGraph::StepId;
  struct Chain {
    std::uint32_t rank = 0;
    StepId begin = 0, end = 0;
    StepId next = 0;  // The first step not yet placed.
    bool waits = false;
  };
  struct Frame {
    std::size_t chain = 0;
    StepId stop = 0;
    std::uint32_t call = JointReplay::kNone;  // The call whose other ranks it waits for.
  };
  struct Need {
    std::size_t chain = kNobody;
    StepId step = 0;
    std::uint32_t call = JointReplay::kNone;
  };
  static constexpr std::size_t kNobody = ~std::size_t{0};

  void AddChains(std::uint32_t rank) {
    const PathGraph& graph = out_.graphs_[rank];
    first_chain_.push_back(chains_.size());
    for (StepId step = 0; step < graph.size(); ++step) {
      if (graph.Before(step) != PathGraph::kNone) continue;
      if (chains_.size() > first_chain_.back()) chains_.back().end = step;
      chains_.push_back({rank, step, static_cast<StepId>(graph.size()), step});
    }
  }

  std::size_t ChainOf(std::uint32_t rank, StepId step) const {
    const auto begin = chains_.begin() + static_cast<std::ptrdiff_t>(first_chain_[rank]);
    const auto end = rank + 1 < first_chain_.size()
                         ? chains_.begin() + static_cast<std::ptrdiff_t>(first_chain_[rank + 1])
                         : chains_.end();
    const auto after = std::upper_bound(
        begin, end, step, [](StepId wanted, const Chain& chain) { return wanted < chain.begin; });
    return static_cast<std::size_t>(after - chains_.begin()) - 1;
  }

  // The first predecessor that is not yet placed.
  Need Missing(const Chain& at, StepId step) const {
    Need need;
    const auto look = [&](std::uint32_t rank, StepId from, std::uint32_t call) {
      if (need.chain != kNobody) return;
      const std::size_t chain = ChainOf(rank, from);
      if (from >= chains_[chain].next) need = {chain, from, call};
    };
    out_.graphs_[at.rank].ForEachEdge(step, [&](const PathGraph::Edge& edge) {
      if (edge.from + 1 != step || edge.from < at.begin)
        look(at.rank, edge.from, JointReplay::kNone);
    });
    const std::uint32_t call = out_.CallOf(at.rank, step);
    if (call == JointReplay::kNone) return need;
    for (const JointReplay::Member& member : out_.calls_[call]) {
      if (member.rank != at.rank) look(member.rank, member.end - 1, call);
    }
    return need;
  }

  // From now on, each rank simulates the call separately.
  void Dissolve(std::uint32_t call) {
    for (const JointReplay::Member& member : out_.calls_[call]) {
      out_.call_of_[member.rank][member.end / 2] = JointReplay::kNone;
    }
    out_.calls_[call].clear();
    ++out_.dissolved_;
  }

  // Places steps up to the first that needs an unplaced one; returns the needed step.
  Need Advance(const Frame& frame) {
    Chain& chain = chains_[frame.chain];
    StepId begin = chain.next;
    const auto end_run = [&](StepId end) {
      if (end > begin) out_.runs_.push_back({chain.rank, begin, end});
      begin = end;
    };
    Need need;
    while (chain.next < frame.stop) {
      need = Missing(chain, chain.next);
      if (need.chain != kNobody) break;
      const std::uint32_t call = out_.CallOf(chain.rank, chain.next);
      if (call != JointReplay::kNone) {
        end_run(chain.next);
        out_.runs_.push_back({chain.rank, chain.next, chain.next + 1, call});
        ++begin;
      }
      ++chain.next;
    }
    end_run(chain.next);
    return need;
  }

  // Called if the needed chain is itself waiting: one of the calls between contradicts the others.
  //
  // Two ranks have the calls A and B in opposite order. A real run would hang, so one of the calls
  // is matched wrongly:
  //
  //   rank 0   A B       A needs rank 1 up to A, which is after B there,
  //   rank 1   B A       and B needs rank 0 up to B, which is after A: a cycle
  //
  // The call nearest to the top of the stack is dissolved, so that its ranks no longer wait for
  // each other in it.
  void BreakCircle(std::size_t chain) {
    std::size_t at = stack_.size();
    while (at-- > 0) {
      if (stack_[at].call != JointReplay::kNone) break;
      if (stack_[at].chain == chain) return;  // Unreachable: a single graph has no cycles.
    }
    Dissolve(stack_[at].call);
    while (stack_.size() > at + 1) {
      chains_[stack_.back().chain].waits = false;
      stack_.pop_back();
    }
    stack_.back().call = JointReplay::kNone;
  }

  void RunChain(std::size_t first) {
    stack_.push_back({first, chains_[first].end});
    chains_[first].waits = true;
    while (!stack_.empty()) {
      stack_.back().call = JointReplay::kNone;
      const Need need = Advance(stack_.back());
      if (need.chain == kNobody) {
        chains_[stack_.back().chain].waits = false;
        stack_.pop_back();
        continue;
      }
      stack_.back().call = need.call;
      if (chains_[need.chain].waits) {
        BreakCircle(need.chain);
        continue;
      }
      chains_[need.chain].waits = true;
      stack_.push_back({need.chain, need.step + 1});
    }
  }

  JointReplay& out_;
  std::vector<Chain> chains_;
  std::vector<std::size_t> first_chain_;  // By rank.
  std::vector<Frame> stack_;
};

JointReplay::JointReplay(std::span<const PathGraph> graphs, const communication::Matching& matching,
                         std::span<const std::vector<communication::CollectiveCall>> calls)
    : graphs_(graphs) {
  AddCalls(matching, calls);
  JointScheduler(*this).Run();
}

// Makes calls joint. The transfer must be known and the group complete. Every member must be device
// work that is in its rank's graph and in no other call. Calls of gloo run on the host and have no
// such step.
void JointReplay::AddCalls(const communication::Matching& matching,
                           std::span<const std::vector<communication::CollectiveCall>> calls) {
  std::vector<std::vector<PathGraph::StepId>> end_of_row;
  for (const PathGraph& graph : graphs_) {
    auto& ends = end_of_row.emplace_back(graph.rank().profile->device.size(), PathGraph::kNone);
    for (PathGraph::StepId step = 1; step < graph.device_steps(); step += 2) {
      ends[graph.OwnerOf(step).row] = step;
    }
    call_of_.emplace_back(graph.device_steps() / 2, kNone);
  }
  for (const communication::MatchedCall& call : matching.calls) {
    if (call.transfer < 0 || !matching.groups[call.group].complete()) continue;
    std::vector<Member> members;
    for (const communication::MatchedCall::Member& member : call.members) {
      const communication::CollectiveCall& one = calls[member.rank][member.call];
      if (one.event == catalog::Output::kNoRow) break;
      const PathGraph::StepId end = end_of_row[member.rank][one.event];
      if (end == PathGraph::kNone || CallOf(member.rank, end) != kNone) break;
      members.push_back({static_cast<std::uint32_t>(member.rank), end,
                         std::max<Ns>(0, one.time.length() - call.transfer)});
    }
    if (members.size() < 2 || members.size() != call.members.size()) continue;
    for (const Member& member : members) {
      call_of_[member.rank][member.end / 2] = static_cast<std::uint32_t>(calls_.size());
    }
    calls_.push_back(std::move(members));
    sends_.push_back(matching.groups[call.group].point_to_point);
  }
}

Ns JointReplay::EndOf(const Run& run, std::span<const ScenarioChanges> changes,
                      std::span<const Flags> late,
                      const std::vector<std::vector<Ns>>& times) const {
  const StepChange own = changes[run.rank].Of(run.begin);
  if (own.is_alone) {  // It does not wait for other ranks.
    const PathGraph& graph = graphs_[run.rank];
    return times[run.rank][run.begin - 1] + graph.SegmentOf(run.begin) - own.cut;
  }
  constexpr Ns kNobody = std::numeric_limits<Ns>::min();
  Ns later = kNobody, awaited = kNobody, cut = std::numeric_limits<Ns>::max();
  for (const Member& member : calls_[run.call]) {
    const PathGraph::StepId start = member.end - 1;
    const Ns moved = times[member.rank][start] - graphs_[member.rank].RecordedAt(start);
    later = std::max(later, moved - member.waited);
    cut = std::min(cut, changes[member.rank].Of(member.end).cut);
    const bool is_late = !late.empty() && late[member.rank][member.end / 2];
    if (!is_late) awaited = std::max(awaited, moved - member.waited);
  }
  if (awaited != kNobody) later = awaited;
  return graphs_[run.rank].RecordedAt(run.begin) + later - cut;
}

std::vector<std::vector<Ns>> JointReplay::Replay(std::span<const ScenarioChanges> changes,
                                                 std::span<const Flags> late) const {
  std::vector<std::vector<Ns>> times;
  for (const PathGraph& graph : graphs_) times.emplace_back(graph.size());
  for (const Run& run : runs_) {
    if (run.call == kNone) {
      std::vector<Ns>& its = times[run.rank];
      ReplayRun(
          graphs_[run.rank], run.begin, run.end, changes[run.rank],
          run.begin > 0 ? its[run.begin - 1] : 0,
          [&its](PathGraph::StepId from) { return its[from]; }, &its[run.begin]);
    } else {
      times[run.rank][run.begin] = EndOf(run, changes, late, times);
    }
  }
  return times;
}

// Walks backward over the runs. The end of a joint call passes its slack on to the starts of all
// members. A rank that waited 2 in the call could arrive 2 later, and the call would end as before.
std::vector<std::vector<Ns>> JointReplay::Slacks() const {
  std::vector<std::vector<Ns>> slacks;
  for (const PathGraph& graph : graphs_) {
    std::vector<Ns>& its = slacks.emplace_back(graph.size());
    FirstSlacks(graph).Fill(0, static_cast<PathGraph::StepId>(graph.size()), its.data());
  }
  for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
    if (run->call == kNone) {
      std::vector<Ns>& its = slacks[run->rank];
      for (PathGraph::StepId step = run->end; step-- > run->begin;) {
        AllowBefore(graphs_[run->rank], step, its[step],
                    [&its](PathGraph::StepId from) -> Ns& { return its[from]; });
      }
      continue;
    }
    const Ns own = slacks[run->rank][run->begin];
    if (own == FirstSlacks::kFree) continue;
    for (const Member& member : calls_[run->call]) {
      Ns& start = slacks[member.rank][member.end - 1];
      start = std::min(start, own + member.waited);
    }
  }
  return slacks;
}

}  // namespace profgauge::analysis::simulation
