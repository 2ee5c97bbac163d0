#include "analysis/breakdown/iteration_stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/numbers.h"
#include "knowledge/gate.h"
#include "knowledge/iterations.h"

namespace profgauge::analysis::breakdown {
namespace {

constexpr std::size_t kMostForAllPairs = 1000;
constexpr std::size_t kMostForSteadyRange = 10'000;

// The MAD, not scaled. REQUIRES: not empty.
double MedianDeviation(std::span<const double> values, double median) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return Median(std::move(deviations));
}

// REQUIRES: not empty.
double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sums over any run of the series in constant time. Centred on the mean: squares of nanoseconds
// would otherwise eat the digits of the spread.
class RunSums {
 public:
  explicit RunSums(std::span<const double> values) : centre_(Mean(values)) {
    sums_.push_back(0);
    squares_.push_back(0);
    for (const double value : values) {
      sums_.push_back(sums_.back() + (value - centre_));
      squares_.push_back(squares_.back() + (value - centre_) * (value - centre_));
    }
  }
  // Sample standard deviation of the values [first, last) by their mean; 0 where the mean is not
  // above 0. REQUIRES: at least two values.
  double Variation(std::size_t first, std::size_t last) const {
    const auto n = static_cast<double>(last - first);
    const double sum = sums_[last] - sums_[first];
    const double square = squares_[last] - squares_[first];
    const double variance = std::max(0.0, (square - sum * sum / n) / (n - 1));
    const double mean = centre_ + sum / n;
    return mean > 0 ? std::sqrt(variance) / mean : 0;
  }

 private:
  double centre_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// Medians of whole blocks. Blocks of 1 are the values themselves.
std::vector<double> BlockMedians(std::span<const double> values, std::size_t block) {
  std::vector<double> medians;
  for (std::size_t begin = 0; begin + block <= values.size(); begin += block) {
    const auto part = values.subspan(begin, block);
    medians.push_back(Median(std::vector(part.begin(), part.end())));
  }
  return medians;
}

}  // namespace

double Quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double TheilSenSlope(std::span<const double> values) {
  const std::size_t block = (values.size() + kMostForAllPairs - 1) / kMostForAllPairs;
  const std::vector<double> points = BlockMedians(values, block);
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      slopes.push_back((points[j] - points[i]) / static_cast<double>((j - i) * block));
    }
  }
  return Median(std::move(slopes));
}

SeriesStats Describe(std::span<const double> values, knowledge::Ratio deviations) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  SeriesStats stats;
  stats.mean = Mean(values);
  stats.median = Quantile(sorted, 0.5);
  stats.min = sorted.front();
  stats.max = sorted.back();
  stats.p95 = Quantile(sorted, 0.95);
  if (values.size() < 2) return stats;
  double square = 0;
  for (const double value : values) square += (value - stats.mean) * (value - stats.mean);
  stats.stddev = std::sqrt(square / static_cast<double>(values.size() - 1));
  const double sigma = kDeviationsOfMad * MedianDeviation(values, stats.median);
  const double bound = stats.median + deviations * sigma;
  stats.outliers = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), bound);
  if (stats.mean > 0) stats.cv = *stats.stddev / stats.mean;
  if (stats.median > 0) stats.robust_cv = sigma / stats.median;
  if (stats.median > 0 && values.size() >= knowledge::kIterationsUsualLeast)
    stats.drift = TheilSenSlope(values) / stats.median;
  return stats;
}

