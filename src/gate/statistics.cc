#include "gate/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace profgauge::stats {
namespace {

constexpr double kConsistency = 1.4826;  // MAD of a normal sample to its standard deviation.

// Autocorrelation needs a few values before it means anything.
constexpr std::size_t kLeastForCorrelation = 8;
constexpr double kLargestCorrelation = 0.8;
// Where no series is long enough, a slow drift inside a run cannot be told from a slowdown: a
// change must then be certain by this share of the limit (false alarms of 5 drifting iterations: 3
// to 1 %).
constexpr double kShortSeriesMargin = 0.65;
// Up to this size the exact distribution of U is used instead of its normal approximation.
constexpr std::size_t kExactSize = 12;
// Values of a settled run differ at least by this share of their median: without it, a tail of
// equal values would make warm-up of every later value.
constexpr double kLeastSpread = 0.005;
// Weight of the prior of the run effect, in degrees of freedom.
constexpr double kPriorWeight = 3;

double StudentQuantile(double probability, double degrees) {
  return boost::math::quantile(boost::math::students_t(std::max(1.0, degrees)), probability);
}

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// Mid-ranks: equal values share the mean of their places.
std::vector<double> Ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    const double rank = static_cast<double>(i + j - 1) / 2;
    for (; i < j; ++i) ranks[order[i]] = rank;
  }
  return ranks;
}

// Lag-1 autocorrelation of the ranks, corrected for the bias of short series.
std::optional<double> RankAutocorrelation(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < kLeastForCorrelation) return std::nullopt;
  const std::vector<double> ranks = Ranks(values);
  const double mean = (n - 1) / 2;
  double square = 0;
  double lagged = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    square += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) lagged += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  if (square == 0) return 0.0;
  return (lagged / square + 1 / n) / (1 - 4 / n);
}

// One estimate over all series of a comparison: a single short series tells little.
class PooledAutocorrelation {
 public:
  void Add(std::span<const double> values) {
    if (const auto rho = RankAutocorrelation(values)) {
      weighted_ += *rho * static_cast<double>(values.size());
      weight_ += static_cast<double>(values.size());
    }
  }
  bool Known() const { return weight_ > 0; }
  double Estimate() const {
    return weight_ == 0 ? 0 : std::clamp(weighted_ / weight_, 0.0, kLargestCorrelation);
  }

 private:
  double weighted_ = 0;
  double weight_ = 0;
};

// How many differences current[j] - base[i] are <= bound.
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

// Largest k with P(U <= k) <= 0.05 for samples of n and m, or -1; exact, by counting arrangements.
std::int64_t ExactLowerCount(std::size_t n, std::size_t m) {
  // ways[j][u]: arrangements of i base and j current values with U == u, built up over i.
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0.0));
  for (std::size_t j = 0; j <= m; ++j) ways[j][0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      for (std::size_t u = n * m + 1; u-- > 0;) {
        // The largest value is a base value (adds j), or a current one (adds nothing).
        ways[j][u] = (u >= j ? ways[j][u - j] : 0.0) + ways[j - 1][u];
      }
    }
  }
  const double all = std::accumulate(ways[m].begin(), ways[m].end(), 0.0);
  double below = 0;
  std::int64_t k = -1;
  for (const double count : ways[m]) {
    below += count;
    if (below / all > 0.05 + 1e-12) break;
    ++k;
  }
  return k;
}

std::int64_t LowerCount(std::size_t n, std::size_t m, double inflation, double t) {
  if (n <= kExactSize && m <= kExactSize && inflation == 1) return ExactLowerCount(n, m);
  const auto pairs = static_cast<double>(n) * static_cast<double>(m);
  const double sigma = std::sqrt(pairs * static_cast<double>(n + m + 1) * inflation / 12);
  return static_cast<std::int64_t>(std::floor(pairs / 2 - t * sigma - 0.5));
}

std::vector<double> Transformed(std::span<const double> values, bool logarithmic) {
  std::vector<double> out(values.begin(), values.end());
  if (!logarithmic) return out;
  for (double& value : out) value = std::log(value);
  return out;
}

double VarianceOf(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0;
  for (const double v : values) square += (v - mean) * (v - mean);
  return square / (n - 1);
}

// All that one comparison accumulates before it is judged; in the transformed unit.
struct Estimate {
  double shift = 0;
  double within = 0;   // Standard error from inside the runs, for one pair of runs.
  double between = 0;  // Run effect's standard deviation.
  double error = 0;    // Of `shift`, both sources.
  double degrees = 1;
};

