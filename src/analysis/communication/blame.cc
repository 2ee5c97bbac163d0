#include "analysis/communication/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/context/observed.h"
#include "base/format.h"
#include "base/numbers.h"
#include "knowledge/blame.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::communication {
namespace {

constexpr std::array<std::string_view, 5> kCauses = {
    "computing", "copies", "communication of another group", "the host", "waiting for input data"};
constexpr std::size_t kComputing = 0;

// The index in kCauses. Every category without a cause of another kind is the host's.
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

Times TimesOf(const time::Breakdown& breakdown) {
  Times times{};
  for (std::size_t c = 0; c < kBreakdownCategories; ++c) {
    times[CauseOf(static_cast<Category>(c))] += breakdown[c];
  }
  return times;
}

/// Where the rank's iterations go; the waiting for others is not its own.
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

/// Splits the time before each late call on every member; whole iterations where the members
/// compute on in their calls, since those that wait are ahead then.
class CauseFinder {
 public:
  CauseFinder(std::span<const RankFacts> ranks, const Matching& matching, std::size_t straggler,
              std::size_t group)
      : ranks_(ranks), matching_(matching), straggler_(straggler), group_(group) {}

  /// In words, where the straggler spends more time than the median of the others: the part with
  /// 80 % of the surplus, else all larger ones with their shares. Empty if it does so in no part.
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
      if (share < knowledge::kBlameCauseLeastShare) continue;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", NameOf(cause), FormatShare(share));
    }
    return parts;
  }

 private:
  /// Whether much of the group's calls is hidden, in iterations that all members have.
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

  /// Before each call of the group for which the rank was late: the range on every member.
  ///
  ///   straggler  |A#|-----------------|B#|      from the end of A to the start of B
  ///   another    |A#|-----|Bwwwwwwwwwwww#|      the same calls, its own range
  ///
  /// Each range is in the clock of its rank: no clocks are compared.
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

  /// The time that the straggler spends beyond the median of the others, summed over the calls.
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

/// The cost of late calls by iteration, without one-off time.
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
    // Iterations in which no one was late are usual, too.
    costs.resize(std::max(costs.size(), ranks.front().steps.size()), 0);
    const std::vector<Ns> usual = context::WithoutOnce(costs);
    std::size_t i = 0;
    for (const auto& [step, cost] : sums) {
      scale_[step] = static_cast<double>(usual[i]) / static_cast<double>(cost);
      has_exceptions_ = has_exceptions_ || usual[i] < cost;
      ++i;
    }
    recorded_ = costs.size();
  }

  /// Whether the rank's cost is rare: most of it, in hardly an iteration.
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

  /// The rank that costs most.
  std::size_t Worst(std::size_t ranks) const {
    std::vector<double> sums(ranks, 0);
    for (const auto& [step, of_step] : by_rank_) {
      for (const auto& [rank, cost] : of_step) {
        sums[rank] += scale_.at(step) * static_cast<double>(cost);
      }
    }
    return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  }

  /// Whether the rank is late again and again, and not once or by chance.
  ///
  /// A sign test, weighted by cost. For a rank with these parts of the cost of three calls:
  ///
  ///   cost   its part   2 * part - cost
  ///    10       9              8
  ///    10       2             -6
  ///    12      11             10        sum 12, root of the sum of squares 14.1
  ///
  /// It has most of the cost, but 12 is no more than chance gives.
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
    // A profile of one or two iterations has only calls as evidence.
    if (!is_many && recorded_ >= knowledge::kIterationsUsualLeast) return false;
    return (is_many && own >= knowledge::kBlameSoleCostShare * total) ||
           sum > knowledge::kBlameDeviations * std::sqrt(squares);
  }

 private:
  /// Iterations in which most of the cost is its, and not next to nothing.
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
  std::map<std::int64_t, double> scale_;  // Usual part of an iteration's cost.
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

/// Sets each rank's cost: of an iteration that of the group with the largest, as the same time that
/// many groups lose one after the other is lost once.
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
    rank.once = context::OnlyOnce(costs);
  }
}

/// The group with most of the rank's cost, by calls to which the rank itself came last. The number
/// of groups where there is none.
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

}  // namespace profgauge::analysis::communication