// The first length at which any run is steady enough is the longest. Downwards from n - 1:
//
//   values       90 60 50 51 49 50 52       limit 5 %
//   length 6        |---------------|  no
//   length 5           |------------|  cv 2.3 %: found
std::optional<SteadyRange> FindSteadyRange(std::span<const double> values,
                                           knowledge::Ratio variation) {
  if (values.size() <= knowledge::kIterationsUsualLeast || values.size() > kMostForSteadyRange)
    return std::nullopt;
  const RunSums sums(values);
  if (sums.Variation(0, values.size()) <= variation) return std::nullopt;
  for (std::size_t length = values.size() - 1; length >= knowledge::kIterationsUsualLeast;
       --length) {
    std::optional<SteadyRange> best;
    for (std::size_t first = 0; first + length <= values.size(); ++first) {
      const double cv = sums.Variation(first, first + length);
      if (cv > variation || (best && best->cv <= cv)) continue;
      best = SteadyRange{first, first + length, cv};
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::breakdown

namespace profgauge::analysis::breakdown::stats {
namespace {

constexpr std::size_t kLeastIterations = knowledge::kGateWarmupLeast.as<std::size_t>();
constexpr std::size_t kLeastTail = knowledge::kGateWarmupTail.as<std::size_t>();
constexpr double kScoreThatCuts = knowledge::kGateWarmupScore.value();
// One stalled iteration must not look like the sum of many slow ones.
constexpr double kMostSpreads = knowledge::kGateWarmupMostSpreads.value();
// Iterations of a settled run differ at least by this share: without it, a tail of equal values
// would make warm-up of every larger one.
constexpr double kLeastSpread = knowledge::kGateWarmupLeastSpread.value();
// A start is warm-up only if this many of its iterations are a spread over the rest, and if it
// decays: its first third is no faster than its last, and its slowest iteration no late stall, this
// many spreads over the others.
constexpr std::size_t kContiguousOf = knowledge::kGateContiguousOf.as<std::size_t>();
constexpr std::size_t kContiguous = knowledge::kGateContiguous.as<std::size_t>();
constexpr double kLateStall = knowledge::kGateLateStall.value();

// Copies, since Median() reorders.
double MedianOf(std::span<const double> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

// The standard deviation of a normal sample with this MAD.
double RobustSigmaOf(std::span<const double> values) {
  return kDeviationsOfMad * MedianDeviation(values, MedianOf(values));
}

// The spread of a settled run: that of the tail, but at least that of neighboring values, as a tail
// that happens to be calm would make warm-up of noise. √2: a difference of two has twice the
// variance of one.
double SpreadOf(std::span<const double> logarithms, std::span<const double> tail) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < logarithms.size(); ++i) {
    steps.push_back(std::abs(logarithms[i] - logarithms[i - 1]));
  }
  return std::max({RobustSigmaOf(tail),
                   kDeviationsOfMad / std::sqrt(2.0) * Median(std::move(steps)), kLeastSpread});
}

// A run's logarithms, and sums of iterations from the first on, as their distance from the settled
// ones.
struct Sums {
  std::span<const double> values;
  double spread = 0;
  std::vector<double> excess = {0};     // In spreads.
  std::vector<std::size_t> slow = {0};  // How many are a spread over the rest.
};

// Whether the first `p` iterations are a start, and no stall that happens to be early:
//
//     300 250 200 150 120 100 100 ...     decays
//     100 100 300 100 100 100 100 ...     most of it is not slow
//     120 120 120 120 400 100 100 ...     its slowest is late: iteration 4 stalled
//     110 120 130 140 150 100 100 ...     it becomes slower
bool Decays(const Sums& run, std::size_t p) {
  if (kContiguousOf * run.slow[p] < kContiguous * p) return false;
  const std::span<const double> head = run.values.first(p);
  const auto slowest = std::max_element(head.begin(), head.end());
  const bool is_late = static_cast<std::size_t>(slowest - head.begin()) >= (p + 1) / 2;
  if (p >= 2 && is_late && *slowest > MedianOf(head) + kLateStall * run.spread) return false;
  const std::size_t third = std::max<std::size_t>(1, p / 3);
  return MedianOf(head.first(third)) >= MedianOf(head.last(third)) - run.spread;
}

// Where the run differs most from the rest, beginning at `from`; `from` if nowhere.
std::size_t CutAfter(const Sums& sums, std::size_t from) {
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

// On logarithms, so that twice as slow is as far as half as slow. Excess over the settled level, in
// spreads, and where the mean before a cut differs most from the mean after it:
//
//   time      140 130 120 101  99 100 102 100
//   excess      +   +   +   0   0   0   0   0     each at most kMostSpreads
//   cut                   |                       3 of 8; from there on nothing differs: 3
//
// Repeated from the cut on: after one very slow iteration several slow ones may follow.
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
  Sums sums{logarithms, spread};
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

}  // namespace profgauge::analysis::breakdown::stats
