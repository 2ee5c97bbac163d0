#include "gate/sides.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {
namespace {

// A run is an outlier if it is this many limits and noise floors from the others.
constexpr double kOddLimits = knowledge::kGateOddLimits.value();
constexpr double kOddFloors = knowledge::kGateOddFloors.value();
constexpr std::size_t kLeastToHalve = knowledge::kGateLeastToHalve.as<std::size_t>();

// Sets the run's excess and start. Example: the first 3 of 20 iterations take 5, 3 and 2 times as
// long: excess = 0 0 0 …, start = 7/20.
void AddExcess(Run& run) {
  run.excess.reserve(run.values.size());
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const double over = std::exp(run.values[i] - run.level) - 1;
    run.excess.push_back(i < run.warmup ? 0 : over);
    run.mean += run.excess.back();
    if (i < run.warmup) run.start += over;
  }
  const auto n = static_cast<double>(run.values.size());
  run.mean /= n;
  run.start /= n;
}

Run MakeRun(const Series& series, const CompareOptions& options) {
  Run run;
  run.warmup = series.warmup;
  run.values = series.values;
  for (double& value : run.values) {
    value = options.lower_is_better ? std::log(value) : -std::log(value);
  }
  const std::size_t n = run.values.size();
  if (n >= kLeastToHalve) run.later = Sorted(std::span(run.values).subspan(n / 2));
  if (!run.later.empty() && run.warmup <= n / 2) {  // The later half is already sorted.
    const std::vector<double> front =
        Sorted(std::span(run.values).subspan(run.warmup, n / 2 - run.warmup));
    run.steady.reserve(n - run.warmup);
    std::merge(front.begin(), front.end(), run.later.begin(), run.later.end(),
               std::back_inserter(run.steady));
  } else {
    run.steady = Sorted(run.Steady());
  }
  run.all = run.warmup == 0 ? run.steady : Sorted(run.values);
  run.level = Median(run.steady);
  AddExcess(run);
  return run;
}

double RangeOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

// Excludes a run that is far from the others: at most one of three, so never a majority, and only
// if the others agree, so it is not the last of several that drift away.
//
//     levels (logarithms); limit 5 %, noise floor 1 %: far is max(2 * 0.0488, 5 * 0.01) = 0.098
//
//          : : .                                    x
//     -----|-|-|------------------------------------|---->     x is 0.3 from the median: an outlier
//          '-+-' range of the others: at most far / 2
//
// If the range of the others is larger, or more than a third are outliers, the data do not show
// which runs are right. Then all runs stay, and `apart` is set.
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

// Excludes runs whose warm-up is half of their iterations (the maximum): they never settled.
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

}  // namespace

std::vector<double> Side::Levels() const {
  std::vector<double> levels;
  for (const Run* run : kept) levels.push_back(run->level);
  return levels;
}

// log1p(-1) is infinite, and a difference of infinities would be NaN later.
double LogLimit(double limit, bool is_growth) {
  const double most_loss = 1 - std::numeric_limits<double>::epsilon();
  return is_growth ? std::log1p(limit) : -std::log1p(-std::min(limit, most_loss));
}

// Makes the limits. `far` is three limits as people read them: +15 % for +5 %, not 1.05 ^ 3 - 1.
Limits MakeLimits(const CompareOptions& options) {
  const double limit = LogLimit(options.limit, options.lower_is_better);
  // Three losses of 40 % would exceed 100 %, so each loss is relative to the remainder of the last.
  const double far =
      options.lower_is_better ? LogLimit(kFarLimits * options.limit, true) : kFarLimits * limit;
  const double too_far = options.lower_is_better ? LogLimit(kTooFewLimits * options.limit, true)
                                                 : kTooFewLimits * limit;
  return {limit, far, std::max(kOddLimits * limit, kOddFloors * options.noise_floor), too_far,
          options.strictness == Strictness::kCertain};
}

