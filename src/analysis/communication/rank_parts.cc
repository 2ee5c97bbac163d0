#include "analysis/communication/rank_parts.h"

#include <cstddef>
#include <vector>

namespace profgauge {
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

std::vector<RankParts> PartsOfSteps(const CategoryTimes& times) {
  std::vector<RankParts> parts;
  for (std::size_t i = 0; i < times.iterations.size(); ++i) {
    parts.push_back(PartsFrom(times.iterations[i], times.overlapped[i]));
  }
  return parts;
}

}  // namespace profgauge
