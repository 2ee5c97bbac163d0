#include "gate/statistics.h"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/numbers.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {
namespace {

// The autocorrelation assumed for few values, which do not show theirs, and its weight in values.
constexpr double kAssumedCorrelation = knowledge::kGateAssumedCorrelation.value();
constexpr double kCorrelationWeight = knowledge::kGateCorrelationWeight.value();
constexpr double kLargestCorrelation = knowledge::kGateLargestCorrelation.value();
constexpr std::size_t kLeastForCorrelation = knowledge::kGateLeastForCorrelation.as<std::size_t>();
// Up to this many pairs, the exact distribution of U is used; for more, its normal approximation.
constexpr std::size_t kExactPairs = 400;
constexpr double kOneSided = 0.05;
// An interval with a smaller quantile is a point and shows no spread.
constexpr double kLeastQuantile = 0.1;

// The ranks of values. Equal values share the mean of their ranks.
std::vector<double> Ranks(std::span<const double> values) {
  // Values are stored beside their indices, because a million of them would not fit into the cache.
  std::vector<std::pair<double, std::size_t>> order;
  order.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) order.emplace_back(values[i], i);
  std::sort(order.begin(), order.end());
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && order[j].first == order[i].first) ++j;
    const double rank = static_cast<double>(i + j - 1) / 2;
    for (; i < j; ++i) ranks[order[i].second] = rank;
  }
  return ranks;
}

// The lag-1 autocorrelation of the ranks; 0 if all values are equal. For short series it is too
// small, which Autocorrelation::Add() corrects.
double RankCorrelation(std::span<const double> values) {
  const std::vector<double> ranks = Ranks(values);
  const double mean = (static_cast<double>(values.size()) - 1) / 2;
  double square = 0;
  double lagged = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    square += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) lagged += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  return square == 0 ? 0 : lagged / square;
}

// The number of differences current[j] - base[i] that are <= bound. Differences of sorted values
// form a matrix with ascending rows and descending columns, so one staircase through it counts
// them. `j` never decreases: O(n + m).
//
//                     current:   3    5    9
//       base:   1               [2]   4    8      <= 2: the first 1
//               4              [-1    1]   5            the first 2
//               6              [-3   -1]   3            the first 2      total 5
//
// So 2 is the fifth smallest of nine, the median: the Hodges-Lehmann shift.
std::uint64_t CountAtMost(std::span<const double> base, std::span<const double> current,
                          double bound) {
  std::uint64_t count = 0;
  std::size_t j = 0;
  for (const double b : base) {
    while (j < current.size() && current[j] - b <= bound) ++j;
    count += j;
  }
  return count;
}

// The differences over `low` and up to `high`, unordered, by the same staircase. Each row starts at
// its first difference over `low`. The caller chooses a range with few differences.
std::vector<double> DifferencesWithin(std::span<const double> base, std::span<const double> current,
                                      double low, double high) {
  std::vector<double> within;
  std::size_t first = 0;
  for (const double b : base) {
    while (first < current.size() && current[first] - b <= low) ++first;
    for (std::size_t j = first; j < current.size() && current[j] - b <= high; ++j) {
      within.push_back(current[j] - b);
    }
  }
  return within;
}

// P(U <= u) for samples of n and m values, for all u, by counting arrangements. U (Mann and
// Whitney) is the number of pairs with current < base: the rank of 0 among the sorted differences.
// Without a shift all arrangements of the n + m values are equally probable. With two values per
// side, U is 0 to 4 in 1, 1, 2, 1, 1 of 6 arrangements: 1/6, 2/6, 4/6, 5/6, 1. Time (n * m)^2,
// memory n * m^2; n * m is at most kExactPairs.
std::vector<double> ExactDistribution(std::size_t n, std::size_t m) {
  // ways[j][u]: the number of arrangements of i base and j current values with U == u.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0.0));
  for (std::size_t j = 0; j <= m; ++j) ways[j][0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      for (std::size_t u = n * m + 1; u-- > 0;) {
        // The largest value is from the base (adds j to U) or from current (adds 0).
        ways[j][u] = (u >= j ? ways[j][u - j] : 0.0) + ways[j - 1][u];
      }
    }
  }
  std::vector<double> sums(ways[m].size());
  std::partial_sum(ways[m].begin(), ways[m].end(), sums.begin());
  const double all = sums.back();
  for (double& sum : sums) sum /= all;
  return sums;
}

// The sorted pair differences that bound the shift, and with which probability. The interval
// extends from the (below + 1)-th smallest to the (below + 1)-th largest:
//
//     differences, sorted:   d1  d2  d3  d4 | d5  d6  ...  d20  d21 | d22  d23  d24  d25
//     n = m = 5              `- below = 4 -'  low              high   `-- below = 4 --'
//
// P(U <= 4) is 12 / 252 = 0.048, the probability that the truth is outside at each end. The error
// is computed with its quantile 1.67, not with 1.64 of 0.05.
struct Bound {
  std::uint64_t below = 0;  // Number of differences outside the interval at each end.
  double quantile = 0;      // Normal quantile for the exact probability of the bound.
};

