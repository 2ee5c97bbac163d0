#include "analysis/communication/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <map>
#include <utility>

#include "analysis/time/breakdown.h"
#include "base/format.h"
#include "base/median.h"

namespace profgauge {
namespace {

/// Of the cost of all ranks: what one must cause to be the straggler.
constexpr double kMostOfTheCost = 0.5;
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

/// Splits the time before each late call on every member.
class CauseFinder {
 public:
  CauseFinder(std::span<const RankContext> ranks,
              std::span<const std::vector<CollectiveCall>> calls, const Matching& matching,
              std::size_t straggler)
      : ranks_(ranks), calls_(calls), matching_(matching), straggler_(straggler) {}

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
  /// Before each call of a judged group for which the rank was late: the range on every member.
  void CollectRanges() {
    std::map<std::size_t, const MatchedCall*> before;  // The last call of each group.
    for (const MatchedCall& call : matching_.calls) {
      const MatchedCall*& previous = before[call.group];
      const bool late = call.last == straggler_ && matching_.groups[call.group].MayBlame();
      if (late && previous != nullptr && previous->members.size() == call.members.size()) {
        for (std::size_t i = 0; i < call.members.size(); ++i) {
          const auto& member = call.members[i];
          const auto& last = previous->members[i];
          const Ns start = calls_[last.rank][last.call].time.end;
          ranges_[member.rank].push_back(
              {start, std::max(start, calls_[member.rank][member.call].time.start)});
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
      std::vector<Span> sorted = ranges;
      std::sort(sorted.begin(), sorted.end(),
                [](const Span& a, const Span& b) { return a.start < b.start; });
      // Calls of groups that overlap in time: what was counted for one is not counted again.
      for (std::size_t i = 1; i < sorted.size(); ++i) {
        sorted[i].start = std::max(sorted[i].start, sorted[i - 1].end);
        sorted[i].end = std::max(sorted[i].end, sorted[i].start);
      }
      const Roles roles = CollectRoles(*ranks_[rank].profile, ranks_[rank].classes);
      Times sum{};
      for (const Breakdown& breakdown : Partition(roles, sorted)) {
        const Times times = TimesOf(breakdown);
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
    return SlowKernels() >= kSlowKernels ? "a slow GPU" : "more work on the GPU";
  }

  /// How much longer than the median of the other ranks the straggler's kernels take, over those
  /// that all ranks run equally often; 1 when there are none.
  double SlowKernels() const {
    struct Sum {
      std::int64_t calls = 0;
      Ns time = 0;
    };
    using Sums = boost::unordered_flat_map<std::string_view, Sum>;
    const auto sums_of = [&](std::size_t rank) {
      Sums sums;
      const Profile& profile = *ranks_[rank].profile;
      for (std::size_t i = 0; i < profile.device.size(); ++i) {
        if (profile.device.kind[i] != DeviceKind::kKernel) continue;
        if (ranks_[rank].classes[i].collective) continue;
        Sum& sum = sums[profile.Name(profile.device.name[i])];
        ++sum.calls;
        sum.time += profile.device.duration[i];
      }
      return sums;
    };
    std::map<std::size_t, Sums> others;
    for (const auto& [rank, ranges] : ranges_) {
      if (rank != straggler_) others.emplace(rank, sums_of(rank));
    }
    Ns own = 0, typical = 0;
    for (const auto& [name, sum] : sums_of(straggler_)) {
      std::vector<Ns> times;
      for (const auto& [rank, sums] : others) {
        const auto found = sums.find(name);
        if (found != sums.end() && found->second.calls == sum.calls) {
          times.push_back(found->second.time);
        }
      }
      if (times.empty() || times.size() < others.size()) continue;
      own += sum.time;
      typical += Median(std::move(times));
    }
    return typical > 0 ? static_cast<double>(own) / static_cast<double>(typical) : 1;
  }

  std::span<const RankContext> ranks_;
  std::span<const std::vector<CollectiveCall>> calls_;
  const Matching& matching_;
  std::size_t straggler_;
  std::map<std::size_t, std::vector<Span>> ranges_;  // By rank, in the calls' order.
};

}  // namespace

Blame FindBlame(std::span<const RankContext> ranks,
                std::span<const std::vector<CollectiveCall>> calls, const Matching& matching) {
  Blame blame;
  blame.ranks.resize(ranks.size());
  blame.groups = matching.groups.size();
  for (const GroupMatch& group : matching.groups) blame.judged_groups += group.MayBlame() ? 1 : 0;
  Ns total = 0;
  for (const MatchedCall& call : matching.calls) {
    if (call.transfer < 0) continue;
    for (const auto& member : call.members) {
      RankLateness& rank = blame.ranks[member.rank];
      rank.matched = true;
      rank.transfer += call.transfer;
      rank.waiting += calls[member.rank][member.call].time.length() - call.transfer;
    }
    if (call.last == MatchedCall::kNobody || !matching.groups[call.group].MayBlame()) continue;
    blame.ranks[call.last].cost += call.lateness;
    ++blame.ranks[call.last].last_calls;
    total += call.lateness;
  }
  if (total == 0) return blame;
  const auto worst = std::max_element(
      blame.ranks.begin(), blame.ranks.end(),
      [](const RankLateness& a, const RankLateness& b) { return a.cost < b.cost; });
  if (static_cast<double>(worst->cost) <= kMostOfTheCost * static_cast<double>(total)) {
    blame.jitter = true;
    return blame;
  }
  blame.straggler = static_cast<std::size_t>(worst - blame.ranks.begin());
  blame.cause = CauseFinder(ranks, calls, matching, *blame.straggler).Find();
  return blame;
}

}  // namespace profgauge
