#include "gate/repeat.h"

#include <algorithm>
#include <cmath>

#include "gate/constants.h"
#include "gate/statistics.h"

namespace profgauge::gate::stats {
namespace {

// The bound of repeat.h for the worst share of slow runs, by logarithms: powers would overflow.
double ChanceOfStates(double runs, double recordings) {
  return std::exp(runs * std::log(runs) + recordings * std::log(recordings) -
                  (runs + recordings) * std::log(runs + recordings));
}

double UsualExcess(const Side& base) {
  double sum = 0;
  for (const Run& run : base.runs) sum += run.mean;
  return sum / static_cast<double>(base.runs.size());
}

}  // namespace

std::optional<std::size_t> NeededRecordings(std::size_t runs) {
  for (std::size_t recordings = 1; recordings <= kMostRecordings; ++recordings) {
    const double chance =
        ChanceOfStates(static_cast<double>(runs), static_cast<double>(recordings));
    if (chance <= kStateChance) return recordings;
  }
  return std::nullopt;
}

bool IsRepeated(const Side& base, const Side& current, Judged judged, double limit) {
  return CountSlowRecordings(base, current, judged, limit) == current.runs.size();
}

std::size_t CountSlowRecordings(const Side& base, const Side& earlier, Judged judged,
                                double limit) {
  const bool by_total = judged == Judged::kTotal;
  const double usual = by_total ? UsualExcess(base) : 0;
  const auto level = [&](const Run& run) {
    return run.level + (by_total ? std::log((1 + run.mean) / (1 + usual)) : 0);
  };
  std::vector<double> levels;
  for (const Run& run : base.runs) levels.push_back(run.level);
  const double middle = Median(levels);
  double slowest = level(base.runs.front());
  for (const Run& run : base.runs) slowest = std::max(slowest, level(run));
  return static_cast<std::size_t>(std::ranges::count_if(earlier.runs, [&](const Run& run) {
    return level(run) - middle > limit / 2 && slowest < level(run) - limit / 2;
  }));
}

std::size_t SlowStretches(const Side& side, double limit) {
  std::size_t most = 0;
  for (const Run& run : side.runs) {
    const double bound = std::max(limit, kStretchSpreads * RobustSigma(run.steady));
    std::size_t stretches = 0;
    bool was_slow = false;
    for (const double excess : run.excess) {
      const bool is_slow = excess > bound;
      if (is_slow && !was_slow) ++stretches;
      was_slow = is_slow;
    }
    most = std::max(most, stretches);
  }
  return most;
}

}  // namespace profgauge::gate::stats