Estimate Pool(std::span<const Shift> shifts, std::span<const double> base_medians,
              std::size_t candidates, double noise_floor) {
  std::vector<double> estimates;
  std::vector<double> errors;
  double degrees = std::numeric_limits<double>::infinity();
  for (const Shift& shift : shifts) {
    estimates.push_back(shift.estimate);
    errors.push_back(shift.standard_error);
    degrees = std::min(degrees, shift.degrees);
  }
  Estimate out;
  out.shift = Median(estimates);
  out.within = Median(errors);
  const auto k = static_cast<double>(base_medians.size());
  const auto c = static_cast<double>(candidates);
  const double seen = std::max(0.0, VarianceOf(base_medians) - out.within * out.within / 2);
  const double between =
      (kPriorWeight * noise_floor * noise_floor + (k - 1) * seen) / (kPriorWeight + k - 1);
  out.between = std::sqrt(between);
  out.error = std::sqrt(out.within * out.within * (1 / c + 1 / k) / 2 + between * (1 / k + 1 / c));
  out.degrees = std::min(degrees, k + c + 5);
  return out;
}

Change Judge(const Estimate& estimate, double half_width, double limit, bool beyond_floor,
             double must_exceed) {
  const double low = estimate.shift - half_width;
  const double high = estimate.shift + half_width;
  if (estimate.shift > limit && low > must_exceed && beyond_floor) return Change::kFail;
  if (estimate.shift < -limit && high < 0) return Change::kImproved;
  if (estimate.shift <= limit && high < 2 * limit) return Change::kPass;
  // Beyond the limit, but too small a step in absolute terms to matter.
  if (estimate.shift > limit && !beyond_floor) return Change::kPass;
  return Change::kInconclusive;
}

std::string WhatWouldDecide(const Estimate& estimate, double limit, double power_factor,
                            std::size_t baselines, std::size_t candidates, std::size_t iterations) {
  const double target = limit / power_factor;
  const auto k = static_cast<double>(baselines);
  const auto c = static_cast<double>(candidates);
  const double variance = estimate.between * estimate.between;
  const double from_runs = variance * (1 / k + 1 / c);
  if (from_runs < target * target) {
    const double from_iterations = estimate.within * estimate.within * (1 / c + 1 / k) / 2;
    const double factor = from_iterations / (target * target - from_runs);
    const double needed = std::ceil(static_cast<double>(iterations) * factor);
    if (needed <= static_cast<double>(iterations)) return "record the run again to confirm";
    return "about " + std::to_string(static_cast<std::int64_t>(needed)) +
           " iterations per run would decide it";
  }
  const double room = target * target / variance - 1 / c;
  if (room > 0) {
    return "more iterations cannot help, runs differ too much: compare with about " +
           std::to_string(static_cast<std::int64_t>(std::ceil(1 / room))) + " baseline runs";
  }
  return "runs differ more than the limit: widen the limit, or record several candidate runs";
}

bool SameSeries(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

double Median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 == 1) return *middle;
  return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

double RobustSigma(std::span<const double> values) {
  const double median = Median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double v : values) deviations.push_back(std::abs(v - median));
  return kConsistency * Median(deviations);
}

Warmup FindWarmup(std::span<const double> values) {
  const std::size_t n = values.size();
  const std::size_t cap = n / 3;
  Warmup warmup;
  if (cap == 0) return warmup;
  const auto tail = values.subspan(n - (n + 1) / 2);
  const double settled = Median(tail);
  const double bound = settled + 3 * std::max(RobustSigma(tail), kLeastSpread * std::abs(settled));
  std::size_t inliers = 0;
  for (std::size_t i = 0; i < n && inliers < 2; ++i) {
    if (values[i] > bound) {
      if (i >= cap) {
        warmup.steady = false;
        break;
      }
      warmup.dropped = i + 1;
      inliers = 0;
    } else {
      ++inliers;
    }
  }
  return warmup;
}

double KthDifference(std::span<const double> sorted_base, std::span<const double> sorted_current,
                     std::uint64_t k) {
  double low = sorted_current.front() - sorted_base.back();
  double high = sorted_current.back() - sorted_base.front();
  if (CountAtMost(sorted_base, sorted_current, low) >= k) return low;
  // Invariant: fewer than k differences are <= low, at least k are <= high.
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (CountAtMost(sorted_base, sorted_current, middle) >= k ? high : low) = middle;
  }
  return high;
}

Shift EstimateShift(std::span<const double> base, std::span<const double> current) {
  PooledAutocorrelation pooled;
  pooled.Add(base);
  pooled.Add(current);
  return EstimateShift(base, current, pooled.Estimate());
}

