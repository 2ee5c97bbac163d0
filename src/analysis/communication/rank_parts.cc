#include "analysis/communication/rank_parts.h"

#include <utility>
#include <vector>

#include "analysis/time/breakdown.h"
#include "base/interval.h"

namespace profgauge {
namespace {

const std::vector<Span>& RoleOf(const Roles& roles, Category category) {
  return roles[static_cast<std::size_t>(category)];
}

std::vector<Span> Union(std::span<const std::vector<Span>* const> lists) {
  std::vector<Span> all;
  for (const std::vector<Span>* list : lists) all.insert(all.end(), list->begin(), list->end());
  return Merge(std::move(all));
}

}  // namespace

RankParts PartsOf(const RankContext& rank, std::span<const CollectiveCall> calls) {
  const Roles roles = CollectRoles(*rank.profile, rank.classes);
  std::vector<Span> iterations;
  for (const Iteration& iteration : rank.iterations.selected()) {
    iterations.push_back(iteration.time);
  }
  Breakdown sum{};
  for (const Breakdown& part : Partition(roles, iterations)) {
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += part[c];
  }
  const auto of = [&](Category category) { return sum[static_cast<std::size_t>(category)]; };

  const std::vector<Span> within = Merge(std::move(iterations));
  const std::vector<Span>* const computing[] = {&RoleOf(roles, Category::kTensorCoreKernel),
                                                &RoleOf(roles, Category::kOtherKernel)};
  const std::vector<Span> compute = Union(computing);
  const std::vector<Span>& communication = RoleOf(roles, Category::kCommunication);

  RankParts parts;
  parts.overlapped = Length(Intersect(Intersect(compute, communication), within));
  parts.compute_only =
      of(Category::kTensorCoreKernel) + of(Category::kOtherKernel) - parts.overlapped;
  parts.copy = of(Category::kMemcpy) + of(Category::kMemset);
  parts.dataloader = of(Category::kDataLoader);
  parts.host = of(Category::kRuntime) + of(Category::kCpu);
  parts.unattributed = of(Category::kOther);

  std::vector<Span> waiting;
  for (const CollectiveCall& call : calls) {
    if (call.transfer < 0) continue;
    parts.matched = true;
    waiting.push_back({call.time.start, call.time.end - call.transfer});
  }
  const std::vector<Span>* const before[] = {&compute, &RoleOf(roles, Category::kMemcpy),
                                             &RoleOf(roles, Category::kMemset)};
  const std::vector<Span> exposed = Intersect(Subtract(communication, Union(before)), within);
  parts.waiting_exposed = Length(Intersect(exposed, Merge(std::move(waiting))));
  parts.transfer_exposed = of(Category::kCommunication) - parts.waiting_exposed;
  return parts;
}

}  // namespace profgauge
