#include "gate/bisect.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate {
namespace {

constexpr double kSure = knowledge::kGateBisectSure.value();
constexpr auto kMostBisected = knowledge::kGateBisectRuns.as<std::size_t>();
// Errors of a difference: for its interval of 95 %, and for the least step between the ends.
constexpr double kStepErrorsOfEnds = knowledge::kGateBisectErrors.value();
constexpr auto kRunsOfAnEnd = knowledge::kGateBisectEnds.as<std::ptrdiff_t>();

/// Number, mean and sum of squared deviations of some values.
struct Level {
  double count = 0, mean = 0, squares = 0;
  void Add(double value) {
    ++count;
    const double off = value - mean;
    mean += off / count;
    squares += off * (value - mean);
  }
};

/// Two levels: of the runs before a place, and of the runs at or after it.
struct TwoSides {
  Level good, bad;
};
TwoSides SidesOf(std::span<const BisectedRun> runs, std::size_t place) {
  TwoSides sides;
  for (const BisectedRun& run : runs) (run.place < place ? sides.good : sides.bad).Add(run.value);
  return sides;
}

/// The spread that remains after the best fit of two levels. The spread of repeated runs cannot
/// replace it: most commits have one run, so it is too often too small.
double ResidualOf(std::span<const BisectedRun> runs, std::size_t places) {
  constexpr std::size_t kFitted = 3;  // Two levels and a place.
  if (runs.size() <= kFitted) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t place = 1; place <= places; ++place) {
    const TwoSides sides = SidesOf(runs, place);
    least = std::min(least, sides.good.squares + sides.bad.squares);
  }
  return std::sqrt(least / static_cast<double>(runs.size() - kFitted));
}

/// The pooled spread of runs of one commit, over all commits with several runs.
double NoiseOf(std::span<const BisectedRun> runs, double noise_floor) {
  std::map<std::size_t, Level> commits;
  for (const BisectedRun& run : runs) commits[run.place].Add(run.value);
  double squares = 0, degrees = 0;
  for (const auto& [place, level] : commits) {
    squares += level.squares;
    degrees += level.count - 1;
  }
  return std::max(noise_floor, degrees > 0 ? std::sqrt(squares / degrees) : 0.0);
}

double ErrorOf(const TwoSides& sides, double noise) {
  return noise * std::sqrt(1 / sides.good.count + 1 / sides.bad.count);
}

/// For each place from 1 on, the probability that it is the first slow one.
std::vector<double> Posterior(std::span<const BisectedRun> runs, std::size_t places, double noise) {
  std::vector<double> logs;
  for (std::size_t place = 1; place <= places; ++place) {
    const TwoSides sides = SidesOf(runs, place);
    const double squares = sides.good.squares + sides.bad.squares;
    logs.push_back(-squares / (2 * noise * noise) - std::log(sides.good.count) / 2 -
                   std::log(sides.bad.count) / 2);
  }
  const double best = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& one : logs) sum += one = std::exp(one - best);
  for (double& one : logs) one /= sum;
  return logs;
}

/// The place to measure next: the commit at the middle of the probability or the one before it,
/// whichever splits the probability more evenly.
std::size_t NextOf(std::span<const double> posterior) {
  double before = 0;
  for (std::size_t i = 0; i < posterior.size(); ++i) {
    const double with = before + posterior[i];
    // A run at place i separates places up to i from later ones; posterior[i] is for place i + 1.
    if (with >= 0.5) return with - 0.5 <= 0.5 - before ? i + 1 : i;
    before = with;
  }
  return posterior.size();
}

std::vector<std::size_t> LikelyOf(std::span<const double> posterior) {
  std::vector<std::size_t> order(posterior.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return posterior[a] > posterior[b]; });
  std::vector<std::size_t> likely;
  double sum = 0;
  for (const std::size_t at : order) {
    if (sum >= kSure) break;
    sum += posterior[at];
    likely.push_back(at + 1);
  }
  std::sort(likely.begin(), likely.end());
  return likely;
}

}  // namespace

Bisection Bisect(std::span<const BisectedRun> runs, std::size_t places, double noise_floor) {
  Bisection out;
  out.noise = std::max(NoiseOf(runs, noise_floor), ResidualOf(runs, places));
  const std::vector<double> posterior = Posterior(runs, places, out.noise);
  const auto best = std::max_element(posterior.begin(), posterior.end());
  out.best = static_cast<std::size_t>(best - posterior.begin()) + 1;
  out.probability = *best;
  out.candidates = LikelyOf(posterior);
  out.next = NextOf(posterior);
  const TwoSides sides = SidesOf(runs, out.best);
  const double error = ErrorOf(sides, out.noise);
  out.change = sides.bad.mean - sides.good.mean;
  out.low = out.change - kStepErrorsOfEnds * error;
  out.high = out.change + kStepErrorsOfEnds * error;
  if (out.change < kStepErrorsOfEnds * error) {
    // Three runs of each end miss a step of 2.5 times the noise in a quarter of simulated searches,
    // and six runs in 1 %.
    const auto good = std::ranges::count(runs, std::size_t{0}, &BisectedRun::place);
    const auto bad = std::ranges::count(runs, places, &BisectedRun::place);
    out.next = good <= bad ? 0 : places;
    out.has_step = false;
    const TwoSides ends{SidesOf(runs, 1).good, SidesOf(runs, places).bad};
    out.is_reversed =
        ends.bad.mean - ends.good.mean < -kStepErrorsOfEnds * ErrorOf(ends, out.noise);
    if (std::min(good, bad) >= kRunsOfAnEnd) out.state = Bisection::State::kNoStep;
  } else if (out.probability >= kSure) {
    out.state = Bisection::State::kFound;
  } else if (runs.size() > kMostBisected) {
    out.state = Bisection::State::kUndecided;
  }
  return out;
}

}  // namespace profgauge::gate
