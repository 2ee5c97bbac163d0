#include "analysis/communication/blame.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "knowledge/blame.h"

namespace profgauge::analysis::communication {
namespace {

/// Who made a call late: ranks with their shares, which add up to 1.
using Shares = std::vector<std::pair<std::size_t, double>>;

/// One call of a rank that was matched.
struct Place {
  std::size_t call = 0;    ///< Position in Matching::calls.
  std::size_t member = 0;  ///< Position in its members.
  Span time;
  Ns waiting = 0;  ///< Exposed.
};

// A call that a rank came late to is resolved by the waits of that rank since the group's last
// call:
//
//   call                               A1   A2
//   rank 1, 4 late to B, waited         3    2
//   the one before it in B waited       2    0
//   more                                1    2
//
// 3 more in total, so min(1, 3 / 4) of the cost is passed on, to A1 and A2 in the shares 1 : 2. The
// rest, 1 / 4, is rank 1's own.
//
// The late ranks of A1 and A2 pass on theirs in the same way.
class Attribution {
 public:
  Attribution(std::span<const RankFacts> ranks, const Matching& matching)
      : ranks_(ranks), matching_(matching), places_(ranks.size()), known_(matching.calls.size()) {
    for (std::size_t c = 0; c < matching.calls.size(); ++c) {
      const MatchedCall& call = matching.calls[c];
      at_.emplace_back(call.members.size());
      if (call.transfer < 0) continue;
      for (std::size_t m = 0; m < call.members.size(); ++m) {
        const auto& member = call.members[m];
        const Span time = ranks[member.rank].calls[member.call].time;
        places_[member.rank].push_back({c, m, time, 0});
      }
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) Arrange(rank);
    for (const RankFacts& rank : ranks) knows_.push_back(rank.KnowsHidden());
  }

  std::vector<LateCall> Run() {
    std::vector<LateCall> late;
    for (std::size_t c = 0; c < matching_.calls.size(); ++c) {
      const MatchedCall& call = matching_.calls[c];
      const GroupMatch& group = matching_.groups[call.group];
      if (call.last == MatchedCall::kNobody || group.point_to_point || !group.MayBlame()) continue;
      const MatchedCall::Member& last = call.members[call.last];
      if (!ranks_[last.rank].calls[last.call].in_iterations) continue;
      const Ns cost = CostOf(call);
      if (cost > 0) late.push_back({c, cost, InTime(cost, Resolve(c))});
    }
    return late;
  }

 private:
  /// The exposed time by which the last but one waits longer, at most the lateness. If the
  /// overlap of a rank's calls is unknown (they ran on the host), the whole lateness.
  Ns CostOf(const MatchedCall& call) const {
    const auto exposed = [&](std::size_t member) {
      const MatchedCall::Member& at = call.members[member];
      return ranks_[at.rank].calls[at.call].exposed;
    };
    if (!knows_[call.members[call.last].rank] || !knows_[call.members[call.next].rank]) {
      return call.lateness;
    }
    return std::clamp<Ns>(exposed(call.next) - exposed(call.last), 0, call.lateness);
  }

  /// A call that is to be resolved, as one that another waited for longer than `reference` did for
  /// its own.
  struct Task {
    std::size_t call = 0;
    std::size_t rank = 0;  ///< Who came last.
    Ns lateness = 0;       ///< How much too late.
    const Place* own = nullptr;
    const Place* reference = nullptr;  ///< The same call of who came in time; may be null.
    std::size_t reference_rank = 0;
    std::vector<std::pair<Task*, double>> causes;
    bool expanded = false;
  };

