#include "gate/change.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

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
// A run is odd so many limits, and noise floors, from the others.
constexpr double kOddLimits = 2;
constexpr double kOddFloors = 5;
constexpr double kSure = 0.99;  // One-sided.
// A change is large at so many limits and run noises, if so many of the iterations show it.
constexpr double kLargeLimits = 1.5;
constexpr double kLargeNoises = 4;
constexpr double kMostIterations = 0.9;
constexpr double kManyIterations = 0.8;
constexpr double kFarLimits = 3;
// Iterations are slow beyond so many spreads of the base's. More of them than by chance: no pass
// below the one, a failure below the other.
constexpr double kSlowSpreads = 3;
constexpr double kUnlikely = 0.01;
// Few iterations leave much to chance: so many of them, and this share, that make the mean three
// limits longer are no pass either.
constexpr std::size_t kLeastSlow = 2;
constexpr double kSlowShare = 0.15;
constexpr double kVeryUnlikely = 0.001;
// Share of the variance within runs that the medians of runs show.
constexpr double kMedianVariance = 0.65;
constexpr std::size_t kLeastToHalve = 4;
constexpr std::size_t kLeastBySize = 3;

double VarianceOf(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0;
  for (const double v : values) square += (v - mean) * (v - mean);
  return square / (n - 1);
}

// Variance of the median of so many normal values.
double MedianFactor(std::size_t runs) {
  constexpr double kHalfPi = std::numbers::pi / 2;
  return kHalfPi / (static_cast<double>(runs) - 1 + kHalfPi);
}

std::vector<double> Sorted(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// One run as it is compared: an increase is bad, and changes add up.
struct Run {
  std::vector<double> values;  // In order, all of them.
  std::size_t warmup = 0;
  std::vector<double> all, steady, later;  // Sorted.
  double level = 0;

  std::span<const double> Steady() const { return std::span(values).subspan(warmup); }
};

Run MakeRun(const Series& series, const CompareOptions& options) {
  Run run;
  run.warmup = series.warmup;
  run.values = series.values;
  for (double& value : run.values) {
    if (options.logarithmic) value = std::log(value);
    if (!options.lower_is_better) value = -value;
  }
  const std::size_t n = run.values.size();
  run.steady = Sorted(run.Steady());
  run.all = run.warmup == 0 ? run.steady : Sorted(run.values);
  if (n >= kLeastToHalve) run.later = Sorted(std::span(run.values).subspan(n / 2));
  run.level = Median(run.steady);
  return run;
}

double RangeOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

// Runs of one side, and which of them count.
struct Side {
  std::vector<Run> runs;
  std::vector<RunUse> uses;
  std::vector<const Run*> kept;
  double apart = 0;

  std::vector<double> Levels() const {
    std::vector<double> levels;
    for (const Run* run : kept) levels.push_back(run->level);
    return levels;
  }
};

// A run far from the others is left out: one of three at most, so that no majority is, and where
// the others agree, so that it is not the last of several that drift away.
void LeaveOutOdd(double far, Side& side) {
  std::vector<double> levels;
  for (const Run& run : side.runs) levels.push_back(run.level);
  const double middle = Median(levels);
  std::vector<std::size_t> odd;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::abs(levels[i] - middle) > far) odd.push_back(i);
  }
  if (odd.empty()) return;
  std::vector<double> others;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (std::find(odd.begin(), odd.end(), i) == odd.end()) others.push_back(levels[i]);
  }
  if (odd.size() > levels.size() / 3 || RangeOf(others) > far / kOddLimits) {
    side.apart = RangeOf(levels);
    return;
  }
  for (const std::size_t i : odd) side.uses[i] = {LeftOut::kOdd, levels[i] - Median(others)};
}

void LeaveOutHalfWarm(Side& side) {
  std::vector<std::size_t> half_warm;
  std::size_t others = 0;
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    if (side.uses[i].left_out != LeftOut::kNo) continue;
    const std::size_t n = side.runs[i].values.size();
    if (n >= kLeastToHalve && side.runs[i].warmup >= n / 2) {
      half_warm.push_back(i);
    } else {
      ++others;
    }
  }
  if (others < 2) return;
  for (const std::size_t i : half_warm) side.uses[i].left_out = LeftOut::kHalfWarmup;
}

Side MakeSide(std::span<const Series> series, const CompareOptions& options, double far) {
  Side side;
  for (const Series& one : series) side.runs.push_back(MakeRun(one, options));
  side.uses.resize(side.runs.size());
  LeaveOutOdd(far, side);
  LeaveOutHalfWarm(side);
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    if (side.uses[i].left_out == LeftOut::kNo) side.kept.push_back(&side.runs[i]);
  }
  return side;
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
  double within = 0;   // Variance of `shift` from the iterations.
  double between = 0;  // And from the runs.
  double noise = 0;    // Standard deviation between runs.
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
  double seen = 0;
  for (const Side* side : {&base, &current}) {
    seen += static_cast<double>(side->kept.size() - 1) *
            std::max(0.0, VarianceOf(side->Levels()) - kMedianVariance * within);
  }
  const auto runs = static_cast<double>(base.kept.size() + current.kept.size());
  const double noise =
      (kFloorWeight * noise_floor * noise_floor + seen) / (kFloorWeight + runs - 2);
  const double factor = MedianFactor(base.kept.size()) + MedianFactor(current.kept.size());
  const double a = within * factor / 2, b = noise * factor;
  estimate.within = a;
  estimate.between = b;
  estimate.noise = std::sqrt(noise);
  const double own =
      std::max(1.0, (Median(pairs.degrees) + kAssumedWeight) / MeanInflation(rho, harmonic));
  if (a + b > 0) {
    estimate.degrees = (a + b) * (a + b) / (a * a / own + b * b / (kFloorDegrees + runs - 2));
  }
  return estimate;
}

