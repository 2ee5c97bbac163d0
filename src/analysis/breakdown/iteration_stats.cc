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

// REQUIRES: not empty.
double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sums over any run of the series in constant time. Values are centered on the mean, since squares
// of nanoseconds would lose the digits of the spread.
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
  // Sample standard deviation of the values [first, last), divided by their mean; 0 if the mean is
  // not positive. REQUIRES: at least two values.
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

// Medians of whole blocks. Blocks of size 1 are the values themselves.
std::vector<double> BlockMedians(std::span<const double> values, std::size_t block) {
  std::vector<double> medians;
  for (std::size_t begin = 0; begin + block <= values.size(); begin += block) {
    const auto part = values.subspan(begin, block);
    medians.push_back(Median(std::vector(part.begin(), part.end())));
  }
  return medians;
}

}  // namespace

double MedianDeviation(std::span<const double> values, double median) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return Median(std::move(deviations));
}

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

// Lengths are tried downward from n - 1, so the first steady run is a longest one:
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
      // Iterations without a length are equal, but a fault of the recording.
      if (!(Mean(values.subspan(first, length)) > 0)) continue;
      best = SteadyRange{first, first + length, cv};
    }
    if (best) return best;
  }
  return std::nullopt;
}

}  // namespace profgauge::analysis::breakdown
