#include "analysis/communication/matching.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/communication/collective_calls.h"
#include "knowledge/collectives.h"

namespace profgauge::analysis::communication {
namespace {

/// Maximum number of cells in the table that aligns two sequences; the middle parts of longer ones
/// stay unmatched.
constexpr std::size_t kMaxAlignment = 4'000'000;

// Whether all ranks end together. In a broadcast, reduce, gather or scatter a rank may end earlier.
bool EndsTogether(classify::CollectiveKind kind) {
  return kind != classify::CollectiveKind::kBroadcast &&
         kind != classify::CollectiveKind::kReduce && kind != classify::CollectiveKind::kGather &&
         kind != classify::CollectiveKind::kScatter && kind != classify::CollectiveKind::kOther;
}

bool IsPointToPoint(const CollectiveCall& call) {
  return call.source >= 0 && call.destination >= 0;
}

/// The partners of a call: all ranks of the group, or one. A transfer with unknown ends may have
/// all (an exchange whose kernels send and receive) or one (a pipeline).
enum class Partner : std::uint8_t { kAll, kOne, kUntold };
Partner PartnerOf(const CollectiveCall& call) {
  if (IsPointToPoint(call)) return Partner::kOne;
  return call.kind == classify::CollectiveKind::kSendRecv ? Partner::kUntold : Partner::kAll;
}

/// Properties that must be equal in matching calls. Numbers of elements are compared only for
/// all-reduces, since other kinds may have uneven parts.
using Signature = std::tuple<std::string_view, std::string_view, std::int64_t, std::int64_t>;
Signature SignatureOf(const CollectiveCall& call) {
  const bool even = call.kind == classify::CollectiveKind::kAllReduce;
  return {call.name, call.dtype, even ? call.in_elements : -1, even ? call.out_elements : -1};
}

/// Positions of a group's calls on one rank.
using Sequence = std::vector<std::size_t>;
/// By call of the reference: its partner, or kNone.
using Partners = std::vector<std::size_t>;
constexpr std::size_t kNone = ~std::size_t{0};

/// Aligns `other` with `reference` by their longest common subsequence.
void AlignMiddle(std::span<const Signature> reference, std::span<const Signature> other,
                 std::size_t first, std::span<std::size_t> partners) {
  const std::size_t n = reference.size(), m = other.size();
  if (n == 0 || m == 0 || n > kMaxAlignment / m) return;
  std::vector<std::uint32_t> length((n + 1) * (m + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return length[i * (m + 1) + j];
  };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) =
          reference[i] == other[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < n && j < m;) {
    if (reference[i] == other[j]) {
      partners[i++] = first + j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
}

/// Returns, for each call of the reference, the position of its partner, or kNone. Sequences mostly
/// differ in one place, so equal calls at both ends are paired first:
///
///   reference   A B B C D      head A B, tail C D
///   other       A B   C D      middle: B against nothing, so the second B has no partner
///
/// Only the middle needs the table of the longest common subsequence, O(middle * middle).
Partners Align(std::span<const Signature> reference, std::span<const Signature> other) {
  Partners partners(reference.size(), kNone);
  const std::size_t shorter = std::min(reference.size(), other.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && reference[head] == other[head]) {
    partners[head] = head;
    ++head;
  }
  while (tail < shorter - head &&
         reference[reference.size() - 1 - tail] == other[other.size() - 1 - tail]) {
    partners[reference.size() - 1 - tail] = other.size() - 1 - tail;
    ++tail;
  }
  AlignMiddle(reference.subspan(head, reference.size() - head - tail),
              other.subspan(head, other.size() - head - tail), head,
              std::span(partners).subspan(head, reference.size() - head - tail));
  return partners;
}

class Matcher {
 public:
  Matcher(std::span<const RankGroups> ranks, std::span<const std::span<CollectiveCall>> calls)
      : ranks_(ranks), calls_(calls) {}

  Matching Run() {
    // Groups by name, kind of partner, and members; each with its ranks' calls in order.
    using Key = std::tuple<std::string_view, Partner, std::vector<std::int64_t>>;
    std::map<Key, std::map<std::size_t, Sequence>> groups;
    for (std::size_t rank = 0; rank < calls_.size(); ++rank) {
      std::map<std::pair<std::string_view, Partner>, Sequence*> known;
      for (std::size_t i = 0; i < calls_[rank].size(); ++i) {
        const CollectiveCall& call = calls_[rank][i];
        Sequence*& sequence = known[{call.group, PartnerOf(call)}];
        if (sequence == nullptr) {
          sequence = &groups[{call.group, PartnerOf(call), MembersOf(rank, call.group)}][rank];
        }
        sequence->push_back(i);
      }
    }
    for (const auto& [key, sequences] : groups) MatchGroup(std::get<2>(key), sequences);
    return std::move(result_);
  }

 private:
  std::vector<std::int64_t> MembersOf(std::size_t rank, std::string_view group) const {
    for (const ProcessGroup& known : ranks_[rank].groups) {
      if (known.name == group) return known.ranks;
    }
    return {};
  }

  void MatchGroup(const std::vector<std::int64_t>& members,
                  const std::map<std::size_t, Sequence>& sequences) {
    const auto& [first_rank, first_calls] = *sequences.begin();
    const CollectiveCall& example = calls_[first_rank][first_calls.front()];
    GroupMatch group;
    group.name = example.group;
    group.description = example.group_description;
    group.members = members;
    group.point_to_point = IsPointToPoint(example);
    group.size = SizeOf(example);
    for (const auto& [rank, sequence] : sequences) {
      group.present.push_back(rank);
      for (const std::size_t i : sequence) {
        ++group.calls;
        group.time += calls_[rank][i].time.length();
      }
    }
    result_.groups.push_back(std::move(group));
    if (result_.groups.back().point_to_point) {
      MatchPairs(sequences);
    } else if (result_.groups.back().complete() && sequences.size() >= 2) {
      if (PartnerOf(example) != Partner::kUntold && Numbered(sequences)) {
        MatchByNumber(sequences);
      } else {
        MatchByOrder(sequences, PartnerOf(example));
      }
    }
  }

  /// Number of ranks of a call's group: from the call, else all of the run; -1 if only one is
  /// there.
  std::int64_t SizeOf(const CollectiveCall& example) const {
    if (example.group_size > 0) return example.group_size;
    const std::int64_t world = ranks_.front().world_size;
    if (world > 0) return world;
    return ranks_.size() > 1 ? static_cast<std::int64_t>(ranks_.size()) : -1;
  }

  /// Whether all calls have a number and no rank repeats one. Otherwise the numbers are useless,
  /// and the order of the calls is used.
  bool Numbered(const std::map<std::size_t, Sequence>& sequences) const {
    for (const auto& [rank, sequence] : sequences) {
      std::set<std::int64_t> seen;
      for (const std::size_t i : sequence) {
        const std::int64_t number = calls_[rank][i].sequence;
        if (number < 0 || !seen.insert(number).second) return false;
      }
    }
    return true;
  }

  /// Matches calls of equal number and name on all ranks. Calls of different names stay unmatched.
  void MatchByNumber(const std::map<std::size_t, Sequence>& sequences) {
    std::map<std::int64_t, std::vector<MatchedCall::Member>> by_number;
    for (const auto& [rank, sequence] : sequences) {
      for (const std::size_t i : sequence) by_number[calls_[rank][i].sequence].push_back({rank, i});
    }
    for (auto& [number, members] : by_number) {
      if (members.size() != sequences.size()) continue;
      const auto kind_of = [&](const MatchedCall::Member& member) -> const std::string& {
        return calls_[member.rank][member.call].name;
      };
      const std::string& kind = kind_of(members.front());
      const bool same = std::all_of(members.begin(), members.end(),
                                    [&](const auto& member) { return kind_of(member) == kind; });
      if (same) Add(std::move(members));
    }
  }

  /// Matches iteration by iteration, against the rank with most calls. With unknown partners, all
  /// ranks must have equally many calls; in a pipeline the first and last stage have half as many.
  void MatchByOrder(const std::map<std::size_t, Sequence>& sequences, Partner partner) {
    std::map<std::int64_t, std::map<std::size_t, Sequence>> iterations;
    for (const auto& [rank, sequence] : sequences) {
      for (const std::size_t i : sequence) {
        iterations[calls_[rank][i].iteration][rank].push_back(i);
      }
    }
    for (const auto& [iteration, parts] : iterations) {
      const std::size_t first = parts.begin()->second.size();
      const bool is_even = std::ranges::all_of(
          parts, [first](const auto& part) { return part.second.size() == first; });
      if (partner == Partner::kUntold && !is_even) continue;
      if (parts.size() == sequences.size()) MatchPart(parts);
    }
  }

  /// `parts`: the non-empty lists of one iteration's calls by rank. A call only matches if all
  /// ranks have a partner for it.
  void MatchPart(const std::map<std::size_t, Sequence>& parts) {
    std::map<std::size_t, std::vector<Signature>> signatures;
    std::size_t reference = parts.begin()->first;
    for (const auto& [rank, sequence] : parts) {
      if (sequence.size() > parts.at(reference).size()) reference = rank;
      for (const std::size_t i : sequence) {
        signatures[rank].push_back(SignatureOf(calls_[rank][i]));
      }
    }
    std::map<std::size_t, Partners> partners;
    for (const auto& [rank, sequence] : parts) {
      partners[rank] = Align(signatures.at(reference), signatures.at(rank));
    }
    for (std::size_t n = 0; n < parts.at(reference).size(); ++n) {
      std::vector<MatchedCall::Member> members;
      for (const auto& [rank, sequence] : parts) {
        const std::size_t partner = partners.at(rank)[n];
        if (partner != kNone) members.push_back({rank, sequence[partner]});
      }
      if (members.size() == parts.size()) Add(std::move(members));
    }
  }

  /// Matches the n-th call from one rank to another on both ranks.
  void MatchPairs(const std::map<std::size_t, Sequence>& sequences) {
    using Way = std::pair<std::int64_t, std::int64_t>;
    std::map<Way, std::map<std::size_t, Sequence>> ways;
    for (const auto& [rank, sequence] : sequences) {
      for (const std::size_t i : sequence) {
        const CollectiveCall& call = calls_[rank][i];
        ways[{call.source, call.destination}][rank].push_back(i);
      }
    }
    for (const auto& [way, ends] : ways) {
      if (ends.size() == 2) MatchPair(*ends.begin(), *std::next(ends.begin()));
    }
  }

  /// Matches in order; if the counts differ, only iterations with equal counts.
  void MatchPair(const std::pair<const std::size_t, Sequence>& a,
                 const std::pair<const std::size_t, Sequence>& b) {
    if (a.second.size() == b.second.size()) {
      for (std::size_t n = 0; n < a.second.size(); ++n) {
        Add({{a.first, a.second[n]}, {b.first, b.second[n]}});
      }
      return;
    }
    std::map<std::int64_t, std::pair<Sequence, Sequence>> iterations;
    for (const std::size_t i : a.second) {
      iterations[calls_[a.first][i].iteration].first.push_back(i);
    }
    for (const std::size_t i : b.second) {
      iterations[calls_[b.first][i].iteration].second.push_back(i);
    }
    for (const auto& [iteration, ends] : iterations) {
      if (ends.first.size() != ends.second.size()) continue;
      for (std::size_t n = 0; n < ends.first.size(); ++n) {
        Add({{a.first, ends.first[n]}, {b.first, ends.second[n]}});
      }
    }
  }

  /// Finds the two shortest durations: of the last rank and of the one before it. Example: for d =
  /// 15, 8, 11 the last is the second (transfer 8), and the next is the third (lateness 3). If the
  /// two shortest are equal, no rank came last.
  void Add(std::vector<MatchedCall::Member> members) {
    MatchedCall call;
    call.group = result_.groups.size() - 1;
    GroupMatch& group = result_.groups.back();
    const auto length = [&](const MatchedCall::Member& member) {
      return calls_[member.rank][member.call].time.length();
    };
    for (const auto& member : members) {
      ++group.matched_calls;
      group.matched_time += length(member);
    }
    if (EndsTogether(calls_[members.front().rank][members.front().call].kind)) {
      std::size_t last = 0, next = MatchedCall::kNobody;
      for (std::size_t i = 1; i < members.size(); ++i) {
        if (length(members[i]) < length(members[last])) {
          next = std::exchange(last, i);
        } else if (next == MatchedCall::kNobody || length(members[i]) < length(members[next])) {
          next = i;
        }
      }
      const Ns least = length(members[last]);
      call.transfer = least;
      if (next != MatchedCall::kNobody) call.lateness = length(members[next]) - least;
      if (call.lateness > 0) {
        call.last = last;
        call.next = next;
      }
      for (const auto& member : members) calls_[member.rank][member.call].transfer = least;
    }
    call.members = std::move(members);
    result_.calls.push_back(std::move(call));
  }

  std::span<const RankGroups> ranks_;
  std::span<const std::span<CollectiveCall>> calls_;
  Matching result_;
};

}  // namespace

bool GroupMatch::MayBlame() const {
  // Pairs only need both of their ends.
  if (!point_to_point && !complete()) return false;
  return static_cast<double>(matched_calls) >=
             knowledge::kCollectivesMatchedShare * static_cast<double>(calls) &&
         static_cast<double>(matched_time) >=
             knowledge::kCollectivesMatchedShare * static_cast<double>(time);
}

Matching MatchRanks(std::span<const RankGroups> ranks,
                    std::span<const std::span<CollectiveCall>> calls) {
  return Matcher(ranks, calls).Run();
}

Matching MatchRanks(std::span<const iterations::RankContext> ranks,
                    std::span<std::vector<CollectiveCall>> calls) {
  std::vector<RankGroups> groups;
  for (const iterations::RankContext& rank : ranks) {
    const DistributedInfo& info = rank.profile->distributed;
    groups.push_back({info.groups, info.world_size});
  }
  const std::vector<std::span<CollectiveCall>> lists(calls.begin(), calls.end());
  return MatchRanks(groups, lists);
}

}  // namespace profgauge::analysis::communication
