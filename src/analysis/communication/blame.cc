#include "analysis/communication/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/communication/lateness.h"
#include "base/format.h"
#include "base/median.h"

namespace profgauge {
namespace {

/// Of the cost of all ranks: what one must cause to be the straggler.
constexpr double kMostOfTheCost = 0.5, kNearlyAllOfTheCost = 0.95;
/// How far, in its spread, the cost less that of all others must be from what chance gives, and how
/// few calls tell when the rank causes nearly all of it.
constexpr double kSteady = 2.5;
constexpr std::size_t kFewCalls = 3;
/// Ranks whose kernels tell what is usual.
constexpr std::size_t kFewRanks = 3;
/// Of the lateness: what one cause must cover to be the cause.
constexpr double kEnoughOfTheLateness = 0.8;
/// Equal kernels that take this much longer than on the other ranks make a GPU slow.
constexpr double kSlowKernels = 1.03;

constexpr std::array<std::string_view, 5> kCauses = {
    "computing", "copies", "communication of another group", "the host", "waiting for input data"};
constexpr std::size_t kComputing = 0;

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

Times TimesOf(const Breakdown& breakdown) {
  Times times{};
  for (std::size_t c = 0; c < kBreakdownCategories; ++c) {
    times[CauseOf(static_cast<Category>(c))] += breakdown[c];
  }
  return times;
}

/// The rank's kernels' time by that of the median of `others`, over those that all of them launch
/// equally often; 1 when there are none.
double SlowdownAmong(std::span<const RankFacts> ranks, std::size_t rank,
                     std::span<const std::size_t> others) {
  Ns own = 0, typical = 0;
  for (const KernelSum& kernel : ranks[rank].kernels) {
    std::vector<Ns> times;
    for (const std::size_t other : others) {
      const std::vector<KernelSum>& sums = ranks[other].kernels;
      const auto found = std::lower_bound(
          sums.begin(), sums.end(), kernel, [](const KernelSum& a, const KernelSum& b) {
            return std::tie(a.name, a.shape) < std::tie(b.name, b.shape);
          });
      if (found != sums.end() && found->name == kernel.name && found->shape == kernel.shape &&
          found->calls == kernel.calls) {
        times.push_back(found->time);
      }
    }
    if (times.empty() || times.size() < others.size()) continue;
    own += kernel.time;
    typical += Median(std::move(times));
  }
  return typical > 0 ? static_cast<double>(own) / static_cast<double>(typical) : 1;
}

/// Splits the time before each late call on every member.
class CauseFinder {
 public:
  CauseFinder(std::span<const RankFacts> ranks, const Matching& matching, std::size_t straggler,
              std::size_t group)
      : ranks_(ranks), matching_(matching), straggler_(straggler), group_(group) {}

  std::string Find() {
    CollectRanges();
    const Times extra = ExtraTimes();
    Ns total = 0;
    for (const Ns time : extra) total += std::max<Ns>(0, time);
    if (total == 0) return {};
    std::string parts;
    for (std::size_t cause = 0; cause < extra.size(); ++cause) {
      const double share = static_cast<double>(extra[cause]) / static_cast<double>(total);
      if (share >= kEnoughOfTheLateness) return NameOf(cause);
      if (share < 0.05) continue;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", NameOf(cause), FormatShare(share));
    }
    return parts;
  }

 private:
  /// Before each call of the group for which the rank was late: the range on every member.
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