double NormalQuantile(double probability) {
  return boost::math::quantile(boost::math::normal(), probability);
}

// The largest bound with a probability of at most kOneSided. Few values may have none (with two per
// side, even U = 0 has 1/6). Then the interval is the whole range, with its own probability.
Bound MakeBound(std::size_t n, std::size_t m) {
  if (n * m > kExactPairs) {
    const double z = NormalQuantile(1 - kOneSided);
    const auto pairs = static_cast<double>(n) * static_cast<double>(m);
    const double sigma = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12);
    return {static_cast<std::uint64_t>(std::max(0.0, std::floor(pairs / 2 - z * sigma - 0.5))), z};
  }
  const std::vector<double> at_most = ExactDistribution(n, m);
  std::uint64_t below = 0;
  while (at_most[below + 1] <= kOneSided + 1e-12) ++below;
  return {below, NormalQuantile(1 - at_most[below])};
}

// Caches bounds, because counting arrangements costs more than the rest of a comparison, and few
// sizes occur. U is symmetric, so both orders of sizes share an entry. It is thread-local, so that
// it needs no lock.
const Bound& BoundOf(std::size_t n, std::size_t m) {
  thread_local std::map<std::pair<std::size_t, std::size_t>, Bound> known;
  const auto [it, is_new] = known.try_emplace(std::minmax(n, m));
  if (is_new) it->second = MakeBound(n, m);
  return it->second;
}

}  // namespace

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double Variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0;
  for (const double v : values) square += (v - mean) * (v - mean);
  return square / (n - 1);
}

double Median(std::span<const double> values) {
  return profgauge::Median(std::vector<double>(values.begin(), values.end()));
}

bool IsRounding(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

double RobustSigma(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double v : values) deviations.push_back(std::abs(v - median));
  return kDeviationsOfMad * Median(deviations);
}

double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k) {
  // Halves the range of values, not of ranks: after each count, one end moves to the middle.
  //
  //     low                middle              high        k = 40, 100 differences
  //      |---- 55 are <= middle --|--- 45 ------|          55 >= 40: high = middle
  //      |-- 20 --|-- 35 ---------|                        20 <  40: low = middle
  double low = sorted_current.front() - sorted_base.back();
  double high = sorted_current.back() - sorted_base.front();
  std::uint64_t below = CountAtMost(sorted_base, sorted_current, low);
  if (below >= k) return low;
  // Invariant: fewer than k differences (`below`) are <= low, and at least k (`most`) are <= high.
  std::uint64_t most = std::uint64_t{sorted_base.size()} * sorted_current.size();
  const std::uint64_t few = 2 * (sorted_base.size() + sorted_current.size());
  while (most - below > few) {
    const double middle = low + (high - low) / 2;
    // Ends at neighboring doubles, because many differences are equal if clocks tick in us.
    if (middle <= low || middle >= high) return high;
    const std::uint64_t count = CountAtMost(sorted_base, sorted_current, middle);
    (count >= k ? high : low) = middle;
    (count >= k ? most : below) = count;
  }
  std::vector<double> left = DifferencesWithin(sorted_base, sorted_current, low, high);
  const auto kth = left.begin() + static_cast<std::ptrdiff_t>(k - below - 1);
  std::nth_element(left.begin(), kth, left.end());
  return *kth;
}

double MedianDifference(std::span<const double> sorted_base,
                        std::span<const double> sorted_current) {
  const std::uint64_t pairs = std::uint64_t{sorted_base.size()} * sorted_current.size();
  const double upper = KthDifference(sorted_base, sorted_current, pairs / 2 + 1);
  if (pairs % 2 == 1) return upper;
  return (KthDifference(sorted_base, sorted_current, pairs / 2) + upper) / 2;
}

Shift EstimateShift(std::span<const double> sorted_base, std::span<const double> sorted_current) {
  Shift shift;
  shift.estimate = MedianDifference(sorted_base, sorted_current);
  const Bound& bound = BoundOf(sorted_base.size(), sorted_current.size());
  if (bound.quantile < kLeastQuantile) return shift;
  const std::uint64_t pairs = std::uint64_t{sorted_base.size()} * sorted_current.size();
  const double low = KthDifference(sorted_base, sorted_current, bound.below + 1);
  const double high = KthDifference(sorted_base, sorted_current, pairs - bound.below);
  shift.standard_error = (high - low) / (2 * bound.quantile);
  return shift;
}

Autocorrelation::Autocorrelation()
    : weighted_(kAssumedCorrelation * kCorrelationWeight), weight_(kCorrelationWeight) {}

