#include "gate/change.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "gate/sides.h"
#include "gate/slow_part.h"
#include "gate/statistics.h"

namespace profgauge::stats {
namespace {

// Spread of iterations assumed, in noise floors, with the weight of so many values; and that of
// runs of a single iteration, which say nothing of theirs.
constexpr double kAssumedSpread = 2;
constexpr double kAssumedWeight = 4;
constexpr double kSingleSpread = 10;
// Weight of the noise floor among the runs, and the degrees of freedom it counts for.
constexpr double kFloorWeight = 3;
constexpr double kFloorDegrees = 7;
constexpr double kSure = 0.99;  // One-sided.
// A change is large at so many limits and run noises, if so many of the iterations show it.
constexpr double kLargeLimits = 1.5;
constexpr double kLargeNoises = 4;
constexpr double kMostIterations = 0.9;
constexpr double kManyIterations = 0.8;
// Share of the variance within runs that the medians of runs show.
constexpr double kMedianVariance = 0.65;
constexpr std::size_t kLeastBySize = 3;

// Variance of the median of so many normal values.
double MedianFactor(std::size_t runs) {
  constexpr double kHalfPi = std::numbers::pi / 2;
  return kHalfPi / (static_cast<double>(runs) - 1 + kHalfPi);
}

// Medians over all pairs of a baseline run and a candidate.
struct Pairs {
  std::vector<double> shifts, all, later, errors, harmonic, degrees;
  bool has_later = false;
};

double PairVariance(const Shift& shift, double n, double m, double noise_floor) {
  const double share = 1 / n + 1 / m;
  const auto squared = [](double x) { return x * x; };
  const double variance = ((n + m - 2) * squared(shift.standard_error) +
                           kAssumedWeight * squared(kAssumedSpread * noise_floor) * share) /
                          (n + m - 2 + kAssumedWeight);
  if (std::min(n, m) >= 2) return variance;
  return std::max(variance, squared(kSingleSpread * noise_floor) * share);
}

Pairs MakePairs(const Side& base, const Side& current, double noise_floor) {
  Pairs pairs;
  for (const Run* b : base.kept) {
    for (const Run* c : current.kept) {
      const auto n = static_cast<double>(b->steady.size());
      const auto m = static_cast<double>(c->steady.size());
      const Shift shift = EstimateShift(b->steady, c->steady);
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

double CorrelationOf(const Side& base, const Side& current) {
  Autocorrelation correlation;
  for (const Side* side : {&base, &current}) {
    for (const Run* run : side->kept) correlation.Add(run->Steady());
  }
  return correlation.Estimate();
}

// What is known of the change, in the unit that adds up.
struct Estimate {
  double shift = 0, all = 0;
  std::optional<double> later;
  double within = 0;           // Variance of `shift` from the iterations.
  double between = 0;          // And from the runs.
  double noise = 0;            // Standard deviation between runs,
  double change_by_noise = 0;  // and of the change by what the base's runs show of it.
  double degrees = 1;

  double Least() const { return std::min({shift, all, later.value_or(shift)}); }
  double Most() const { return std::max({shift, all, later.value_or(shift)}); }
};

Estimate MakeEstimate(const Side& base, const Side& current, double noise_floor) {
  const Pairs pairs = MakePairs(base, current, noise_floor);
  Estimate estimate;
  estimate.shift = Median(pairs.shifts);
  estimate.all = Median(pairs.all);
  if (pairs.has_later) estimate.later = Median(pairs.later);

  const double rho = CorrelationOf(base, current);
  const double harmonic = Median(pairs.harmonic);
  const double error = Median(pairs.errors);
  const double within = error * error * ErrorInflation(rho, harmonic);
  const auto seen = [within](const Side& side) {
    return static_cast<double>(side.kept.size() - 1) *
           std::max(0.0, Variance(side.Levels()) - kMedianVariance * within);
  };
  const auto runs = static_cast<double>(base.kept.size() + current.kept.size());
  const double floor = kFloorWeight * noise_floor * noise_floor;
  const double noise = (floor + seen(base) + seen(current)) / (kFloorWeight + runs - 2);
  const double of_base =
      (floor + seen(base)) / (kFloorWeight + static_cast<double>(base.kept.size() - 1));
  const double factor = MedianFactor(base.kept.size()) + MedianFactor(current.kept.size());
  const double a = within * factor / 2, b = noise * factor;
  estimate.within = a;
  estimate.between = b;
  estimate.noise = std::sqrt(noise);
  estimate.change_by_noise = std::sqrt(of_base * factor);
  const double own =
      std::max(1.0, (Median(pairs.degrees) + kAssumedWeight) / MeanInflation(rho, harmonic));
  if (a + b > 0) {
    estimate.degrees = (a + b) * (a + b) / (a * a / own + b * b / (kFloorDegrees + runs - 2));
  }
  return estimate;
}

// However wide the interval is: nearly every iteration shows a change of this size.
bool FailsBySize(const Side& base, const Side& current, const Estimate& estimate,
                 const Limits& limits, double share_slower) {
  if (std::min(ShortestOf(base), ShortestOf(current)) < kLeastBySize) return false;
  const double least = estimate.Least();
  const double large = (limits.is_certain ? 2 : 1) * kLargeLimits * limits.limit;
  if (least <= std::max(large, kLargeNoises * std::sqrt(estimate.between))) return false;
  const bool is_far = least > limits.far && !limits.is_certain;
  return share_slower >= (is_far ? kManyIterations : kMostIterations) - 1e-9;
}

std::int64_t Ceiling(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

// How many more iterations, or runs, would shrink the error to `target`.
Remedy FindRemedy(const Estimate& estimate, double target, std::size_t iterations, const Side& base,
                  const Side& current) {
  const double wanted = target * target;
  if (wanted <= 0) return {Remedy::Kind::kNothing};
  if (estimate.between < wanted) {
    const double factor = estimate.within / (wanted - estimate.between);
    const std::int64_t needed = Ceiling(static_cast<double>(iterations) * factor);
    return {Remedy::Kind::kIterations, std::max(needed, static_cast<std::int64_t>(iterations) + 1)};
  }
  // Runs shrink both parts; most of the rest is the candidates'.
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

// But for the last digit, which a file may lose.
bool IsSame(const Series& a, const Series& b) {
  constexpr double kRounding = 1e-12;
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](double x, double y) {
                      return std::abs(x - y) <= kRounding * std::max(std::abs(x), std::abs(y));
                    });
}

bool HasSingle(const Side& base, const Side& current) {
  return std::min(ShortestOf(base), ShortestOf(current)) == 1;
}

class Judge {
 public:
  Judge(std::span<const Series> baselines, std::span<const Series> candidates,
        const CompareOptions& options)
      : options_(options),
        limits_(MakeLimits(options)),
        base_(MakeSide(baselines, options, limits_)),
        current_(MakeSide(candidates, options, limits_)),
        estimate_(MakeEstimate(base_, current_, options.noise_floor)),
        quantile_(StudentQuantile(kSure, estimate_.degrees)),
        error_(std::sqrt(estimate_.within + estimate_.between)) {
    out_.base = UseOf(base_, baselines);
    out_.current = UseOf(current_, candidates);
    out_.slower = SlowerOf(base_, current_, limits_.limit).size();
  }

  Comparison Decide(bool is_same) {
    Show();
    if (is_same) {
      out_.change = Change::kPass;
      out_.shift = 0;
      return out_;
    }
    out_.change = Verdict();
    const bool is_over = estimate_.shift > limits_.limit;
    if (out_.change != Change::kFail) {
      const RunNoise noise{estimate_.noise, estimate_.change_by_noise};
      const auto change = JudgeSlowPart(base_, current_, limits_, options_, noise, out_.slow);
      if (change == Change::kFail || (change && !is_over)) {
        out_.slow.decides = true;
        out_.change = *change;
        out_.over_limit = change == Change::kInconclusive;
        return out_;
      }
    }
    if (is_over && out_.change != Change::kPass && !IsBeyondFloor()) out_.change = Change::kPass;
    if (out_.change != Change::kFail && !(is_over && out_.change == Change::kInconclusive)) {
      out_.start = FindSlowStart(base_, current_, limits_, options_);
      if (out_.start.decides) {
        out_.change = Change::kInconclusive;
        out_.over_limit = true;
        return out_;
      }
    }
    if (out_.change != Change::kInconclusive) return out_;
    out_.over_limit = is_over;
    out_.remedy = FindRemedy(estimate_, Room() / quantile_, IterationsARun(), base_, current_);
    return out_;
  }

 private:
  double Low() const { return estimate_.shift - quantile_ * error_; }
  double High() const { return estimate_.shift + quantile_ * error_; }

  Change Verdict() {
    const double share = static_cast<double>(out_.slower) / static_cast<double>(out_.current.used);
    if (estimate_.Least() > limits_.limit && Low() > (limits_.is_certain ? limits_.limit : 0)) {
      return Change::kFail;
    }
    if (FailsBySize(base_, current_, estimate_, limits_, share)) {
      out_.by_size = true;
      return Change::kFail;
    }
    if (estimate_.Most() < -limits_.limit && High() < 0) return Change::kImproved;
    if (estimate_.shift <= limits_.limit && High() < limits_.far) return Change::kPass;
    return Change::kInconclusive;
  }

  // A step that is too small in absolute terms to matter, by medians and by the change judged.
  bool IsBeyondFloor() const {
    const double levels = std::abs(out_.current.level - out_.base.level);
    const double judged =
        std::abs(options_.logarithmic ? out_.shift * out_.base.level : out_.shift);
    return std::max(levels, judged) >= options_.absolute_floor;
  }

  // How far the interval may reach to either side for a sure answer.
  double Room() const {
    if (estimate_.shift <= limits_.limit) return limits_.far - estimate_.shift;
    return estimate_.shift - (limits_.is_certain ? limits_.limit : 0);
  }

  std::size_t IterationsARun() const {
    return std::min(out_.base.used / out_.base.kept, out_.current.used / out_.current.kept);
  }

  // Back to the sign and unit of the values.
  double Shown(double x) const {
    if (!options_.lower_is_better) x = -x;
    return options_.logarithmic ? std::expm1(x) : x;
  }

  void Show() {
    out_.shift = Shown(estimate_.shift);
    out_.all_iterations = Shown(estimate_.all);
    if (estimate_.later) out_.later_half = Shown(*estimate_.later);
    std::tie(out_.low, out_.high) = std::minmax({Shown(Low()), Shown(High())});
    out_.excluded = Shown(limits_.far);
    for (SideUse* side : {&out_.base, &out_.current}) {
      if (options_.logarithmic) side->apart = std::expm1(side->apart);
      for (RunUse& run : side->runs) run.from_others = Shown(run.from_others);
    }
    out_.noise = estimate_.noise;
    if (HasSingle(base_, current_)) out_.assumed_noise = kSingleSpread * options_.noise_floor;
    out_.limit_below_noise = limits_.limit < 2 * std::numbers::sqrt2 * estimate_.noise;
  }

  const CompareOptions& options_;
  Limits limits_;
  Side base_, current_;
  Estimate estimate_;
  double quantile_, error_;
  Comparison out_;
};

}  // namespace

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

Comparison Compare(std::span<const Series> baselines, std::span<const Series> candidates,
                   const CompareOptions& options) {
  const bool is_same =
      std::equal(baselines.begin(), baselines.end(), candidates.begin(), candidates.end(), IsSame);
  return Judge(baselines, candidates, options).Decide(is_same);
}

}  // namespace profgauge::stats
