#include "gate/warmup.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gate/statistics.h"

namespace profgauge::stats {
namespace {

constexpr std::size_t kLeastIterations = 4;
constexpr std::size_t kLeastTail = 3;
constexpr double kScoreThatCuts = 2.5;
// One stalled iteration must not look like the sum of many slow ones.
constexpr double kMostSpreads = 4;
// Iterations of a settled run differ at least by this share: without it, a tail of equal values
// would make warm-up of every larger one.
constexpr double kLeastSpread = 0.005;

double SpreadOf(std::span<const double> logarithms, std::span<const double> tail) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < logarithms.size(); ++i) {
    steps.push_back(std::abs(logarithms[i] - logarithms[i - 1]));
  }
  return std::max({RobustSigma(tail), kConsistency / std::sqrt(2.0) * Median(steps), kLeastSpread});
}

// Where the run stands out most from what follows, beginning at `from`; `from` if nowhere.
std::size_t CutAfter(std::span<const double> sums, std::size_t from) {
  const std::size_t n = sums.size() - 1;
  double largest = kScoreThatCuts;
  std::size_t cut = from;
  for (std::size_t p = from + 1; p <= n / 2; ++p) {
    const auto before = static_cast<double>(p - from), after = static_cast<double>(n - p);
    const double score = ((sums[p] - sums[from]) / before - (sums[n] - sums[p]) / after) /
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
  const double settled = Median(tail);
  const double spread = SpreadOf(logarithms, tail);
  std::vector<double> sums = {0};
  for (const double value : logarithms) {
    sums.push_back(sums.back() +
                   std::clamp((value - settled) / spread, -kMostSpreads, kMostSpreads));
  }
  std::size_t cut = 0;
  while (true) {
    const std::size_t next = CutAfter(sums, cut);
    if (next == cut) return cut;
    cut = next;
  }
}

}  // namespace profgauge::stats
