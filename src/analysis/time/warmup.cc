#include "analysis/time/warmup.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/median.h"
#include "knowledge/gate.h"

namespace profgauge::stats {
namespace {

constexpr std::size_t kLeastIterations = knowledge::kGateWarmupLeast.as<std::size_t>();
constexpr std::size_t kLeastTail = knowledge::kGateWarmupTail.as<std::size_t>();
constexpr double kScoreThatCuts = knowledge::kGateWarmupScore.value();
// One stalled iteration must not look like the sum of many slow ones.
constexpr double kMostSpreads = knowledge::kGateWarmupMostSpreads.value();
// Iterations of a settled run differ at least by this share: without it, a tail of equal values
// would make warm-up of every larger one.
constexpr double kLeastSpread = knowledge::kGateWarmupLeastSpread.value();
/// Median absolute deviation of a normal sample to its standard deviation.
constexpr double kConsistency = 1.4826;
// A start is warm-up only if this many of its iterations are a spread over the rest: a start with
// every second one slow is none. Warm-up of one spread over 40 % is still found (the grid of
// src/gate/README.md).
constexpr std::size_t kContiguousOf = knowledge::kGateContiguousOf.as<std::size_t>();
constexpr std::size_t kContiguous = knowledge::kGateContiguous.as<std::size_t>();

double MedianOf(std::span<const double> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

double RobustSigmaOf(std::span<const double> values) {
  const double middle = MedianOf(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return kConsistency * Median(std::move(distances));
}

double SpreadOf(std::span<const double> logarithms, std::span<const double> tail) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < logarithms.size(); ++i) {
    steps.push_back(std::abs(logarithms[i] - logarithms[i - 1]));
  }
  return std::max({RobustSigmaOf(tail), kConsistency / std::sqrt(2.0) * Median(std::move(steps)),
                   kLeastSpread});
}

// Sums of iterations from the first on, as their distance from the settled ones.
struct Sums {
  std::vector<double> excess = {0};     // In spreads.
  std::vector<std::size_t> slow = {0};  // How many are a spread over the rest.
};

// Where the run differs most from the rest, beginning at `from`; `from` if nowhere. Stalls
// that are scattered over the first half are no warm-up: most of it must be slow.
std::size_t CutAfter(const Sums& sums, std::size_t from) {
  const std::vector<double>& excess = sums.excess;
  const std::size_t n = excess.size() - 1;
  double largest = kScoreThatCuts;
  std::size_t cut = from;
  for (std::size_t p = from + 1; p <= n / 2; ++p) {
    if (kContiguousOf * (sums.slow[p] - sums.slow[from]) < kContiguous * (p - from)) continue;
    const auto before = static_cast<double>(p - from), after = static_cast<double>(n - p);
    const double score = ((excess[p] - excess[from]) / before - (excess[n] - excess[p]) / after) /
                         std::sqrt(1 / before + 1 / after);
    if (score <= largest) continue;
    largest = score;
    cut = p;
  }
  return cut;
}

}  // namespace

std::size_t FindWarmup(std::span<const double> times) {
  const std::size_t n = times.size();
  if (n < kLeastIterations) return 0;
  if (std::any_of(times.begin(), times.end(), [](double time) { return time <= 0; })) return 0;
  std::vector<double> logarithms;
  for (const double time : times) logarithms.push_back(std::log(time));
  const std::span<const double> tail =
      std::span(logarithms).last(std::max(kLeastTail, (n + 1) / 2));
  const double settled = MedianOf(tail);
  const double spread = SpreadOf(logarithms, tail);
  Sums sums;
  for (const double value : logarithms) {
    const double spreads = (value - settled) / spread;
    sums.excess.push_back(sums.excess.back() + std::clamp(spreads, -kMostSpreads, kMostSpreads));
    sums.slow.push_back(sums.slow.back() + (spreads > 1 ? 1 : 0));
  }
  std::size_t cut = 0;
  while (true) {
    const std::size_t next = CutAfter(sums, cut);
    if (next == cut) return cut;
    cut = next;
  }
}

}  // namespace profgauge::stats
