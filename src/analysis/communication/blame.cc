#include "analysis/communication/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/communication/collective_calls.h"
#include "analysis/communication/slowdown.h"
#include "analysis/iterations/observed.h"
#include "base/format.h"
#include "base/numbers.h"
#include "knowledge/blame.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::communication {
namespace {

constexpr std::array<std::string_view, 5> kCauses = {
    "computing", "copies", "communication of another group", "the host", "waiting for input data"};
constexpr std::size_t kComputing = 0;
// A cause with a smaller share of a rank's lateness is not listed.
constexpr double kLeastListedCause = 0.05;
// A rank with a smaller share of a call's lateness is dropped: also a call of 1 024 ranks then has
// at most 200 late ones.
constexpr double kLeastTraced = 0.005;

// The index in kCauses. Categories without their own cause belong to the host.
std::size_t CauseOf(Category category) {
  switch (category) {
    case Category::kTensorCoreKernel:
    case Category::kOtherKernel:
      return kComputing;
    case Category::kMemcpy:
    case Category::kMemset:
      return 1;
    case Category::kCommunication:
      return 2;
    case Category::kDataLoader:
      return 4;
    case Category::kRuntime:
    case Category::kCpu:
    case Category::kOther:
    case Category::kAnnotation:
    case Category::kPython:
    case Category::kWait:
      break;
  }
  return 3;
}

using Times = std::array<Ns, kCauses.size()>;

Times TimesOf(const breakdown::Breakdown& breakdown) {
  Times times{};
  for (std::size_t c = 0; c < kBreakdownCategories; ++c) {
    times[CauseOf(static_cast<Category>(c))] += breakdown[c];
  }
  return times;
}

/// The time of the rank's iterations by category, without waiting for other ranks.
Times TimesOf(std::span<const RankFacts::Step> steps) {
  Times times{};
  for (const RankFacts::Step& step : steps) {
    times[kComputing] += step.parts.compute_only + step.parts.overlapped;
    times[1] += step.parts.copy;
    times[3] += step.parts.host + step.parts.unattributed;
    times[4] += step.parts.dataloader;
  }
  return times;
}

/// Splits the time before each late call on every member. If members compute during their calls,
/// the ranks that wait continue to compute, so whole iterations are compared instead.
class CauseFinder {
 public:
  CauseFinder(std::span<const RankFacts> ranks, const Matching& matching, std::size_t straggler,
              std::size_t group)
      : ranks_(ranks), matching_(matching), straggler_(straggler), group_(group) {}

  /// Describes where the straggler spends more time than the median of the others: the part with 80
  /// % of the excess; without one, all larger parts with their shares. Empty if there is no excess.
  std::string Find() {
    CollectRanges();
    whole_ = ComputesOn();
    const Times extra = ExtraTimes();
    Ns total = 0;
    for (const Ns time : extra) total += std::max<Ns>(0, time);
    if (total == 0) return {};
    std::string parts;
    for (std::size_t cause = 0; cause < extra.size(); ++cause) {
      const double share = static_cast<double>(extra[cause]) / static_cast<double>(total);
      if (share >= knowledge::kBlameCauseShare) return NameOf(cause);
      if (share < kLeastListedCause) continue;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", NameOf(cause), FormatShare(share));
    }
    return parts;
  }

 private:
  /// Whether much of the group's communication is hidden, in iterations that all members have.
  bool ComputesOn() const {
    Ns time = 0, exposed = 0;
    for (const auto& [rank, ranges] : ranges_) {
      if (!ranks_[rank].KnowsHidden()) return false;
      if (ranks_[rank].steps.size() != ranks_[straggler_].steps.size()) return false;
      for (const CollectiveCall& call : ranks_[rank].calls) {
        if (!call.in_iterations || call.group != matching_.groups[group_].name) continue;
        time += call.time.length();
        exposed += call.exposed;
      }
    }
    return static_cast<double>(time - exposed) >
           knowledge::kBlameHiddenShare * static_cast<double>(time);
  }

  /// Collects, for each late call of the rank in the group, the time before it on every member.
  ///
  ///   straggler  |A#|-----------------|B#|      from the end of A to the start of B
  ///   another    |A#|-----|Bwwwwwwwwwwww#|      the same calls, its own range
  ///
  /// Each range uses the clock of its rank: clocks are not compared.
  void CollectRanges() {
    const MatchedCall* previous = nullptr;
    for (const MatchedCall& call : matching_.calls) {
      if (call.group != group_) continue;
      const bool late =
          call.last != MatchedCall::kNobody && call.members[call.last].rank == straggler_;
      if (late && previous != nullptr && previous->members.size() == call.members.size()) {
        for (std::size_t i = 0; i < call.members.size(); ++i) {
          const auto& member = call.members[i];
          const auto& last = previous->members[i];
          const Ns start = ranks_[last.rank].calls[last.call].time.end;
          ranges_[member.rank].push_back(
              {start, std::max(start, ranks_[member.rank].calls[member.call].time.start)});
        }
      }
      previous = &call;
    }
  }

