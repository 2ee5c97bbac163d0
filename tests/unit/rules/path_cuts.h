// The simulation once more, with the critical path of each step: what a change cuts from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/communication/collective_calls.h"
#include "analysis/communication/communication.h"
#include "analysis/communication/matching.h"
#include "analysis/simulation/joint.h"
#include "analysis/simulation/replay.h"
#include "analysis/simulation/replayer.h"
#include "analysis/simulation/scenario_changes.h"

namespace profgauge::rules {

namespace path = analysis::simulation;
using StepId = path::PathGraph::StepId;
using Times = std::vector<std::vector<Ns>>;  // By rank and step.

/// The joint replay that a replayer has inside.
class OwnJoint {
 public:
  explicit OwnJoint(const path::Replayer& replayer) : replayer_(replayer) {
    if (!replayer.is_joint()) return;
    for (const auto& rank : replayer.ranks()) {
      calls_.push_back(analysis::communication::CollectCollectives(rank));
    }
    matching_ = analysis::communication::MatchRanks(replayer.ranks(), calls_);
    joint_.emplace(replayer.graphs(), matching_, calls_);
    for (std::uint32_t call = 0; call < joint_->calls().size(); ++call) {
      for (const auto& member : joint_->calls()[call]) call_of_[{member.rank, member.end}] = call;
    }
  }

  const path::Replayer& replayer() const { return replayer_; }
  /// Null where ranks are replayed one by one.
  const path::JointReplay* Of(const path::Scenario& scenario) const {
    return joint_ && !scenario.without_waiting ? &*joint_ : nullptr;
  }
  std::span<const path::JointReplay::Member> Members(std::uint32_t rank, StepId end) const {
    const auto call = call_of_.find({rank, end});
    if (call == call_of_.end()) return {};
    return joint_->calls()[call->second];
  }

 private:
  const path::Replayer& replayer_;
  std::vector<std::vector<analysis::communication::CollectiveCall>> calls_;
  analysis::communication::Matching matching_;
  std::optional<path::JointReplay> joint_;
  std::map<std::pair<std::uint32_t, StepId>, std::uint32_t> call_of_;
};

/// A scenario with its changes and times.
struct Simulated {
  Simulated(const OwnJoint& joint, const path::Scenario& some) : scenario(some) {
    const path::Replayer& replayer = joint.replayer();
    is_joint = joint.Of(scenario) != nullptr;
    for (std::uint32_t rank = 0; rank < replayer.graphs().size(); ++rank) {
      changes.emplace_back(scenario, replayer.graphs()[rank], rank, replayer.transfers(rank),
                           joint.Of(scenario));
    }
    if (is_joint) {
      times = joint.Of(scenario)->Replay(changes);
      return;
    }
    for (std::size_t rank = 0; rank < changes.size(); ++rank) {
      times.push_back(path::ReplayAll(replayer.graphs()[rank], changes[rank]));
    }
  }
  Simulated(const Simulated&) = delete;
  Simulated& operator=(const Simulated&) = delete;

  const path::Scenario& scenario;
  bool is_joint = false;
  std::vector<path::ScenarioChanges> changes;
  Times times;
};

/// For each step, what further changes cut from its critical path before them, at most.
class PathCuts {
 public:
  PathCuts(const OwnJoint& joint, const Simulated& before, const Simulated& after)
      : joint_(joint), before_(before), after_(after) {
    for (const std::vector<Ns>& its : before.times) {
      cuts_.emplace_back(its.size(), 0);
      known_.emplace_back(its.size(), false);
    }
  }

  Ns Of(std::uint32_t rank, StepId step) {
    std::vector<std::tuple<std::uint32_t, StepId, Ns>> walked;
    Ns cut = 0;
    while (!known_[rank][step]) {
      const Segment segment = SegmentOf(rank, step);
      walked.emplace_back(rank, step, segment.cut);
      if (segment.from == path::PathGraph::kNone) break;
      rank = segment.rank;
      step = segment.from;
    }
    if (known_[rank][step]) cut = cuts_[rank][step];
    for (auto at = walked.rbegin(); at != walked.rend(); ++at) {
      const auto& [its_rank, its_step, its_cut] = *at;
      cut += its_cut;
      cuts_[its_rank][its_step] = cut;
      known_[its_rank][its_step] = true;
    }
    return cut;
  }

 private:
  struct Segment {
    std::uint32_t rank = 0;
    StepId from = path::PathGraph::kNone;
    Ns cut = 0;
  };

  Segment SegmentOf(std::uint32_t rank, StepId step) const {
    const path::PathGraph& graph = joint_.replayer().graphs()[rank];
    const std::vector<Ns>& times = before_.times[rank];
    const path::StepChange was = before_.changes[rank].Of(step), is = after_.changes[rank].Of(step);
    const StepId previous = graph.Before(step);
    const auto members = joint_.Members(rank, step);
    // A wait that is taken away counts whole.
    if (is.is_alone && !was.is_alone && previous != path::PathGraph::kNone) {
      const Ns left = graph.RecordedAt(step) - graph.RecordedAt(previous) - is.cut;
      return {rank, previous, times[step] - times[previous] - left};
    }
    if (before_.is_joint && !members.empty() && !was.is_alone) return CallSegment(members);
    const path::PathGraph::Edge edge = graph.BindingOf(step, was, times);
    const bool is_scaled = was.is_alone || edge.from == graph.BindingOf(step).from;
    return {rank, edge.from, is_scaled ? is.cut - was.cut : 0};
  }

  // From the end of a call to the start on the rank that came last.
  Segment CallSegment(std::span<const path::JointReplay::Member> members) const {
    Segment out;
    Ns latest = std::numeric_limits<Ns>::min(), was = std::numeric_limits<Ns>::max(), is = was;
    for (const path::JointReplay::Member& member : members) {
      const StepId start = member.end - 1;
      const Ns moved = before_.times[member.rank][start] -
                       joint_.replayer().graphs()[member.rank].RecordedAt(start);
      if (moved - member.waited > latest) {
        latest = moved - member.waited;
        out.rank = member.rank;
        out.from = start;
      }
      was = std::min(was, before_.changes[member.rank].Of(member.end).cut);
      is = std::min(is, after_.changes[member.rank].Of(member.end).cut);
    }
    out.cut = is - was;
    return out;
  }

  const OwnJoint& joint_;
  const Simulated& before_;
  const Simulated& after_;
  Times cuts_;
  std::vector<std::vector<bool>> known_;
};

}  // namespace profgauge::rules
