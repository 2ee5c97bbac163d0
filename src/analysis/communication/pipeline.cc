#include "analysis/communication/pipeline.h"
#include "analysis/communication/collective_calls.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace profgauge::analysis::communication {
namespace {

/// One rank's role in transfers between two ranks.
struct Role {
  bool begins = true;  ///< Its first transfer in every iteration is a send.
  std::int64_t sends_on = 0;
  std::int64_t next = -1, previous = -1;  ///< Global ranks of the first receiver and sender.
  std::vector<Span> waiting, moving;
};

bool IsTransfer(const CollectiveCall& call) {
  return call.transfer >= 0 && call.source >= 0 && call.destination >= 0 &&
         call.source != call.destination && call.in_iterations;
}

/// Sorted in the order in which data move: a receive may be posted long before its data arrive.
std::vector<CollectiveCall> TransfersOf(const RankFacts& rank) {
  std::vector<CollectiveCall> transfers;
  for (const CollectiveCall& call : rank.calls) {
    if (IsTransfer(call)) transfers.push_back(call);
  }
  std::stable_sort(
      transfers.begin(), transfers.end(),
      [](const CollectiveCall& a, const CollectiveCall& b) { return a.time.end < b.time.end; });
  return transfers;
}

/// Finds a rank's neighbors from its first transfers: these move data forward, and gradients come
/// back later. Example with three stages:
///
///   rank 0   sends to 1, receives from 1              next 1, begins
///   rank 1   receives from 0, sends to 2, ...         previous 0, next 2
///   rank 2   receives from 1, sends to 1              previous 1, no next
Role RoleOf(const RankFacts& rank) {
  Role role;
  std::set<std::int64_t> begun;
  for (const CollectiveCall& call : TransfersOf(rank)) {
    const bool sends = call.source == rank.rank;
    const std::int64_t peer = sends ? call.destination : call.source;
    if (begun.insert(call.iteration).second) role.begins = role.begins && sends;
    // The first transfers move data forward.
    if (!sends && role.previous < 0 && role.next < 0) role.previous = peer;
    if (sends && role.next < 0 && peer != role.previous) role.next = peer;
    if (sends && peer == role.next) ++role.sends_on;
    const Ns came = call.time.end - call.transfer;
    role.waiting.push_back({call.time.start, came});
    role.moving.push_back({came, call.time.end});
  }
  role.begins = role.begins && !begun.empty();
  return role;
}

/// Exposed time in `spans`, over the selected iterations.
Ns Exposed(const RankFacts& rank, std::vector<Span> spans) {
  std::vector<Span> steps;
  for (const RankFacts::Step& step : rank.steps) steps.push_back(step.time);
  const std::vector<Span> alone = Intersect(rank.exposed, Merge(std::move(steps)));
  return OverlapLength(alone, Merge(std::move(spans)));
}

/// Exposed time in `spans`, by selected iteration.
std::vector<Ns> ExposedBySteps(const RankFacts& rank, std::vector<Span> spans) {
  const std::vector<Span> waits = Intersect(rank.exposed, Merge(std::move(spans)));
  std::vector<Ns> steps;
  for (const RankFacts::Step& step : rank.steps) {
    steps.push_back(OverlapLength(Near(waits, step.time), std::span(&step.time, 1)));
  }
  return steps;
}

/// The chain of ranks (by position) from `first` to the last one, or to one that sends to `first`
/// (an interleaved schedule). None if the chain closes elsewhere or leaves the run.
std::optional<std::vector<std::size_t>> ChainFrom(
    std::size_t first, const std::map<std::int64_t, std::size_t>& positions,
    const std::map<std::size_t, Role>& roles) {
  std::vector<std::size_t> chain{first};
  for (std::int64_t next = roles.at(first).next; next >= 0;) {
    const auto position = positions.find(next);
    if (position == positions.end() || chain.size() > roles.size()) return std::nullopt;
    if (position->second == first) break;
    const auto role = roles.find(position->second);
    if (role == roles.end()) return std::nullopt;
    chain.push_back(position->second);
    next = role->second.next;
  }
  return chain.size() >= 2 ? std::optional(chain) : std::nullopt;
}

}  // namespace

double Pipeline::ideal_share() const {
  const auto p = static_cast<double>(stages.size()), m = static_cast<double>(microbatches);
  return (p - 1) / (m + p - 1);
}

Ns UntoldTransfers(const RankFacts& rank) {
  std::vector<Span> untold, told;
  for (const CollectiveCall& call : rank.calls) {
    if (call.kind != classify::CollectiveKind::kSendRecv || !call.in_iterations) continue;
    (call.transfer < 0 || call.source < 0 ? untold : told).push_back(call.time);
  }
  if (untold.empty()) return 0;
  return Exposed(rank, Subtract(Merge(std::move(untold)), Merge(std::move(told))));
}

// Every chain from a beginning rank is a replica of the pipeline. All must have equally many
// stages, and together contain all transferring ranks; otherwise the transfers are another pattern,
// and there is no pipeline.
Pipeline FindPipeline(std::span<const RankFacts> ranks, std::span<const RankParts> parts,
                      const Matching& matching) {
  const bool any = std::any_of(matching.groups.begin(), matching.groups.end(),
                               [](const GroupMatch& group) { return group.point_to_point; });
  if (!any) return {};
  std::map<std::int64_t, std::size_t> positions;
  std::map<std::size_t, Role> roles;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    positions.emplace(ranks[i].rank, i);
    if (std::any_of(ranks[i].calls.begin(), ranks[i].calls.end(), IsTransfer)) {
      roles.emplace(i, RoleOf(ranks[i]));
    }
  }
  Pipeline pipeline;
  pipeline.waiting.resize(ranks.size());
  std::size_t staged = 0;
  for (const auto& [first, role] : roles) {
    if (!role.begins || role.previous >= 0) continue;
    const auto chain = ChainFrom(first, positions, roles);
    if (!chain || (staged > 0 && chain->size() != pipeline.stages.size())) return {};
    pipeline.stages.resize(chain->size());
    const auto steps =
        static_cast<std::int64_t>(std::max<std::size_t>(1, ranks[first].steps.size()));
    const std::int64_t microbatches = role.sends_on % steps == 0 ? role.sends_on / steps : 0;
    pipeline.microbatches = staged == 0 || pipeline.microbatches == microbatches ? microbatches : 0;
    for (std::size_t stage = 0; stage < chain->size(); ++stage) {
      const std::size_t rank = (*chain)[stage];
      Pipeline::Stage& sum = pipeline.stages[stage];
      ++sum.ranks;
      sum.iteration_time += ranks[rank].step_time();
      sum.computing += parts[rank].compute_only + parts[rank].overlapped;
      sum.bubble += Exposed(ranks[rank], roles.at(rank).waiting);
      pipeline.waiting[rank] = ExposedBySteps(ranks[rank], roles.at(rank).waiting);
      sum.transfer += Exposed(ranks[rank], roles.at(rank).moving);
    }
    staged += chain->size();
  }
  // Some ranks exchange data but are not stages: this is another pattern.
  return staged == roles.size() ? pipeline : Pipeline{};
}

}  // namespace profgauge::analysis::communication