  /// The straggler's time above the median of the others, summed over the calls.
  Times ExtraTimes() const {
    std::vector<Times> others;
    Times own{};
    for (const auto& [rank, ranges] : ranges_) {
      Times sum = whole_ ? TimesOf(ranks_[rank].steps) : Times{};
      for (const Span& range : whole_ ? std::span<const Span>() : ranges) {
        const Times times = TimesOf(ranks_[rank].Between(range.start, range.end));
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += times[c];
      }
      if (rank == straggler_)
        own = sum;
      else
        others.push_back(sum);
    }
    Times extra{};
    for (std::size_t c = 0; c < extra.size() && !others.empty(); ++c) {
      std::vector<Ns> values;
      for (const Times& times : others) values.push_back(times[c]);
      extra[c] = own[c] - Median(std::move(values));
    }
    return extra;
  }

  std::string NameOf(std::size_t cause) const {
    if (cause != kComputing) return std::string(kCauses[cause]);
    std::vector<std::size_t> others;
    for (const auto& [rank, ranges] : ranges_) {
      if (rank != straggler_) others.push_back(rank);
    }
    return SlowdownAmong(ranks_, straggler_, others) >= knowledge::kBlameSlowKernelFactor
               ? "a slow {{ device.device }}"
               : "more work on the {{ device.device }}";
  }

  std::span<const RankFacts> ranks_;
  const Matching& matching_;
  std::size_t straggler_, group_;
  std::map<std::size_t, std::vector<Span>> ranges_;  // By rank, in the calls' order.
  bool whole_ = false;                               // ComputesOn().
};

/// The cost of late calls by iteration, without one-off time; decides whether lateness is usual.
class Habit {
 public:
  Habit(std::span<const RankFacts> ranks, std::span<const LateCall> late,
        const Matching& matching) {
    std::map<std::int64_t, Ns> sums;
    for (const LateCall& call : late) {
      const MatchedCall& matched = matching.calls[call.call];
      const auto& last = matched.members[matched.last];
      const std::int64_t step = ranks[last.rank].calls[last.call].iteration;
      step_of_.push_back(step);
      sums[step] += call.cost;
      for (const LateCall::Part& part : call.parts) by_rank_[step][part.rank] += part.cost;
    }
    std::vector<Ns> costs;
    for (const auto& [step, cost] : sums) costs.push_back(cost);
    // Iterations without a late rank count, too, with cost 0.
    costs.resize(std::max(costs.size(), ranks.front().steps.size()), 0);
    const std::vector<Ns> usual = iterations::WithoutOnce(costs);
    std::size_t i = 0;
    for (const auto& [step, cost] : sums) {
      scale_[step] = static_cast<double>(usual[i]) / static_cast<double>(cost);
      has_exceptions_ = has_exceptions_ || usual[i] < cost;
      ++i;
    }
    recorded_ = costs.size();
  }

  /// Whether the rank's cost is rare: some of all ranks' cost is one-off, or the rank causes most
  /// of the cost, but in few iterations.
  bool IsSeldomOf(std::size_t rank) const {
    double own = 0, total = 0;
    for (const auto& [step, of_step] : by_rank_) {
      for (const auto& [each, cost] : of_step) {
        const double usual = scale_.at(step) * static_cast<double>(cost);
        total += usual;
        if (each == rank) own += usual;
      }
    }
    return has_exceptions_ || (own > knowledge::kBlameCostShare * total &&
                               StepsOf(rank) < knowledge::kIterationsUsualLeast);
  }

  /// The rank with the largest cost.
  std::size_t Worst(std::size_t ranks) const {
    std::vector<double> sums(ranks, 0);
    for (const auto& [step, of_step] : by_rank_) {
      for (const auto& [rank, cost] : of_step) {
        sums[rank] += scale_.at(step) * static_cast<double>(cost);
      }
    }
    return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  }