Side MakeSide(std::span<const Series> series, const CompareOptions& options, const Limits& limits) {
  Side side;
  for (const Series& one : series) side.runs.push_back(MakeRun(one, options));
  side.uses.resize(side.runs.size());
  if (!limits.keeps_all) {
    LeaveOutOdd(limits.odd, side);
    LeaveOutHalfWarm(side);
  }
  for (std::size_t i = 0; i < side.runs.size(); ++i) {
    if (side.uses[i].left_out == LeftOut::kNo) side.kept.push_back(&side.runs[i]);
  }
  return side;
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

bool IsBeyondFloor(const Comparison& comparison, double absolute_floor) {
  const double levels = std::abs(comparison.current.level - comparison.base.level);
  const double judged = std::abs(comparison.shift * comparison.base.level);
  return std::max(levels, judged) >= absolute_floor;
}

std::size_t ShortestOf(const Side& side) {
  std::size_t shortest = side.kept.front()->values.size();
  for (const Run* run : side.kept) shortest = std::min(shortest, run->values.size());
  return shortest;
}

std::size_t CountSlower(const Side& base, const Side& side, double limit) {
  const double bound = Median(base.Levels()) + limit;
  std::size_t slower = 0;
  for (const Run* run : side.kept) {
    slower += static_cast<std::size_t>(
        run->steady.end() - std::upper_bound(run->steady.begin(), run->steady.end(), bound));
  }
  return slower;
}

namespace {

double SquareOf(double x) { return x * x; }

// The estimated change of the typical iteration over all pairs, in logarithms.
struct PairedShift {
  double shift = 0, all = 0;
  std::optional<double> later;
  double noise = 0;  // Standard deviation of a pair's change.
  double error = 0, quantile = 0;

  double Low() const { return shift - quantile * error; }
  double High() const { return shift + quantile * error; }
};

Limits KeepingAll(Limits limits) {
  limits.keeps_all = true;
  return limits;
}

double PlainMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Applies MakeEstimate() to each pair. The spread of the pairs includes everything that differs
// between them, so the error within runs is not added. Few pairs show little of
// the noise: their spread is averaged with an assumed one, but the error is never below the
// observed.
PairedShift ShiftOf(std::span<const Series> baselines, std::span<const Series> candidates,
                    const CompareOptions& options, const Limits& limits) {
  std::vector<double> shifts, all, later;
  for (std::size_t i = 0; i < baselines.size(); ++i) {
    const Side base = MakeSide(baselines.subspan(i, 1), options, limits);
    const Side current = MakeSide(candidates.subspan(i, 1), options, limits);
    const Estimate estimate = MakeEstimate(base, current, options.noise_floor);
    shifts.push_back(estimate.shift);
    all.push_back(estimate.all);
    if (estimate.later) later.push_back(*estimate.later);
  }
  const auto pairs = static_cast<double>(shifts.size());
  PairedShift out;
  out.shift = PlainMean(shifts);
  out.all = PlainMean(all);
  if (later.size() == shifts.size()) out.later = PlainMean(later);
  // The noise of a pair is that of two neighboring runs, with half a noise floor each.
  const double own = Variance(shifts), degrees = pairs - 1;
  const double seen = degrees * own / (degrees + kFloorWeight);
  const double assumed =
      kFloorWeight * 2 * SquareOf(kPairedFloor * options.noise_floor) / (degrees + kFloorWeight);
  const double variance = std::max(own, seen + assumed);
  out.noise = std::sqrt(variance);
  out.error = std::sqrt(variance / pairs);
  const double both =
      SquareOf(seen + assumed) / (SquareOf(seen) / degrees + SquareOf(assumed) / kFloorDegrees);
  out.quantile = StudentQuantile(kSure, variance > 0 ? both : degrees);
  return out;
}

double TypicalOf(const Series& series) {
  return Median(std::span(series.values).subspan(series.warmup));
}

// Times scaled as if the machine had been equally fast for all pairs; used for totals and texts:
//
//     pair       A     B        scaled to the median A of 100
//     1         100   105       100   105
//     2         120   126       100   105         the machine was slower by a fifth
//     3          90    94       100   104.4
struct OnOneMachine {
  std::vector<Series> base, current;

  OnOneMachine(std::span<const Series> baselines, std::span<const Series> candidates) {
    std::vector<double> levels;
    for (const Series& run : baselines) levels.push_back(TypicalOf(run));
    const double level = Median(levels);
    for (std::size_t i = 0; i < baselines.size(); ++i) {
      base.push_back(Scaled(baselines[i], level / levels[i]));
      current.push_back(Scaled(candidates[i], level / levels[i]));
    }
  }

  static Series Scaled(Series series, double factor) {
    for (double& value : series.values) value *= factor;
    return series;
  }
};

// Judges pairs like Judge::Verdict() of change.cc, but without a failure by size: the spread of the
// pairs is the whole error, so the interval makes a large change certain.
Change VerdictOf(const PairedShift& pairs, const Limits& limits, Comparison& out) {
  const double least = std::min({pairs.shift, pairs.all, pairs.later.value_or(pairs.shift)});
  const double most = std::max({pairs.shift, pairs.all, pairs.later.value_or(pairs.shift)});
  if (least > limits.limit && pairs.Low() > (limits.is_certain ? limits.limit : 0)) {
    return Change::kFail;
  }
  if (most < -limits.limit && pairs.High() < 0) return Change::kImproved;
  out.over_limit = pairs.shift > limits.limit;
  if (!out.over_limit && pairs.High() < limits.far) return Change::kPass;
  return Change::kInconclusive;
}

// The number of pairs that would make the interval small enough for a certain answer.
Remedy RemedyOf(const PairedShift& pairs, const Limits& limits, std::size_t count) {
  const double room = pairs.shift <= limits.limit
                          ? limits.far - pairs.shift
                          : pairs.shift - (limits.is_certain ? limits.limit : 0);
  if (room <= 0) return {Remedy::Kind::kNothing};
  const double factor = SquareOf(pairs.quantile * pairs.error / room);
  const auto needed = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * factor));
  return {Remedy::Kind::kPairs, std::max(needed, static_cast<std::int64_t>(count) + 1)};
}

