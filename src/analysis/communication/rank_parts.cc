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

RankParts PartsOf(const RankContext& rank, const Roles& roles) {
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
  const std::vector<Span> both =
      Intersect(Union(computing), RoleOf(roles, Category::kCommunication));

  RankParts parts;
  parts.overlapped = OverlapLength(both, within);
  parts.compute_only =
      of(Category::kTensorCoreKernel) + of(Category::kOtherKernel) - parts.overlapped;
  parts.transfer_exposed = of(Category::kCommunication);
  parts.copy = of(Category::kMemcpy) + of(Category::kMemset);
  parts.dataloader = of(Category::kDataLoader);
  parts.host = of(Category::kRuntime) + of(Category::kCpu);
  parts.unattributed = of(Category::kOther);
  return parts;
}

std::vector<Span> OnlyCommunication(const Roles& roles) {
  const std::vector<Span>* const hiding[] = {
      &RoleOf(roles, Category::kTensorCoreKernel), &RoleOf(roles, Category::kOtherKernel),
      &RoleOf(roles, Category::kMemcpy), &RoleOf(roles, Category::kMemset)};
  return Subtract(RoleOf(roles, Category::kCommunication), Union(hiding));
}

}  // namespace profgauge