  /// Whether the rank is late repeatedly, and not once or by chance.
  ///
  /// A sign test weighted by cost. Example: a rank's part of the cost of three calls:
  ///
  ///   cost   its part   2 * part - cost
  ///    10       9              8
  ///    10       2             -6
  ///    12      11             10        sum 12, root of the sum of squares 14.1
  ///
  /// It has most of the cost, but a sum of 12 can be due to chance.
  bool IsOf(std::size_t rank, std::span<const LateCall> late) const {
    double sum = 0, squares = 0, own = 0, total = 0;
    for (std::size_t i = 0; i < late.size(); ++i) {
      double of_rank = 0;
      for (const LateCall::Part& part : late[i].parts) {
        if (part.rank == rank) of_rank += static_cast<double>(part.cost);
      }
      const double scale = scale_.at(step_of_[i]), all = static_cast<double>(late[i].cost);
      const double difference = scale * (2 * of_rank - all);
      sum += difference;
      squares += difference * difference;
      own += scale * of_rank;
      total += scale * all;
    }
    if (own <= knowledge::kBlameCostShare * total) return false;
    const bool is_many = StepsOf(rank) >= knowledge::kIterationsUsualLeast;
    // With one or two iterations, only calls are evidence.
    if (!is_many && recorded_ >= knowledge::kIterationsUsualLeast) return false;
    return (is_many && own >= knowledge::kBlameSoleCostShare * total) ||
           sum > knowledge::kBlameDeviations * std::sqrt(squares);
  }

 private:
  /// The number of iterations in which it causes most of the cost, except where that is negligible.
  std::size_t StepsOf(std::size_t rank) const {
    std::vector<double> costs;
    for (const auto& [step, of_step] : by_rank_) {
      Ns all = 0;
      for (const auto& [each, cost] : of_step) all += cost;
      const auto own = of_step.find(rank);
      if (own == of_step.end() || 2 * own->second <= all) continue;
      costs.push_back(scale_.at(step) * static_cast<double>(own->second));
    }
    if (costs.empty()) return 0;
    const double least =
        knowledge::kBlameLeastOfWorst * *std::max_element(costs.begin(), costs.end());
    return static_cast<std::size_t>(
        std::count_if(costs.begin(), costs.end(), [&](double cost) { return cost >= least; }));
  }

  std::vector<std::int64_t> step_of_;  // By late call.
  std::map<std::int64_t, std::map<std::size_t, Ns>> by_rank_;
  std::map<std::int64_t, double> scale_;  // Usual share of an iteration's cost.
  std::size_t recorded_ = 0;              // Iterations.
  bool has_exceptions_ = false;
};

void SumWaiting(std::span<const RankFacts> ranks, const Matching& matching, Blame& blame) {
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    for (const auto& member : call.members) {
      RankLateness& rank = blame.ranks[member.rank];
      rank.matched = true;
      if (!ranks[member.rank].calls[member.call].in_iterations) continue;
      rank.transfer += call.transfer;
      rank.waiting += ranks[member.rank].calls[member.call].time.length() - call.transfer;
    }
    if (call.last == MatchedCall::kNobody || !matching.groups[call.group].MayBlame()) continue;
    const auto& last = call.members[call.last];
    if (ranks[last.rank].calls[last.call].in_iterations) ++blame.ranks[last.rank].last_calls;
  }
}

/// Sets each rank's cost: in each iteration, that of the group with the largest cost, because time
/// that many groups lose one after another is lost once.
void SumCosts(std::span<const RankFacts> ranks, std::span<const LateCall> late,
              const Matching& matching, Blame& blame) {
  std::map<std::tuple<std::size_t, std::int64_t, std::size_t>, Ns> by_step;
  for (const LateCall& call : late) {
    const MatchedCall& matched = matching.calls[call.call];
    const auto& last = matched.members[matched.last];
    const std::int64_t step = ranks[last.rank].calls[last.call].iteration;
    for (const LateCall::Part& part : call.parts) {
      by_step[{part.rank, step, matched.group}] += part.cost;
    }
  }
  for (const auto& [key, cost] : by_step) {
    Ns& of_step = blame.ranks[std::get<0>(key)].by_step[std::get<1>(key)];
    of_step = std::max(of_step, cost);
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    RankLateness& rank = blame.ranks[i];
    std::vector<Ns> costs;
    for (const auto& [step, cost] : rank.by_step) {
      costs.push_back(cost);
      rank.cost += cost;
    }
    costs.resize(std::max(costs.size(), ranks[i].steps.size()), 0);
    rank.once = iterations::OnlyOnce(costs);
  }
}

/// Returns the group with most of the rank's cost, from calls at which the rank itself came last.
/// Returns the number of groups if there is none.
std::size_t GroupOf(std::span<const LateCall> late, const Matching& matching, std::size_t rank) {
  std::map<std::size_t, Ns> costs;
  for (const LateCall& call : late) {
    const MatchedCall& matched = matching.calls[call.call];
    if (matched.members[matched.last].rank != rank) continue;
    for (const LateCall::Part& part : call.parts) {
      if (part.rank == rank) costs[matched.group] += part.cost;
    }
  }
  const auto most = std::max_element(
      costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == costs.end() ? matching.groups.size() : most->first;
}

}  // namespace

