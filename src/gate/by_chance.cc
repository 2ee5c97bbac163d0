#include "gate/by_chance.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/sides.h"
#include "gate/significance.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {
namespace {

// The noise of shares: equal runs differ by that number of points. Times differ by more.
constexpr double kShareNoise = knowledge::kGateShareNoise.value();
// For values of runs: the weight of the noise floor, and its degrees of freedom.
constexpr double kValueFloorDegrees = knowledge::kGateValueFloorDegrees.value();

// Part and whole of every iteration of one side.
std::vector<Drawn> PairsOf(std::span<const ShareOfRun> runs) {
  std::vector<Drawn> pairs;
  for (const ShareOfRun& run : runs) {
    for (std::size_t i = 0; i < run.part.size(); ++i) pairs.push_back({run.part[i], run.whole[i]});
  }
  return pairs;
}

double ShareOf(const std::vector<Drawn>& pairs) {
  Drawn sum{};
  for (const Drawn& pair : pairs) {
    sum[0] += pair[0];
    sum[1] += pair[1];
  }
  return sum[0] / sum[1];
}

// Fails a change whose probability by chance is very low. Undecided if that is low, or if the
// change is far over the limit. Otherwise a pass.
void Decide(double chance, bool is_far, Change& change, bool& over_limit) {
  if (chance <= kFailChance) {
    change = Change::kFail;
  } else if (chance <= kOpenChance || is_far) {
    change = Change::kInconclusive;
    over_limit = true;
  }
}

// Compares two sides by the chance of a change at least as large, with noise between runs `sigma`:
//
//     drawn changes        . . :.:::.: .  .            each blurred by sigma
//     -----------------|------0------|------x---->
//                   -half           half    change     chance: the weight at x and beyond
//
// `half` is 2.33 standard deviations of draws and noise combined.
ShareComparison Hold(const std::vector<Drawn>& there, const std::vector<Drawn>& here, double limit,
                     bool lower_is_better, double sigma) {
  std::vector<Drawn> pairs = here;
  ShareComparison out;
  out.base = ShareOf(there);
  out.current = ShareOf(here);
  pairs.insert(pairs.end(), there.begin(), there.end());
  const double sign = lower_is_better ? 1 : -1;
  const double change = sign * (out.current - out.base);
  double chance = 0, squares = 0;
  ForEachDraw(std::move(pairs), here.size(), [&](const DrawnSums& sums) {
    const double drawn = sign * (sums.current[0] / sums.current[1] - sums.base[0] / sums.base[1]);
    chance +=
        sigma > 0 ? NormalShare((drawn - change) / sigma) : static_cast<double>(drawn >= change);
    squares += drawn * drawn;
  });
  const auto draws = static_cast<double>(kDraws);
  chance = chance / draws + 1 / (draws + 1);
  const double half = kSureNormal * std::sqrt(squares / draws + sigma * sigma);
  out.low = out.current - out.base - half;
  out.high = out.current - out.base + half;
  if (change > limit) {
    out.chance = chance;
    Decide(chance, change > kFarLimits * limit, out.change, out.over_limit);
  } else if (change < -limit && -change > half) {
    out.change = Change::kImproved;
  }
  return out;
}

// The standard deviation of the difference of both sides' medians, relative to that of one run.
double BetweenSides(std::size_t base, std::size_t current) {
  return std::sqrt(MedianFactor(base) + MedianFactor(current));
}

}  // namespace

double ShareOfTotals(std::span<const ShareOfRun> runs) { return ShareOf(PairsOf(runs)); }

ShareComparison CompareShares(std::span<const ShareOfRun> base, std::span<const ShareOfRun> current,
                              double limit, bool lower_is_better) {
  return Hold(PairsOf(base), PairsOf(current), limit, lower_is_better,
              kShareNoise * BetweenSides(base.size(), current.size()));
}

ShareComparison CompareMeans(std::span<const std::vector<double>> base,
                             std::span<const std::vector<double>> current, double limit,
                             double noise) {
  const auto all = [](std::span<const std::vector<double>> runs) {
    std::vector<Drawn> values;
    for (const std::vector<double>& run : runs) {
      for (const double value : run) values.push_back({value, 1});
    }
    return values;
  };
  return Hold(all(base), all(current), limit, true,
              noise * BetweenSides(base.size(), current.size()));
}

TailComparison CompareTails(std::span<const double> base, std::span<const double> current,
                            double bound, bool is_over) {
  const auto over = [bound](std::span<const double> values) {
    return static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [bound](double v) { return v > bound; }));
  };
  TailComparison out;
  out.bound = bound;
  out.base_over = over(base);
  out.base_of = base.size();
  out.current_over = over(current);
  out.current_of = current.size();
  if (!is_over) return out;
  out.chance = FisherPValue(out.current_over, out.current_of, out.base_over, out.base_of);
  Decide(out.chance, false, out.change, out.over_limit);
  return out;
}

// Compares one number per run. Example: three baseline runs, floor 1 %, spread 0.5 %: between^2 =
// (3 * 1^2 + 2 * 0.5^2) / (3 + 2) = 0.7 (0.84 %). Times 1 + 1/3 for the new run: 0.97 %.
ValueComparison CompareRunValues(std::span<const double> base, std::span<const double> current,
                                 const CompareOptions& options, double iterations) {
  const auto logs = [&](std::span<const double> values) {
    std::vector<double> out;
    for (const double v : values)
      out.push_back(options.lower_is_better ? std::log(v) : -std::log(v));
    return out;
  };
  const std::vector<double> there = logs(base), here = logs(current);
  const auto runs = static_cast<double>(there.size());
  const double floor = options.noise_floor * options.noise_floor;
  const double between =
      (kFloorWeight * floor + (runs - 1) * Variance(there)) / (kFloorWeight + runs - 1);
  double variance = between * (1 + 1 / runs);
  const double spread = kAssumedSpread * options.noise_floor;
  if (iterations > 0) variance += spread * spread / iterations;
  const double half = StudentQuantile(kSure, kValueFloorDegrees + runs - 1) * std::sqrt(variance);
  const double shift = Median(here) - Median(there);
  const auto shown = [&](double x) { return std::expm1(options.lower_is_better ? x : -x); };
  ValueComparison out;
  out.shift = shown(shift);
  std::tie(out.low, out.high) = std::minmax({shown(shift - half), shown(shift + half)});
  const double limit = LogLimit(options.limit, options.lower_is_better);
  if (shift > limit) {
    const bool is_sure = shift - half > (options.strictness == Strictness::kCertain ? limit : 0);
    out.change = is_sure ? Change::kFail : Change::kInconclusive;
    out.over_limit = !is_sure;
  } else if (shift < -limit && shift + half < 0) {
    out.change = Change::kImproved;
  }
  return out;
}

}  // namespace profgauge::gate::stats