void Autocorrelation::Add(std::span<const double> values) {
  if (values.size() < kLeastForCorrelation) return;
  const auto n = static_cast<double>(values.size());
  // A short series understates rho by about (1 + 4 rho) / n (Shaman & Stine 1988, for an estimated
  // mean). Solved for rho:
  //     r = rho - (1 + 4 rho) / n   is   n r + 1 = rho (n - 4)
  weighted_ += n * RankCorrelation(values) + 1;
  weight_ += n - 4;
}

// At least 0: neighbors that differ more than by chance must not narrow the interval. Bounded
// above, because the inflation factors diverge near 1.
double Autocorrelation::Estimate() const {
  return std::clamp(weighted_ / weight_, 0.0, kLargestCorrelation);
}

double MeanInflation(double rho, double n) {
  return (1 + rho) / (1 - rho) - 2 * rho * (1 - std::pow(rho, n)) / (n * (1 - rho) * (1 - rho));
}

// The expected sample variance of such values is (1 - inflation / n) / (1 - 1 / n) of the true one.
// Dividing by that corrects the error estimated from it.
double ErrorInflation(double rho, double n) {
  const double inflation = MeanInflation(rho, n);
  if (n <= 1) return inflation;
  return inflation / std::max(1e-6, 1 - inflation / n) * (1 - 1 / n);
}

// The harmonic mean of both sizes is used, because the shorter series dominates the error.
double PValue(std::span<const double> base, std::span<const double> current) {
  if (std::min(base.size(), current.size()) < 2) return -1;
  const Shift shift = EstimateShift(Sorted(base), Sorted(current));
  if (shift.estimate == 0) return 1;
  if (shift.standard_error == 0) return 0;
  Autocorrelation correlation;
  correlation.Add(base);
  correlation.Add(current);
  const double rho = correlation.Estimate();
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(current.size());
  const double harmonic = 2 / (1 / n + 1 / m);
  const double error = shift.standard_error * std::sqrt(ErrorInflation(rho, harmonic));
  const double degrees = std::max(1.0, (n + m - 2) / MeanInflation(rho, harmonic));
  const double t = std::abs(shift.estimate) / error;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

// The probability with fixed margins: the number of marked ones among `of_more` is hypergeometric:
//
//                     marked        not
//     of_more           more         .         |  P(more or more), given the row and column sums
//     of_fewer          fewer        .
double FisherPValue(std::size_t more, std::size_t of_more, std::size_t fewer,
                    std::size_t of_fewer) {
  if (more == 0 || fewer >= of_fewer) return 1;
  const auto marked = static_cast<unsigned>(more + fewer);
  const auto all = static_cast<unsigned>(of_more + of_fewer);
  const boost::math::hypergeometric_distribution<double> by_chance(
      marked, static_cast<unsigned>(of_more), all);
  return boost::math::cdf(boost::math::complement(by_chance, static_cast<unsigned>(more - 1)));
}

// The significant values are the last sorted value on or below the line q * i / n and all before
// it, even those above the line:
//
//     i            1       2       3       4        n = 4, q = 0.1
//     p          0.01    0.06    0.07    0.50
//     line       0.025   0.05    0.075   0.10       i = 3: the first three are significant
std::vector<bool> BenjaminiHochberg(std::span<const double> p_values, double q) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<bool> significant(p_values.size(), false);
  const auto n = static_cast<double>(order.size());
  for (std::size_t i = order.size(); i-- > 0;) {
    if (p_values[order[i]] > q * static_cast<double>(i + 1) / n) continue;
    for (std::size_t j = 0; j <= i; ++j) significant[order[j]] = true;
    break;
  }
  return significant;
}

// Example: parts 1.5, 2.5, 3.4 and total 7. The floors 1, 2, 3 leave 1, which goes to the first of
// the largest remainders: 2, 2, 3.
std::vector<std::int64_t> RoundToSum(std::span<const double> parts, std::int64_t total) {
  std::vector<std::int64_t> rounded;
  std::int64_t sum = 0;
  for (const double part : parts) {
    rounded.push_back(static_cast<std::int64_t>(std::floor(part)));
    sum += rounded.back();
  }
  if (parts.empty()) return rounded;
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a] - std::floor(parts[a]) > parts[b] - std::floor(parts[b]);
  });
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t missing = total - sum;
  // In exact arithmetic 0 <= missing <= count; sums of doubles may exceed that slightly.
  const std::int64_t each = missing >= 0 ? missing / count : -((-missing + count - 1) / count);
  for (auto& value : rounded) value += each;
  for (std::int64_t i = 0; i < missing - each * count; ++i) {
    ++rounded[order[static_cast<std::size_t>(i)]];
  }
  return rounded;
}

}  // namespace profgauge::gate::stats