Blame FindBlame(std::span<const RankFacts> ranks, const Matching& matching) {
  Blame blame;
  blame.ranks.resize(ranks.size());
  blame.groups = matching.groups.size();
  for (const GroupMatch& group : matching.groups) blame.judged_groups += group.MayBlame() ? 1 : 0;
  SumWaiting(ranks, matching, blame);
  const std::vector<LateCall> late = AttributeLateness(ranks, matching);
  if (late.empty()) return blame;
  SumCosts(ranks, late, matching, blame);
  const Habit habit(ranks, late, matching);
  const std::size_t worst = habit.Worst(ranks.size());
  if (!habit.IsOf(worst, late)) {
    blame.too_few = late.size() < knowledge::kBlameLeastCalls || habit.IsSeldomOf(worst);
    blame.jitter = !blame.too_few;
    return blame;
  }
  blame.straggler = worst;
  blame.cause = CauseFinder(ranks, matching, worst, GroupOf(late, matching, worst)).Find();
  return blame;
}

namespace {

/// The ranks that made a call late, with shares that add up to 1.
using Shares = std::vector<std::pair<std::size_t, double>>;

/// A matched call of a rank.
struct Place {
  std::size_t call = 0;    ///< Position in Matching::calls.
  std::size_t member = 0;  ///< Position in its members.
  Span time;
  Ns waiting = 0;  ///< Exposed waiting.
};

// A call is resolved by comparing the last rank's waits, since the group's previous call, with
// those of the rank before it:
//
//   call                               A1   A2
//   rank 1, last at B by 4: waited      3    2
//   second to last at B: waited         2    0
//   difference                          1    2
//
// The difference is 3 in total, so min(1, 3 / 4) of the cost is passed on to A1 and A2, in the
// ratio 1 : 2. The rest, 1 / 4, is rank 1's own. The late ranks of A1 and A2 pass on their shares
// in the same way.
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
  /// The exposed time by which the second to last rank waits longer than the last, at most the
  /// lateness. The whole lateness for calls on the host, whose overlap is unknown.
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

  /// A call to resolve: how late its last rank was, and the calls that caused this.
  struct Task {
    std::size_t call = 0;
    std::size_t rank = 0;  ///< The rank that came last.
    Ns lateness = 0;       ///< By how much it was late.
    const Place* own = nullptr;
    const Place* reference = nullptr;  ///< The call of the rank that was on time; may be null.
    std::size_t reference_rank = 0;
    std::vector<std::pair<Task*, double>> causes;
    bool expanded = false;
  };

  /// Sorts the calls by start, and sets their exposed waiting.
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

  /// Whether `a` and `b` are calls of the same ranks: of one group, or of one pair.
  bool SameMeeting(std::size_t a, std::size_t b) const {
    const MatchedCall &one = matching_.calls[a], &other = matching_.calls[b];
    if (one.group != other.group) return false;
    if (!matching_.groups[one.group].point_to_point) return true;
    const auto ranks = [](const MatchedCall& call) {
      return std::minmax(call.members.front().rank, call.members.back().rank);
    };
    return ranks(one) == ranks(other);
  }

  /// The rank's waits in other groups since its previous call with the same ranks.
  std::vector<const Place*> Before(std::size_t rank, const Place& place) const {
    std::vector<const Place*> before;
    const std::vector<Place>& places = places_[rank];
    for (auto i = static_cast<std::size_t>(&place - places.data()); i-- > 0;) {
      if (SameMeeting(places[i].call, place.call)) break;
      if (places[i].time.end <= place.time.start) before.push_back(&places[i]);
    }
    return before;
  }

  /// Finds the calls that made the last rank late, with their shares. If it has as many waits as
  /// the reference rank, they are compared one by one, otherwise only in total.
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
      if (share < kLeastTraced) continue;
      Task& cause = TaskOf(own[i]->call, extra[i]);
      if (comparable && cause.reference == nullptr) SetReference(cause, others[i]->call);
      task.causes.emplace_back(&cause, share);
    }
  }

  /// For a group's collective, the reference is the rank that came before the last one.
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

  /// Sets the reference of a transfer: the same end of the corresponding transfer `other`.
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

  /// Returns which ranks made call `c` late, as shares that add up to 1. Follows causes depth
  /// first, with a stack of its own, because chains may be as long as the profile. In a cycle a
  /// cause has no shares yet; its part stays with the rank that came last. known_ has the shares of
  /// each call that is resolved.
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

  /// The shares of the causes' late ranks, and the last rank's own rest. They add up to 1.
  Shares Combine(const Task& task) const {
    std::map<std::size_t, double> sums;
    double own = 1;
    for (const auto& [cause, share] : task.causes) {
      for (const auto& [rank, of_it] : known_[cause->call]) {
        if (of_it * share < kLeastTraced) continue;
        sums[rank] += of_it * share;
        own -= of_it * share;
      }
    }
    sums[task.rank] += own;
    return {sums.begin(), sums.end()};
  }

  /// Converts shares to whole nanoseconds; the largest share gets the rounding error.
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