  /// Calls by start, with their waiting where nothing computed.
  void Arrange(std::size_t rank) {
    std::vector<Place>& places = places_[rank];
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
      return a.time.start != b.time.start ? a.time.start < b.time.start : a.call < b.call;
    });
    const std::vector<Span>& alone = ranks_[rank].exposed;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Place& place = places[i];
      at_[place.call][place.member] = i;
      const Span waits{place.time.start, place.time.end - matching_.calls[place.call].transfer};
      if (waits.length() <= 0) continue;
      auto span = std::partition_point(alone.begin(), alone.end(),
                                       [&](const Span& s) { return s.end <= waits.start; });
      for (; span != alone.end() && span->start < waits.end; ++span) {
        place.waiting += std::min(span->end, waits.end) - std::max(span->start, waits.start);
      }
    }
  }

  /// Whether the two ranks of `a` and `b` meet in both calls: those of one group, or of one pair.
  bool SameMeeting(std::size_t a, std::size_t b) const {
    const MatchedCall &one = matching_.calls[a], &other = matching_.calls[b];
    if (one.group != other.group) return false;
    if (!matching_.groups[one.group].point_to_point) return true;
    const auto ranks = [](const MatchedCall& call) {
      return std::minmax(call.members.front().rank, call.members.back().rank);
    };
    return ranks(one) == ranks(other);
  }

  /// The rank's waiting time in other groups since its previous call with the ranks of this one.
  std::vector<const Place*> Before(std::size_t rank, const Place& place) const {
    std::vector<const Place*> before;
    const std::vector<Place>& places = places_[rank];
    for (auto i = static_cast<std::size_t>(&place - places.data()); i-- > 0;) {
      if (SameMeeting(places[i].call, place.call)) break;
      if (places[i].time.end <= place.time.start) before.push_back(&places[i]);
    }
    return before;
  }

  /// The calls that made it late, with their shares.
  /// The two ranks' waits are compared one by one where both have as many of them; else only in
  /// total.
  void Expand(Task& task) {
    task.expanded = true;
    const std::vector<const Place*> own = Before(task.rank, *task.own);
    std::vector<const Place*> others;
    if (task.reference != nullptr) others = Before(task.reference_rank, *task.reference);
    const bool comparable = own.size() == others.size();
    Ns more = 0, sum = 0;
    for (const Place* place : own) more += place->waiting;
    for (const Place* place : others) more -= place->waiting;
    if (more <= 0) return;
    std::vector<Ns> extra(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      extra[i] = std::max<Ns>(0, own[i]->waiting - (comparable ? others[i]->waiting : 0));
      if (matching_.calls[own[i]->call].last == MatchedCall::kNobody) extra[i] = 0;
      sum += extra[i];
    }
    if (sum <= 0) return;
    const double passed =
        std::min(1.0, static_cast<double>(more) / static_cast<double>(task.lateness));
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double share = passed * static_cast<double>(extra[i]) / static_cast<double>(sum);
      if (share < knowledge::kBlameNegligibleShare) continue;
      Task& cause = TaskOf(own[i]->call, extra[i]);
      if (comparable && cause.reference == nullptr) SetReference(cause, others[i]->call);
      task.causes.emplace_back(&cause, share);
    }
  }

  /// In collectives of a group, who came before the last one is the reference.
  Task& TaskOf(std::size_t c, Ns lateness) {
    const auto [entry, is_new] = tasks_.try_emplace(c);
    Task& task = entry->second;
    if (!is_new) return task;
    const MatchedCall& call = matching_.calls[c];
    task.call = c;
    task.rank = call.members[call.last].rank;
    task.own = &places_[task.rank][at_[c][call.last]];
    task.lateness = std::max<Ns>(1, lateness);
    if (matching_.groups[call.group].point_to_point) return task;
    task.lateness = call.lateness;
    task.reference_rank = call.members[call.next].rank;
    task.reference = &places_[task.reference_rank][at_[c][call.next]];
    return task;
  }

  /// For a transfer: the other pair's transfer that replaced it, with the same end.
  void SetReference(Task& task, std::size_t other) {
    const MatchedCall &call = matching_.calls[task.call], &reference = matching_.calls[other];
    if (!matching_.groups[call.group].point_to_point || task.call == other) return;
    if (reference.members.size() != call.members.size()) return;
    const bool is_source = SourceFirst(task.call) == (call.last == 0);
    const std::size_t member = is_source == SourceFirst(other) ? 0 : 1;
    task.reference_rank = reference.members[member].rank;
    task.reference = &places_[task.reference_rank][at_[other][member]];
  }

  bool SourceFirst(std::size_t c) const {
    const auto& first = matching_.calls[c].members.front();
    return ranks_[first.rank].calls[first.call].source == ranks_[first.rank].rank;
  }

  /// Depth first without recursion: chains may be as long as the profile.
  /// Each call is resolved once, and known_ keeps its shares. A cause that is still on the stack,
  /// in a circle, has none yet: its part stays with the rank that came last.
  Shares Resolve(std::size_t c) {
    std::vector<Task*> stack{&TaskOf(c, matching_.calls[c].lateness)};
    while (!stack.empty()) {
      Task& task = *stack.back();
      if (!known_[task.call].empty()) {
        stack.pop_back();
        continue;
      }
      bool waits = false;
      if (!task.expanded) {
        Expand(task);
        for (const auto& [cause, share] : task.causes) {
          if (!known_[cause->call].empty() || cause->expanded) continue;
          stack.push_back(cause);
          waits = true;
        }
      }
      if (waits) continue;
      known_[task.call] = Combine(task);
      stack.pop_back();
    }
    return known_[c];
  }

  /// The shares of the causes' late ranks, and the rest for the rank itself. They add up to 1.
  Shares Combine(const Task& task) const {
    std::map<std::size_t, double> sums;
    double own = 1;
    for (const auto& [cause, share] : task.causes) {
      for (const auto& [rank, of_it] : known_[cause->call]) {
        if (of_it * share < knowledge::kBlameNegligibleShare) continue;
        sums[rank] += of_it * share;
        own -= of_it * share;
      }
    }
    sums[task.rank] += own;
    return {sums.begin(), sums.end()};
  }

  /// In whole nanoseconds; the largest share takes the rounding rest.
  static std::vector<LateCall::Part> InTime(Ns lateness, const Shares& shares) {
    std::vector<LateCall::Part> parts;
    Ns left = lateness;
    for (const auto& [rank, share] : shares) {
      const Ns cost = std::min<Ns>(
          left, std::llround(static_cast<double>(lateness) * std::clamp(share, 0.0, 1.0)));
      parts.push_back({rank, cost});
      left -= cost;
    }
    std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return a.cost < b.cost;
    })->cost += left;
    return parts;
  }

  std::span<const RankFacts> ranks_;
  const Matching& matching_;
  std::vector<std::vector<Place>> places_;    // By rank, by start.
  std::vector<std::vector<std::size_t>> at_;  // By call and member: position in places_.
  std::map<std::size_t, Task> tasks_;         // By call; references stay valid.
  std::vector<Shares> known_;                 // By call.
  std::vector<bool> knows_;                   // By rank: KnowsHidden().
};

}  // namespace

std::vector<LateCall> AttributeLateness(std::span<const RankFacts> ranks,
                                        const Matching& matching) {
  return Attribution(ranks, matching).Run();
}

}  // namespace profgauge::analysis::communication
