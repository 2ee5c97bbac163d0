#include "gate/sides.h"

#include <algorithm>
#include <cmath>

#include "gate/constants.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::stats {
namespace {

// A run is odd if it is this many limits, and noise floors, from the others.
constexpr double kOddLimits = knowledge::kGateOddLimits.value();
constexpr double kOddFloors = knowledge::kGateOddFloors.value();
constexpr std::size_t kLeastToHalve = knowledge::kGateLeastToHalve.as<std::size_t>();

Run MakeRun(const Series& series, const CompareOptions& options) {
  Run run;
  run.warmup = series.warmup;
  run.values = series.values;
  for (double& value : run.values) {
    value = options.lower_is_better ? std::log(value) : -std::log(value);
  }
  const std::size_t n = run.values.size();
  run.steady = Sorted(run.Steady());
  run.all = run.warmup == 0 ? run.steady : Sorted(run.values);
  if (n >= kLeastToHalve) run.later = Sorted(std::span(run.values).subspan(n / 2));
  run.level = Median(run.steady);
  if (const std::size_t half = run.Steady().size() / 2; half > 0) {
    run.drift = Median(run.Steady().subspan(half)) - Median(run.Steady().first(half));
  }
  return run;
}

double RangeOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

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

}  // namespace

std::vector<double> Side::Levels() const {
  std::vector<double> levels;
  for (const Run* run : kept) levels.push_back(run->level);
  return levels;
}

Limits MakeLimits(const CompareOptions& options) {
  const double limit = std::log1p(options.limit);
  return {limit, std::log1p(kFarLimits * options.limit),
          std::max(kOddLimits * limit, kOddFloors * options.noise_floor),
          options.strictness == Strictness::kCertain};
}

Side MakeSide(std::span<const Series> series, const CompareOptions& options, const Limits& limits) {
  Side side;
  for (const Series& one : series) side.runs.push_back(MakeRun(one, options));
  side.uses.resize(side.runs.size());
  LeaveOutOdd(limits.odd, side);
  LeaveOutHalfWarm(side);
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

}  // namespace profgauge::stats
