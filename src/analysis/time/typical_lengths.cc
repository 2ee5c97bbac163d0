#include "analysis/time/typical_lengths.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

#include "analysis/time/iteration_stats.h"

namespace profgauge {
namespace {

// Of more kinds, or of fewer iterations of one, chance may be the reason.
constexpr std::size_t kMostKinds = 4;
constexpr std::size_t kLeastAlike = 3;

double MiddleOf(std::span<const double> lengths) {
  std::vector<double> sorted(lengths.begin(), lengths.end());
  std::sort(sorted.begin(), sorted.end());
  return Quantile(sorted, 0.5);
}

}  // namespace

std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels) {
  std::map<std::int64_t, std::vector<double>> kinds;
  for (std::size_t i = 0; i < lengths.size(); ++i) kinds[kernels[i]].push_back(lengths[i]);
  const auto has_enough = [](const auto& kind) { return kind.second.size() >= kLeastAlike; };
  if (kinds.size() > kMostKinds || !std::ranges::all_of(kinds, has_enough)) {
    return std::vector<double>(lengths.size(), lengths.empty() ? 0 : MiddleOf(lengths));
  }
  std::map<std::int64_t, double> middle;
  for (const auto& [count, alike] : kinds) middle.emplace(count, MiddleOf(alike));
  std::vector<double> typical;
  for (const std::int64_t count : kernels) typical.push_back(middle.at(count));
  return typical;
}

std::vector<double> WithoutKinds(std::span<const double> lengths, std::span<const double> typical) {
  std::vector<double> out(lengths.begin(), lengths.end());
  if (std::ranges::adjacent_find(typical, std::not_equal_to<>()) == typical.end()) return out;
  const double middle = MiddleOf(lengths);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (typical[i] > 0) out[i] = lengths[i] / typical[i] * middle;
  }
  return out;
}

}  // namespace profgauge
