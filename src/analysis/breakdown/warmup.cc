#include "analysis/breakdown/warmup.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/breakdown/iteration_stats.h"
#include "base/numbers.h"
#include "knowledge/gate.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::size_t kLeastIterations = knowledge::kGateWarmupLeast.as<std::size_t>();
constexpr std::size_t kLeastTail = knowledge::kGateWarmupTail.as<std::size_t>();
constexpr double kScoreThatCuts = knowledge::kGateWarmupScore.value();
// Limit for one iteration's excess: a single stall must not look like many slow ones.
constexpr double kMostSpreads = knowledge::kGateWarmupMostSpreads.value();
// Minimum relative spread of a settled run. Without it, if all values of the tail were equal, every
// larger value would be warm-up.
constexpr double kLeastSpread = knowledge::kGateWarmupLeastSpread.value();
// Limits of Decays(): kContiguous of kContiguousOf iterations of a start must be a spread slower
// than the rest; its slowest one is a late stall if it is in the second half and exceeds the median
// by this many spreads.
constexpr std::size_t kContiguousOf = knowledge::kGateContiguousOf.as<std::size_t>();
constexpr std::size_t kContiguous = knowledge::kGateContiguous.as<std::size_t>();
constexpr double kLateStall = knowledge::kGateLateStall.value();
// Thirds of a start that differ by less than this part of its excess are as slow as each other.
constexpr double kFlat = knowledge::kGateFlatStart.value();

// Copies, since Median() reorders.
double MedianOf(std::span<const double> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

// The standard deviation of a normal sample with this MAD.
double RobustSigmaOf(std::span<const double> values) {
  return kDeviationsOfMad * MedianDeviation(values, MedianOf(values));
}

// The spread of a settled run: that of the tail, but at least that of neighboring values. If the
// tail is calm by chance, noise would otherwise be warm-up. √2: the difference of two values has
// twice the variance of one.
double SpreadOf(std::span<const double> logarithms, std::span<const double> tail) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < logarithms.size(); ++i) {
    steps.push_back(std::abs(logarithms[i] - logarithms[i - 1]));
  }
  return std::max({RobustSigmaOf(tail),
                   kDeviationsOfMad / std::sqrt(2.0) * Median(std::move(steps)), kLeastSpread});
}

// A run's logarithms of times, and sums over its first p iterations: `excess`, their distances from
// the settled level, each at most kMostSpreads, and `slow`, how many are over one spread slower.
struct RunExcess {
  std::span<const double> values;
  double spread = 0, settled = 0;
  std::vector<double> excess = {0};  // In spreads.
  std::vector<std::size_t> slow = {0};
};

// Whether the first `p` iterations are warm-up, and not a stall that happens to be early:
//
//     300 250 200 150 120 100 100 ...     decays
//     100 100 300 100 100 100 100 ...     most of it is not slow
//     120 120 120 120 400 100 100 ...     its slowest is late: iteration 4 stalled
//     110 120 130 140 150 100 100 ...     it becomes slower
//     159 161 100 100 100 100 100 ...     as slow throughout: by chance the second is slower
bool Decays(const RunExcess& run, std::size_t p) {
  if (kContiguousOf * run.slow[p] < kContiguous * p) return false;
  const std::span<const double> head = run.values.first(p);
  const auto slowest = std::max_element(head.begin(), head.end());
  const bool is_late = static_cast<std::size_t>(slowest - head.begin()) >= (p + 1) / 2;
  const double median = MedianOf(head);
  const double flat = std::max(run.spread, kFlat * (median - run.settled));
  if (p >= 2 && is_late && *slowest > median + std::max(kLateStall * run.spread, flat)) {
    return false;
  }
  const std::size_t third = std::max<std::size_t>(1, p / 3);
  return MedianOf(head.first(third)) >= MedianOf(head.last(third)) - flat;
}

// Returns the cut after `from` at which the means on both sides differ most; `from` if none does.
std::size_t CutAfter(const RunExcess& sums, std::size_t from) {
  const std::vector<double>& excess = sums.excess;
  const std::size_t n = excess.size() - 1;
  double largest = kScoreThatCuts;
  std::size_t cut = from;
  for (std::size_t p = from + 1; p <= n / 2; ++p) {
    if (!Decays(sums, p)) continue;
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

// Uses logarithms, so that twice as slow is as far as half as slow. `excess` is the distance from
// the settled level in spreads; the cut is where the means before and after it differ most:
//
//   time      140 130 120 101  99 100 102 100
//   excess      +   +   +   0   0   0   0   0     each at most kMostSpreads
//   cut                   |                       3 of 8; from there on nothing differs: 3
//
// Repeats the search from the cut on: after one very slow iteration several slow ones may follow.
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
  RunExcess sums{logarithms, spread, settled};
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

}  // namespace profgauge::analysis::breakdown