// JudgeTotal() uses only `sigma` of the estimate: the noise of the pairs, as if it were normal.
void AddTotal(const PairedShift& pairs, const CompareOptions& options, const Limits& limits,
              const OnOneMachine& runs, Comparison& out) {
  const Side base = MakeSide(runs.base, options, limits);
  const Side current = MakeSide(runs.current, options, limits);
  Estimate estimate;
  estimate.sigma = pairs.error * pairs.quantile / kSureNormal;
  const bool is_decided = !options.is_mean && out.change == Change::kFail;
  const Total total = JudgeTotal(base, current, estimate,
                                 {*options.total_limit, options.absolute_floor, limits.is_certain,
                                  options.is_mean, is_decided});
  out.total = total;
  if (options.is_mean) {  // A shorter total may be chance.
    const bool is_improved = out.change == Change::kImproved && IsShorter(total, limits.limit);
    out.change = is_improved ? Change::kImproved : Change::kPass;
    out.over_limit = false;
  }
  if (out.change == Change::kImproved && total.change > 0) out.change = Change::kPass;
  if (out.change == Change::kFail || total.verdict == TotalVerdict::kPass) return;
  out.by = DecidedBy::kTotal;
  const bool is_fail = total.verdict == TotalVerdict::kFail;
  out.change = is_fail ? Change::kFail : Change::kInconclusive;
  out.over_limit = !is_fail;
}

}  // namespace

Comparison ComparePairs(std::span<const Series> baselines, std::span<const Series> candidates,
                        const CompareOptions& options, const TotalSeries& totals) {
  const Limits limits = KeepingAll(MakeLimits(options));
  const PairedShift pairs = ShiftOf(baselines, candidates, options, limits);
  const OnOneMachine runs(baselines, candidates);
  const Side base = MakeSide(runs.base, options, limits);
  const Side current = MakeSide(runs.current, options, limits);
  Comparison out;
  out.base = UseOf(base, runs.base);
  out.current = UseOf(current, runs.current);
  out.slower = CountSlower(base, current, limits.limit);
  const auto shown = [&](double x) { return std::expm1(options.lower_is_better ? x : -x); };
  out.shift = shown(pairs.shift);
  out.all_iterations = shown(pairs.all);
  if (pairs.later) out.later_half = shown(*pairs.later);
  std::tie(out.low, out.high) = std::minmax({shown(pairs.Low()), shown(pairs.High())});
  out.excluded = shown(limits.far);
  out.sees = shown(std::max(limits.limit + kPairsSeeOverLimit * pairs.error,
                            (pairs.quantile + kPairsSeeOverQuantile) * pairs.error));
  out.pairs = baselines.size();
  out.noise = pairs.noise;
  out.change = VerdictOf(pairs, limits, out);
  if (pairs.shift > limits.limit && !IsBeyondFloor(out, options.absolute_floor)) {
    out.change = Change::kPass;
    out.over_limit = false;
  }
  if (out.change == Change::kInconclusive) out.remedy = RemedyOf(pairs, limits, baselines.size());
  if (!options.total_limit || !options.lower_is_better) return out;
  if (totals.base.empty() || totals.current.empty()) {
    AddTotal(pairs, options, limits, runs, out);
  } else {
    const PairedShift of_totals = ShiftOf(totals.base, totals.current, options, limits);
    AddTotal(of_totals, options, limits, {totals.base, totals.current}, out);
  }
  return out;
}

}  // namespace profgauge::gate::stats