// The limit as it is judged.
struct Limits {
  double limit = 0;  // In the unit that adds up,
  double far = 0;    // and three of them.
  bool is_certain = false;
};

Limits MakeLimits(const CompareOptions& options) {
  const auto unit = [&options](double x) { return options.logarithmic ? std::log1p(x) : x; };
  return {unit(options.limit), unit(kFarLimits * options.limit),
          options.strictness == Strictness::kCertain};
}

// The iterations of `side` that are slower than the base's typical one by more than the limit.
std::size_t CountSlower(const Side& base, const Side& side, double limit) {
  const double bound = Median(base.Levels()) + limit;
  std::size_t slower = 0;
  for (const Run* run : side.kept) {
    slower += static_cast<std::size_t>(
        std::count_if(run->steady.begin(), run->steady.end(), [&](double v) { return v > bound; }));
  }
  return slower;
}

double SpreadOf(const Side& side) {
  std::vector<double> spreads;
  for (const Run* run : side.kept) spreads.push_back(RobustSigma(run->steady));
  return Median(spreads);
}

// The logarithm of the mean time, median over the runs. REQUIRES: values are logarithms.
double LogMean(const Side& side, const std::vector<double> Run::*part) {
  std::vector<double> means;
  for (const Run* run : side.kept) {
    const std::vector<double>& values = run->*part;
    if (values.empty()) continue;
    double sum = 0;
    for (const double value : values) sum += std::exp(value);
    means.push_back(std::log(sum / static_cast<double>(values.size())));
  }
  return means.empty() ? 0 : Median(means);
}

std::size_t ShortestOf(const Side& side) {
  std::size_t shortest = side.kept.front()->values.size();
  for (const Run* run : side.kept) shortest = std::min(shortest, run->values.size());
  return shortest;
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

SideUse UseOf(const Side& side, std::span<const Series> series) {
  SideUse use;
  use.runs = side.uses;
  use.kept = side.kept.size();
  use.apart = side.apart;
  std::vector<double> levels;
  for (std::size_t i = 0; i < series.size(); ++i) {
    use.iterations += series[i].values.size();
    if (side.uses[i].left_out != LeftOut::kNo) continue;
    const auto steady = std::span(series[i].values).subspan(series[i].warmup);
    use.used += steady.size();
    levels.push_back(Median(steady));
  }
  use.level = Median(levels);
  return use;
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
        base_(MakeSide(baselines, options, Far())),
        current_(MakeSide(candidates, options, Far())),
        estimate_(MakeEstimate(base_, current_, options.noise_floor)),
        quantile_(StudentQuantile(kSure, estimate_.degrees)),
        error_(std::sqrt(estimate_.within + estimate_.between)) {
    out_.base = UseOf(base_, baselines);
    out_.current = UseOf(current_, candidates);
    out_.slower = CountSlower(base_, current_, limits_.limit);
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
      if (const auto change = BySlowPart(); change == Change::kFail || (change && !is_over)) {
        out_.slow.decides = true;
        out_.change = *change;
        out_.over_limit = change == Change::kInconclusive;
        return out_;
      }
    }
    if (is_over && out_.change != Change::kPass && !IsBeyondFloor()) out_.change = Change::kPass;
    if (out_.change != Change::kInconclusive) return out_;
    out_.over_limit = is_over;
    out_.remedy = FindRemedy(estimate_, Room() / quantile_, IterationsARun(), base_, current_);
    return out_;
  }

 private:
  double Far() const {
    return std::max(kOddLimits * limits_.limit, kOddFloors * options_.noise_floor);
  }
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

  // A median does not see what fewer than half of the iterations do. Where more of them are slow
  // than chance explains and the mean is over the limit by them, that is no pass.
  std::optional<Change> BySlowPart() {
    if (!options_.logarithmic || !options_.lower_is_better) return std::nullopt;
    const double bound = std::max(limits_.limit, kSlowSpreads * SpreadOf(base_));
    out_.slow.bound = std::expm1(bound);
    out_.slow.current = CountSlower(base_, current_, bound);
    out_.slow.base = CountSlower(base_, base_, bound);
    const double base_mean = LogMean(base_, &Run::steady);
    const double mean = LogMean(current_, &Run::steady) - base_mean;
    out_.slow.mean = std::expm1(mean);
    if (mean <= limits_.limit) return std::nullopt;
    if (out_.slow.mean * std::exp(base_mean) < options_.absolute_floor) return std::nullopt;
    const double chance =
        FisherPValue(out_.slow.current, out_.current.used, out_.slow.base, out_.base.used);
    if (chance > kUnlikely) {
      const double share =
          static_cast<double>(out_.slow.current) / static_cast<double>(out_.current.used);
      const bool is_by_size = mean > kFarLimits * limits_.limit && out_.slow.base == 0 &&
                              out_.slow.current >= kLeastSlow && share >= kSlowShare;
      return is_by_size ? std::optional(Change::kInconclusive) : std::nullopt;
    }
    const double later = LogMean(current_, &Run::later) - LogMean(base_, &Run::later);
    const bool is_sure = chance <= kVeryUnlikely && mean > kLargeLimits * limits_.limit &&
                         later > limits_.limit && !limits_.is_certain;
    return is_sure ? Change::kFail : Change::kInconclusive;
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
