#include "analysis/time/typical_lengths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>

#include "analysis/time/iteration_stats.h"
#include "knowledge/iterations.h"

namespace profgauge {
namespace {

double MiddleOf(std::span<const double> lengths) {
  std::vector<double> sorted(lengths.begin(), lengths.end());
  std::sort(sorted.begin(), sorted.end());
  return Quantile(sorted, 0.5);
}

std::vector<double> TypicalByCounts(std::span<const double> lengths,
                                    std::span<const std::int64_t> kernels) {
  std::map<std::int64_t, std::vector<double>> kinds;
  for (std::size_t i = 0; i < lengths.size(); ++i) kinds[kernels[i]].push_back(lengths[i]);
  const auto has_enough = [](const auto& kind) {
    return kind.second.size() >= knowledge::kIterationsUsualLeast;
  };
  if (kinds.size() > knowledge::kIterationsKindMost || !std::ranges::all_of(kinds, has_enough)) {
    return std::vector<double>(lengths.size(), lengths.empty() ? 0 : MiddleOf(lengths));
  }
  std::map<std::int64_t, double> middle;
  for (const auto& [count, alike] : kinds) middle.emplace(count, MiddleOf(alike));
  std::vector<double> typical;
  for (const std::int64_t count : kernels) typical.push_back(middle.at(count));
  return typical;
}

std::vector<double> TypicalByWork(std::span<const double> lengths, std::span<const Ns> changing) {
  std::vector<double> rests;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    rests.push_back(lengths[i] - static_cast<double>(changing[i]));
  }
  const double rest = MiddleOf(rests);
  std::vector<double> typical;
  for (const Ns work : changing) typical.push_back(rest + static_cast<double>(work));
  return typical;
}

// Median distance of a length from its typical one.
double DistanceTo(std::span<const double> typical, std::span<const double> lengths) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    distances.push_back(std::abs(lengths[i] - typical[i]));
  }
  return MiddleOf(distances);
}

}  // namespace

std::vector<double> TypicalLengths(std::span<const double> lengths,
                                   std::span<const std::int64_t> kernels,
                                   std::span<const Ns> changing) {
  std::vector<double> by_counts = TypicalByCounts(lengths, kernels);
  if (std::ranges::all_of(changing, [](Ns work) { return work == 0; })) return by_counts;
  std::vector<double> by_work = TypicalByWork(lengths, changing);
  const bool is_possible = std::ranges::all_of(by_work, [](double length) { return length > 0; });
  const bool is_nearer = DistanceTo(by_work, lengths) < DistanceTo(by_counts, lengths);
  return is_possible && is_nearer ? by_work : by_counts;
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
