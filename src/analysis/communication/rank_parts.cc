#include "analysis/communication/rank_parts.h"

#include <algorithm>
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

RankParts PartsFrom(const Breakdown& breakdown, Ns overlapped) {
  const auto of = [&](Category category) { return breakdown[static_cast<std::size_t>(category)]; };
  RankParts parts;
  parts.overlapped = overlapped;
  parts.compute_only =
      of(Category::kTensorCoreKernel) + of(Category::kOtherKernel) - parts.overlapped;
  parts.transfer_exposed = of(Category::kCommunication);
  parts.copy = of(Category::kMemcpy) + of(Category::kMemset);
  parts.dataloader = of(Category::kDataLoader);
  parts.host = of(Category::kRuntime) + of(Category::kCpu);
  parts.unattributed = of(Category::kOther);
  return parts;
}

RankParts SumOf(std::span<const RankParts> steps) {
  RankParts sum;
  for (const RankParts& step : steps) {
    sum.compute_only += step.compute_only;
    sum.overlapped += step.overlapped;
    sum.transfer_exposed += step.transfer_exposed;
    sum.copy += step.copy;
    sum.dataloader += step.dataloader;
    sum.host += step.host;
    sum.unattributed += step.unattributed;
  }
  return sum;
}

std::vector<RankParts> PartsOfSteps(const RankContext& rank, const Roles& roles,
                                    std::span<const Breakdown> breakdowns) {
  const std::vector<Span>& communication = RoleOf(roles, Category::kCommunication);
  const std::vector<Span>* const computing[] = {&RoleOf(roles, Category::kTensorCoreKernel),
                                                &RoleOf(roles, Category::kOtherKernel)};
  std::vector<Span> both;
  if (!communication.empty()) both = Intersect(Union(computing), communication);
  const auto iterations = rank.iterations.selected();
  std::vector<RankParts> parts;
  for (std::size_t i = 0; i < breakdowns.size(); ++i) {
    const Span step = iterations[i].time;
    Ns overlapped = 0;
    auto span = std::partition_point(both.begin(), both.end(),
                                     [&](const Span& s) { return s.end <= step.start; });
    for (; span != both.end() && span->start < step.end; ++span) {
      overlapped += std::min(span->end, step.end) - std::max(span->start, step.start);
    }
    parts.push_back(PartsFrom(breakdowns[i], overlapped));
  }
  return parts;
}

std::vector<Span> OnlyCommunication(const Roles& roles) {
  const std::vector<Span>& communication = RoleOf(roles, Category::kCommunication);
  if (communication.empty()) return {};
  const std::vector<Span>* const hiding[] = {
      &RoleOf(roles, Category::kTensorCoreKernel), &RoleOf(roles, Category::kOtherKernel),
      &RoleOf(roles, Category::kMemcpy), &RoleOf(roles, Category::kMemset)};
  return Subtract(communication, Union(hiding));
}

}  // namespace profgauge