  /// What the straggler spends more than the median of the others, summed over the calls.
  Times ExtraTimes() const {
    std::vector<Times> others;
    Times own{};
    for (const auto& [rank, ranges] : ranges_) {
      Times sum{};
      for (const Span& range : ranges) {
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
    return SlowdownAmong(ranks_, straggler_, others) >= kSlowKernels
               ? "a slow {{ device.device }}"
               : "more work on the {{ device.device }}";
  }

  std::span<const RankFacts> ranks_;
  const Matching& matching_;
  std::size_t straggler_, group_;
  std::map<std::size_t, std::vector<Span>> ranges_;  // By rank, in the calls' order.
};

/// Whether the rank is late again and again, and not once or by chance. `own` are the parts of each
/// call's lateness that it made, `all` the lateness.
bool IsSteady(std::span<const Ns> own, std::span<const Ns> all) {
  double sum = 0, squares = 0, cost = 0, total = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double difference = static_cast<double>(2 * own[i] - all[i]);
    sum += difference;
    squares += difference * difference;
    cost += static_cast<double>(own[i]);
    total += static_cast<double>(all[i]);
  }
  if (cost <= kMostOfTheCost * total) return false;
  if (cost >= kNearlyAllOfTheCost * total && own.size() >= kFewCalls) return true;
  return sum > kSteady * std::sqrt(squares);
}

void SumWaiting(std::span<const RankFacts> ranks, const Matching& matching, Blame& blame) {
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    for (const auto& member : call.members) {
      RankLateness& rank = blame.ranks[member.rank];
      rank.matched = true;
      rank.transfer += call.transfer;
      rank.waiting += ranks[member.rank].calls[member.call].time.length() - call.transfer;
    }
    if (call.last == MatchedCall::kNobody || !matching.groups[call.group].MayBlame()) continue;
    ++blame.ranks[call.members[call.last].rank].last_calls;
  }
}

/// Sets what each rank costs the group that it costs most: the same time that many groups lose one
/// after the other is lost once. Returns the rank that costs all groups together most.
std::size_t SumCosts(std::span<const RankFacts> ranks, std::span<const LateCall> late,
                     const Matching& matching, Blame& blame) {
  std::vector<Ns> together(blame.ranks.size(), 0);
  std::map<std::pair<std::size_t, std::size_t>, Ns> by_group;
  std::map<std::tuple<std::size_t, std::int64_t, std::size_t>, Ns> by_step;
  for (const LateCall& call : late) {
    const MatchedCall& matched = matching.calls[call.call];
    const auto& last = matched.members[matched.last];
    const std::int64_t step = ranks[last.rank].calls[last.call].iteration;
    for (const LateCall::Part& part : call.parts) {
      together[part.rank] += part.cost;
      by_group[{part.rank, matched.group}] += part.cost;
      by_step[{part.rank, step, matched.group}] += part.cost;
    }
  }
  for (const auto& [key, cost] : by_step) {
    Ns& of_step = blame.ranks[std::get<0>(key)].by_step[std::get<1>(key)];
    of_step = std::max(of_step, cost);
  }
  for (const auto& [key, cost] : by_group) {
    RankLateness& rank = blame.ranks[key.first];
    rank.cost = std::max(rank.cost, cost);
  }
  return static_cast<std::size_t>(std::max_element(together.begin(), together.end()) -
                                  together.begin());
}

/// The group that most of what the rank costs is of.
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
  const std::size_t worst = SumCosts(ranks, late, matching, blame);
  std::vector<Ns> own, all;
  for (const LateCall& call : late) {
    own.push_back(0);
    all.push_back(matching.calls[call.call].lateness);
    for (const LateCall::Part& part : call.parts) {
      if (part.rank == worst) own.back() += part.cost;
    }
  }
  if (!IsSteady(own, all)) {
    blame.too_few = late.size() < kFewCalls;
    blame.jitter = !blame.too_few;
    return blame;
  }
  blame.straggler = worst;
  blame.cause = CauseFinder(ranks, matching, worst, GroupOf(late, matching, worst)).Find();
  return blame;
}

std::vector<std::optional<double>> KernelSlowdowns(std::span<const RankFacts> ranks) {
  struct Alike {
    std::vector<Ns> times;
    Ns typical = 0;
  };
  using Key = std::tuple<std::string_view, std::array<std::int64_t, 6>, std::int64_t>;
  std::map<Key, Alike> kernels;
  for (const RankFacts& rank : ranks) {
    for (const KernelSum& kernel : rank.kernels) {
      kernels[{kernel.name, kernel.shape, kernel.calls}].times.push_back(kernel.time);
    }
  }
  for (auto& [key, alike] : kernels) {
    if (alike.times.size() >= kFewRanks) alike.typical = Median(std::move(alike.times));
  }
  std::vector<std::optional<double>> slowdowns;
  for (const RankFacts& rank : ranks) {
    Ns own = 0, typical = 0;
    for (const KernelSum& kernel : rank.kernels) {
      const Ns usual = kernels.at({kernel.name, kernel.shape, kernel.calls}).typical;
      if (usual <= 0) continue;
      own += kernel.time;
      typical += usual;
    }
    slowdowns.push_back(typical > 0
                            ? std::optional(static_cast<double>(own) / static_cast<double>(typical))
                            : std::nullopt);
  }
  return slowdowns;
}

}  // namespace profgauge