Shift EstimateShift(std::span<const double> base, std::span<const double> current,
                    double autocorrelation) {
  const std::vector<double> b = Sorted(base);
  const std::vector<double> c = Sorted(current);
  const std::uint64_t pairs = std::uint64_t{b.size()} * c.size();
  Shift shift;
  const double upper = KthDifference(b, c, pairs / 2 + 1);
  shift.estimate = pairs % 2 == 1 ? upper : (KthDifference(b, c, pairs / 2) + upper) / 2;

  shift.autocorrelation = autocorrelation;
  shift.inflation = (1 + shift.autocorrelation) / (1 - shift.autocorrelation);
  const double n_effective = std::max(3.0, static_cast<double>(b.size()) / shift.inflation);
  const double m_effective = std::max(3.0, static_cast<double>(c.size()) / shift.inflation);
  shift.degrees = n_effective + m_effective - 2;
  const double t = StudentQuantile(0.95, shift.degrees);

  std::int64_t k = LowerCount(b.size(), c.size(), shift.inflation, t);
  if (k < 0) {
    shift.low_confidence = true;
    k = 0;
  }
  shift.low = KthDifference(b, c, static_cast<std::uint64_t>(k) + 1);
  shift.high = KthDifference(b, c, pairs - static_cast<std::uint64_t>(k));
  shift.standard_error = (shift.high - shift.low) / (2 * t);
  return shift;
}

std::string_view ChangeName(Change change) {
  switch (change) {
    case Change::kPass:
      return "pass";
    case Change::kFail:
      return "fail";
    case Change::kImproved:
      return "improved";
    case Change::kInconclusive:
      return "inconclusive";
  }
  return "inconclusive";
}

Comparison Compare(std::span<const std::vector<double>> baselines,
                   std::span<const std::vector<double>> candidates, const CompareOptions& options) {
  std::vector<Shift> shifts;
  std::vector<double> base_medians;  // Transformed, for the run effect.
  std::vector<double> medians[2];    // As measured, for the reader.
  Comparison out;
  PooledAutocorrelation pooled;
  const auto prepare = [&](std::span<const std::vector<double>> runs, std::vector<double>& into) {
    std::vector<std::vector<double>> prepared;
    for (const auto& run : runs) {
      pooled.Add(run);
      into.push_back(Median(run));
      prepared.push_back(Transformed(run, options.logarithmic));
    }
    return prepared;
  };
  const auto base = prepare(baselines, medians[0]);
  const auto current = prepare(candidates, medians[1]);
  out.autocorrelation = pooled.Estimate();
  for (const auto& b : base) {
    base_medians.push_back(Median(b));
    out.base_values += b.size();
    for (const auto& c : current) {
      shifts.push_back(EstimateShift(b, c, out.autocorrelation));
      out.low_confidence |= shifts.back().low_confidence;
    }
  }
  for (const auto& c : current) out.current_values += c.size();
  out.base_median = Median(medians[0]);
  out.current_median = Median(medians[1]);

  const Estimate estimate = Pool(shifts, base_medians, candidates.size(), options.noise_floor);
  const double limit = options.logarithmic ? std::log1p(options.limit) : options.limit;
  const double t = StudentQuantile(0.95, estimate.degrees);
  const double half_width = t * estimate.error;
  const double power_factor = t + StudentQuantile(0.80, estimate.degrees);
  const auto shown = [&](double x) { return options.logarithmic ? std::expm1(x) : x; };
  out.shift = shown(estimate.shift);
  out.low = shown(estimate.shift - half_width);
  out.high = shown(estimate.shift + half_width);
  out.noise = estimate.between;
  out.minimum_detectable = shown(power_factor * estimate.error);
  out.limit_below_noise = limit < 2 * std::sqrt(2.0) * estimate.between;

  if (SameSeries(baselines, candidates)) {
    out.change = Change::kPass;
    out.shift = 0;
    return out;
  }
  Estimate directed = estimate;
  if (!options.lower_is_better) directed.shift = -directed.shift;
  const bool beyond_floor =
      std::abs(out.current_median - out.base_median) >= options.absolute_floor;
  const double must_exceed = options.strictness == Strictness::kCertain ? limit
                             : pooled.Known()                           ? 0
                                              : kShortSeriesMargin * limit;
  out.change = Judge(directed, half_width, limit, beyond_floor, must_exceed);
  if (out.change == Change::kInconclusive) {
    out.advice = WhatWouldDecide(estimate, limit, power_factor, baselines.size(), candidates.size(),
                                 out.current_values / candidates.size());
  }
  return out;
}

double PValue(const Shift& shift) {
  if (shift.estimate == 0) return 1;
  if (shift.standard_error == 0) return 0;
  const double t = std::abs(shift.estimate) / shift.standard_error;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(shift.degrees), t));
}

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
  // In exact arithmetic 0 <= missing <= count; sums of doubles may be off by a little more.
  const std::int64_t each = missing >= 0 ? missing / count : -((-missing + count - 1) / count);
  for (auto& value : rounded) value += each;
  for (std::int64_t i = 0; i < missing - each * count; ++i) {
    ++rounded[order[static_cast<std::size_t>(i)]];
  }
  return rounded;
}

}  // namespace profgauge::stats
