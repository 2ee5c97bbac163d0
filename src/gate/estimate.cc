#include "gate/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "gate/constants.h"
#include "gate/repeat.h"
#include "gate/statistics.h"

namespace profgauge::gate::stats {
namespace {

double Squared(double x) { return x * x; }

// The changes between each baseline run and each candidate. Their median is used:
//
//                 c1       c2
//       b1      +0.04    +0.05
//       b2      +0.03    +0.04         shift: the median of the six, +0.045
//       b3      +0.05    +0.06
//
// With a median, one disturbed run of three does not change the answer.
struct Pairs {
  std::vector<double> shifts, all, later, errors, harmonic, degrees;
  bool has_later = false;
};

// The variance of one pair's shift. Few iterations do not show their spread, so kAssumedWeight
// values with a spread of kAssumedSpread noise floors are added. A run of one iteration shows no
// spread, so a far larger one is assumed.
double PairVariance(const Shift& shift, double n, double m, double noise_floor) {
  const double share = 1 / n + 1 / m;
  const double variance = ((n + m - 2) * Squared(shift.standard_error) +
                           kAssumedWeight * Squared(kAssumedSpread * noise_floor) * share) /
                          (n + m - 2 + kAssumedWeight);
  if (std::min(n, m) >= 2) return variance;
  return std::max(variance, Squared(kSingleSpread * noise_floor) * share);
}

// Makes the pairs. A probable warm-up is cut, and `all` has the change with it, because a change
// that appears only after the cut fails no run. Without warm-up both are equal. Long runs get their
// errors from OfLongRuns(), because errors by pairs would be half of the computation.
Pairs MakePairs(const Side& base, const Side& current, double noise_floor, bool with_errors) {
  Pairs pairs;
  for (const Run* b : base.kept) {
    for (const Run* c : current.kept) {
      const auto n = static_cast<double>(b->steady.size());
      const auto m = static_cast<double>(c->steady.size());
      const Shift shift = with_errors ? EstimateShift(b->steady, c->steady)
                                      : Shift{MedianDifference(b->steady, c->steady), 0};
      const bool is_cut = b->warmup > 0 || c->warmup > 0;
      const double all = is_cut ? MedianDifference(b->all, c->all) : shift.estimate;
      const bool has_later = !b->later.empty() && !c->later.empty();
      pairs.has_later |= has_later;
      pairs.shifts.push_back(shift.estimate);
      pairs.all.push_back(all);
      pairs.later.push_back(has_later ? MedianDifference(b->later, c->later) : all);
      pairs.errors.push_back(std::sqrt(PairVariance(shift, n, m, noise_floor)));
      pairs.harmonic.push_back(2 / (1 / n + 1 / m));
      pairs.degrees.push_back(n + m - 2);
    }
  }
  return pairs;
}

// One autocorrelation for all runs, because five or ten iterations of a run do not show it.
double CorrelationOf(const Side& base, const Side& current) {
  Autocorrelation correlation;
  for (const Side* side : {&base, &current}) {
    for (const Run* run : side->kept) correlation.Add(run->Steady());
  }
  return correlation.Estimate();
}

// The noise from iterations: the variance of a change between two runs or of one run's level, and
// its degrees of freedom.
struct Within {
  double variance = 0, degrees = 1;
};

// The variance of a long run's median, by batch means (Schmeiser 1982) of signs:
//
//     iterations   |----- batch 1 -----|----- batch 2 -----| ...       sqrt(n) of them each
//     <= level?     1 0 1 1 0 0 1 0 ...  0 0 0 1 0 0 1 0 ...           share of ones by batch
//
// Shares of independent signs have the variance 1 / (4 size); the inflation is the observed
// variance divided by it. It widens the ranks two standard errors around the median: for n = 400,
// inflation 3: 200 ± 35. The error is a quarter of the distance between ranks 165 and 234.
Within OfLongRun(const Run& run) {
  const std::size_t n = run.steady.size();
  const auto size = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  const std::span<const double> steady = run.Steady();
  std::vector<double> means;
  for (std::size_t at = 0; at + size <= n; at += size) {
    const auto batch = steady.subspan(at, size);
    const auto below = std::count_if(batch.begin(), batch.end(),
                                     [&run](double value) { return value <= run.level; });
    means.push_back(static_cast<double>(below) / static_cast<double>(size) - 0.5);
  }
  const double inflation = std::max(1.0, 4 * static_cast<double>(size) * Variance(means));
  // Two standard errors on either side, in ranks.
  const double half = std::sqrt(static_cast<double>(n) * inflation);
  const double middle = static_cast<double>(n) / 2;
  const double low = std::max(0.0, std::floor(middle - half));
  const double high = std::min(static_cast<double>(n - 1), std::ceil(middle + half) - 1);
  const double width =
      run.steady[static_cast<std::size_t>(high)] - run.steady[static_cast<std::size_t>(low)];
  return {Squared(width / 4), static_cast<double>(means.size()) - 1};
}

// The variance of the median over all pairs, like that of the shift.
Within OfLongRuns(const Side& base, const Side& current) {
  std::vector<Within> there, here;
  for (const Run* run : base.kept) there.push_back(OfLongRun(*run));
  for (const Run* run : current.kept) here.push_back(OfLongRun(*run));
  std::vector<double> errors, degrees;
  for (const Within& b : there) {
    for (const Within& c : here) {
      errors.push_back(std::sqrt(b.variance + c.variance));
      degrees.push_back(b.degrees + c.degrees);
    }
  }
  return {Squared(Median(errors)), Median(degrees)};
}

std::size_t FewestSteady(const Side& base, const Side& current) {
  std::size_t fewest = base.kept.front()->steady.size();
  for (const Side* side : {&base, &current}) {
    for (const Run* run : side->kept) fewest = std::min(fewest, run->steady.size());
  }
  return fewest;
}

// The variance of the total's level that typical iterations cause. Slow ones are left to the draws
// of total.cc. If both counted them, they would excuse themselves.
double OwnVariance(const Side& side, double noise_floor, double inflation) {
  std::vector<double> variances;
  for (const Run* run : side.kept) {
    variances.push_back((Squared(RobustSigma(run->steady)) + Squared(noise_floor)) /
                        static_cast<double>(run->steady.size()));
  }
  return MedianFactor(side.kept.size()) * kMedianOfNormal * std::max(1.0, inflation) *
         Median(variances);
}

std::int64_t Ceiling(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

}  // namespace

// An approximation, pi / 2 / (n - 1 + pi / 2): exact for one value, and in the limit for many.
double MedianFactor(std::size_t runs) {
  constexpr double kHalfPi = std::numbers::pi / 2;
  return kHalfPi / (static_cast<double>(runs) - 1 + kHalfPi);
}

double Estimate::Error() const { return std::sqrt(within + between); }
double Estimate::Least() const {
  return std::min({shift, all, later.value_or(shift) + later_chance});
}
double Estimate::Most() const {
  return std::max({shift, all, later.value_or(shift) - later_chance});
}

// The smallest detectable change. Up to `far`, a failure needs profiles that are all slower than
// the slowest baseline run (gate/repeat.h); with three baseline runs or fewer, none can confirm it.
double Estimate::Sees(const Limits& limits) const { return SeesWith(limits, runs, 1, 1); }

double Estimate::SeesWith(const Limits& limits, std::size_t baseline_runs, double iterations,
                          double variances) const {
  const double error = std::sqrt((within / iterations + between) * variances);
  if (!NeededRecordings(baseline_runs)) return limits.far + kSeesFarErrors * error;
  return std::max(limits.limit + kSeesErrors * error,
                  slowest + limits.limit / 2 + kSeesSpreads * std::max(spread, kSeesLeast * error));
}

// Estimates the change. With k baseline runs, one candidate and factor f = MedianFactor(k) + 1:
//
//     error^2 =  within * f / 2      the variance of one pair's shift, with autocorrelation
//              + noise * f           (3 floor^2 + (k - 1) v) / (3 + k - 1), where v is the
//                                    variance of the k levels less that of their iterations
//
// The quantile is Student's t at 99 %, with the degrees of freedom of a sum of two estimated
// variances (Welch 1947, Satterthwaite 1946).
Estimate MakeEstimate(const Side& base, const Side& current, double noise_floor) {
  const bool is_long = FewestSteady(base, current) >= kLeastForBatches;
  const Pairs pairs = MakePairs(base, current, noise_floor, !is_long);
  Estimate estimate;
  estimate.shift = Median(pairs.shifts);
  estimate.all = Median(pairs.all);
  if (pairs.has_later) estimate.later = Median(pairs.later);

  const double rho = CorrelationOf(base, current);
  const double harmonic = Median(pairs.harmonic);
  const double inflation = MeanInflation(rho, harmonic);
  Within within{Squared(Median(pairs.errors)) * ErrorInflation(rho, harmonic),
                std::max(1.0, (Median(pairs.degrees) + kAssumedWeight) / inflation)};
  if (is_long) within = OfLongRuns(base, current);
  // The runs' levels also differ because of their iterations. This part must not count twice.
  const auto seen = [&within](const Side& side) {
    return static_cast<double>(side.kept.size() - 1) *
           std::max(0.0, Variance(side.Levels()) - kMedianVariance * within.variance);
  };
  const auto runs = static_cast<double>(base.kept.size() + current.kept.size());
  const double noise = (kFloorWeight * Squared(noise_floor) + seen(base) + seen(current)) /
                       (kFloorWeight + runs - 2);
  const double factor = MedianFactor(base.kept.size()) + MedianFactor(current.kept.size());
  const double a = within.variance * factor / 2, b = noise * factor;
  estimate.within = a;
  estimate.between = b;
  if (is_long) estimate.later_chance = kLaterErrors * std::sqrt(a);
  estimate.noise = std::sqrt(noise);
  double degrees = 1;
  if (a + b > 0) {
    degrees = Squared(a + b) / (a * a / within.degrees + b * b / (kFloorDegrees + runs - 2));
  }
  estimate.quantile = StudentQuantile(kSure, degrees);
  double own = a;
  if (std::min(ShortestOf(base), ShortestOf(current)) >= kLeastForSpread) {
    own = std::min(a, OwnVariance(base, noise_floor, inflation) +
                          OwnVariance(current, noise_floor, inflation));
  }
  estimate.sigma = std::sqrt(own + b) * estimate.quantile / kSureNormal;
  const std::vector<double> levels = base.Levels();
  estimate.runs = levels.size();
  estimate.spread = std::sqrt(Variance(levels));
  estimate.slowest = *std::max_element(levels.begin(), levels.end()) - Median(levels);
  return estimate;
}

Remedy FindRemedy(const Estimate& estimate, double target, std::size_t iterations, const Side& base,
                  const Side& current) {
  const double wanted = target * target;
  if (wanted <= 0) return {Remedy::Kind::kNothing};
  if (estimate.between < wanted) {
    const double factor = estimate.within / (wanted - estimate.between);
    const std::int64_t needed = Ceiling(static_cast<double>(iterations) * factor);
    return {Remedy::Kind::kIterations, std::max(needed, static_cast<std::int64_t>(iterations) + 1)};
  }
  // More baseline runs shrink both parts of the error, down to the candidates' own part.
  constexpr std::size_t kMostRuns = 100;
  const double total = estimate.within + estimate.between;
  const double factor = MedianFactor(base.kept.size()) + MedianFactor(current.kept.size());
  for (std::size_t runs = base.kept.size() + 1; runs <= kMostRuns; ++runs) {
    const double fewer = MedianFactor(runs) + MedianFactor(current.kept.size());
    if (total * fewer / factor < wanted) {
      return {Remedy::Kind::kBaselines, static_cast<std::int64_t>(runs)};
    }
  }
  return {Remedy::Kind::kNothing};
}

// Tries one number of each kind: 2.5 times the iterations (at least 30), and twice the baseline
// runs (at least seven).
SeesMore FindSeesMore(const Estimate& estimate, const Limits& limits, std::size_t iterations,
                      const Side& base, const Side& current) {
  const double now = estimate.Sees(limits);
  const auto runs = base.kept.size();
  const std::size_t more_runs = std::max(kEnoughRuns, 2 * runs);
  const std::size_t more_iterations = std::max(
      kEnoughIterations,
      static_cast<std::size_t>(std::ceil(kMoreIterations * static_cast<double>(iterations))));
  const double factor = (MedianFactor(more_runs) + MedianFactor(current.kept.size())) /
                        (MedianFactor(runs) + MedianFactor(current.kept.size()));
  const double times = static_cast<double>(more_iterations) / static_cast<double>(iterations);
  const double by_iterations = estimate.SeesWith(limits, runs, times, 1);
  const double by_runs = estimate.SeesWith(limits, more_runs, 1, factor);
  const double best = std::min(by_iterations, by_runs);
  if (best - limits.limit > kMuchMore * (now - limits.limit)) return {};
  if (by_iterations <= by_runs) {
    return {{Remedy::Kind::kIterations, static_cast<std::int64_t>(more_iterations)}, best};
  }
  return {{Remedy::Kind::kBaselines, static_cast<std::int64_t>(more_runs)}, best};
}

}  // namespace profgauge::gate::stats
