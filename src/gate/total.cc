#include "gate/total.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/sides.h"
#include "gate/significance.h"
#include "gate/statistics.h"

namespace profgauge::gate::stats {
namespace {

// An iteration is named as slow from this number of spreads on; only in texts, it decides nothing.
constexpr double kSlowSpreads = 3;

// A run's times over its typical one, less 1. Those of the start count as typical; their further
// cost is separate, as a share of the run. `of` is aligned with Run::values. Where more is better
// the logarithms have the other sign, and this would be no excess: no total is judged there.
struct Excess {
  std::vector<double> of;
  double start = 0;
};

double Clipped(double excess) { return std::min(excess, kMostExcess); }

double Mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double ClippedMean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += Clipped(value);
  return sum / static_cast<double>(values.size());
}

// A start of 3 of 20 iterations that take 5, 3 and 2 times as long: of = 0 0 0 ..., start = 7/20.
Excess ExcessOf(const Run& run) {
  Excess excess;
  for (std::size_t i = 0; i < run.values.size(); ++i) {
    const double over = std::exp(run.values[i] - run.level) - 1;
    excess.of.push_back(i < run.warmup ? 0 : over);
    if (i < run.warmup) excess.start += over;
  }
  excess.start /= static_cast<double>(run.values.size());
  return excess;
}

std::vector<Excess> AllExcesses(const Side& side) {
  std::vector<Excess> excesses;
  for (const Run* run : side.kept) excesses.push_back(ExcessOf(*run));
  return excesses;
}

double MeanOver(const std::vector<Excess>& runs, double (*mean)(std::span<const double>)) {
  double sum = 0;
  for (const Excess& run : runs) sum += mean(run.of);
  return sum / static_cast<double>(runs.size());
}

// The level of the runs' totals that goes with the mean of their excesses.
double MeanLevel(const Side& side, const std::vector<Excess>& runs, double mean) {
  double sum = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    sum += std::exp(side.kept[r]->level) * (1 + Mean(runs[r].of));
  }
  return std::log(sum / static_cast<double>(runs.size()) / (1 + mean));
}

std::vector<double> StartsOf(const std::vector<Excess>& runs) {
  std::vector<double> starts;
  for (const Excess& run : runs) starts.push_back(run.start);
  return starts;
}

// Slow iterations that hang together change sides together: the length of a block follows from the
// autocorrelation of the clipped excesses, over all runs of both sides.
//
//     excess    0 0 1 1 1 0 0 0 0 1 1 1 0 0 0      if rho is 0.5: (1 + 0.5) / (1 - 0.5) = 3 each
//     blocks    |-----|-----|-----|-----|-----|
//
// Drawn one by one they would spread evenly over both sides, and a burst of one run would look like
// a change of the program. A run of three iterations or more makes at least three blocks. Where a
// run has over kLongRun iterations, blocks are long enough that it makes kBlocksOfLongRun at most,
// for the time of the draws, unless a third of the shortest run is less.
class Blocks {
 public:
  void Add(const std::vector<Excess>& runs) {
    for (const Excess& run : runs) Add(run.of);
  }

  // The standard error of rho is that of white noise, 1 / sqrt(n), summed over runs of other
  // spreads.
  std::size_t Length() const {
    const double rho = squares_ > 0 ? std::min(kLargestBlockCorrelation, lagged_ / squares_) : 0;
    std::size_t block = 1;
    if (squares_ > 0 && rho > kCorrelationErrors * std::sqrt(fourth_) / squares_) {
      block = static_cast<std::size_t>(std::max(1.0, std::floor((1 + rho) / (1 - rho) + 0.5)));
    }
    if (longest_ > kLongRun) {
      block = std::max(block, (longest_ + kBlocksOfLongRun - 1) / kBlocksOfLongRun);
    }
    return std::min(block, std::max<std::size_t>(1, shortest_ / 3));
  }

 private:
  void Add(const std::vector<double>& run) {
    const double mean = ClippedMean(run);
    double own = 0;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const double here = Clipped(run[i]) - mean;
      own += here * here;
      if (i > 0) lagged_ += here * (Clipped(run[i - 1]) - mean);
    }
    squares_ += own;
    fourth_ += own * own / static_cast<double>(run.size());
    shortest_ = std::min(shortest_, run.size());
    longest_ = std::max(longest_, run.size());
  }

  double lagged_ = 0, squares_ = 0, fourth_ = 0;
  std::size_t shortest_ = static_cast<std::size_t>(-1), longest_ = 0;
};

// Blocks of equal length up to one, by their means: 10 values in blocks of 3 are 4, 3 and 3.
void AddBlocks(const std::vector<Excess>& runs, std::size_t length, std::vector<Drawn>& out) {
  for (const Excess& run : runs) {
    const std::size_t n = run.of.size(), count = std::max<std::size_t>(1, n / length);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = n / count + (i < n % count ? 1 : 0);
      const auto block = std::span(run.of).subspan(at, size);
      out.push_back({Mean(block), ClippedMean(block)});
      at += size;
    }
  }
}

// The distribution of a change if the slow iterations were drawn at random.
class Chance {
 public:
  Chance(const std::vector<Excess>& base, const std::vector<Excess>& current, double sigma)
      : sigma_(sigma) {
    Blocks blocks;
    blocks.Add(base);
    blocks.Add(current);
    const std::size_t length = blocks.Length();
    AddBlocks(current, length, values_);
    of_current_ = values_.size();
    AddBlocks(base, length, values_);
  }

  /// How probable a change at least as large is, in the one or the other statistic: the smaller of
  /// both. By the plain one a stall in the baseline hides others, by the clipped one a single very
  /// long iteration counts little. 1 / (draws + 1) is added, as a sample of draws cannot show that
  /// a change never happens by chance (Phipson & Smyth 2010): the result is above 0.
  double Of(const Drawn& change) const {
    Drawn chance{};
    ForEach([&](const Drawn& drawn) {
      for (std::size_t k = 0; k < chance.size(); ++k) {
        chance[k] += sigma_ > 0 ? NormalShare((drawn[k] - change[k]) / sigma_)
                                : static_cast<double>(drawn[k] >= change[k]);
      }
    });
    const auto draws = static_cast<double>(kDraws);
    return std::min(chance[0], chance[1]) / draws + 1 / (draws + 1);
  }

  /// Half of an interval of 98 % around the change.
  double HalfWidth() const {
    double squares = 0;
    ForEach([&](const Drawn& drawn) { squares += drawn[0] * drawn[0]; });
    return kSureNormal * std::sqrt(squares / static_cast<double>(kDraws) + sigma_ * sigma_);
  }

 private:
  template <class Use>
  void ForEach(const Use& use) const {
    const auto here = static_cast<double>(of_current_);
    const auto there = static_cast<double>(values_.size() - of_current_);
    ForEachDraw(values_, of_current_, [&](const DrawnSums& sums) {
      Drawn drawn{};
      for (std::size_t k = 0; k < drawn.size(); ++k) {
        drawn[k] = std::log((1 + sums.current[k] / here) / (1 + sums.base[k] / there));
      }
      use(drawn);
    });
  }

  std::vector<Drawn> values_;
  std::size_t of_current_ = 0;
  double sigma_;
};

// Iterations over `bound`, an excess. Places are of the first kept run, which texts name.
SlowOnes SlowOnesOf(const Side& side, const std::vector<Excess>& runs, double bound) {
  SlowOnes slow;
  std::vector<double> times;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::vector<double>& excess = runs[r].of;
    slow.of += excess.size() - side.kept[r]->warmup;
    for (std::size_t i = side.kept[r]->warmup; i < excess.size(); ++i) {
      if (excess[i] <= bound) continue;
      times.push_back(1 + excess[i]);
      if (r == 0) slow.places.push_back(i);
    }
  }
  slow.count = times.size();
  if (!times.empty()) slow.times = Median(times);
  return slow;
}

double SpreadOf(const Side& side) {
  std::vector<double> spreads;
  for (const Run* run : side.kept) spreads.push_back(RobustSigma(run->steady));
  return Median(spreads);
}

void DescribeSlow(const Side& base, const Side& current, const std::vector<Excess>& there,
                  const std::vector<Excess>& here, Total& total) {
  const double bound = std::max(total.limit, std::expm1(kSlowSpreads * SpreadOf(base)));
  total.base = SlowOnesOf(base, there, bound);
  total.current = SlowOnesOf(current, here, bound);
  total.base_start = Median(StartsOf(there));
  for (std::size_t r = 0; r < here.size(); ++r) {
    const std::size_t start = current.kept[r]->warmup;
    if (start <= total.start) continue;
    total.start = start;
    const auto n = static_cast<double>(here[r].of.size());
    total.start_times = 1 + here[r].start * n / static_cast<double>(start);
  }
}

}  // namespace

bool IsShorter(const Total& total, double limit) {
  return std::log1p(total.with_start) < -limit && total.high < 0;
}

// In logarithms: change of the level + ln((1 + mean excess here) / (1 + mean excess there)).
//
//     change <= limit                                kPass, unless with the start it is over far
//     change >  limit   chance <= 0.003              kFail
//                       chance <= 0.05               kByChance
//                       more probable                kPass: "by chance in 27 of 100"
//     with the start over far (three limits)         kBySize, or kByStart if only by the start
Total JudgeTotal(const Side& base, const Side& current, const Estimate& estimate,
                 const TotalOptions& options) {
  const std::vector<Excess> there = AllExcesses(base), here = AllExcesses(current);
  const double base_level = Median(base.Levels());
  const double level = Median(current.Levels()) - base_level;
  const double base_mean = MeanOver(there, Mean), mean = MeanOver(here, Mean);
  const double start = std::max(0.0, Mean(StartsOf(here)) - Median(StartsOf(there)));
  const Drawn change = {
      level + std::log((1 + mean) / (1 + base_mean)),
      level + std::log((1 + MeanOver(here, ClippedMean)) / (1 + MeanOver(there, ClippedMean)))};
  // If some of several candidates are slower throughout, the median of their levels hides it.
  const double all = std::max(level, MeanLevel(current, here, mean) - base_level) +
                     std::log((1 + mean + start) / (1 + base_mean));
  const double whole = std::exp(base_level) * (1 + base_mean);
  const auto counts = [&](double by) { return std::expm1(by) * whole >= options.absolute_floor; };
  const double limit = std::log1p(options.limit), far = std::log1p(kFarLimits * options.limit);
  Total total;
  total.change = std::expm1(change[0]);
  total.clipped = std::expm1(change[1]);
  total.with_start = std::expm1(all);
  total.limit = options.limit;
  total.base_hides = (1 + base_mean) / (1 + MeanOver(there, ClippedMean)) - 1;
  if (options.with_interval) {
    const double half = Chance(there, here, estimate.sigma).HalfWidth();
    total.low = std::expm1(change[0] - half);
    total.high = std::expm1(change[0] + half);
  }
  if (!options.is_decided && change[0] > limit && counts(change[0])) {
    const Chance chance(there, here, estimate.sigma);
    total.chance = chance.Of(change);
    const double sure =
        options.is_certain ? chance.Of({change[0] - limit, change[1] - limit}) : *total.chance;
    if (sure <= kFailChance) {
      total.verdict = TotalVerdict::kFail;
    } else if (*total.chance <= kOpenChance) {
      total.verdict = TotalVerdict::kByChance;
    }
  }
  if (total.verdict != TotalVerdict::kFail && all > far && counts(all)) {
    // Without the start the change would be within far.
    const bool is_start = start > 0 && all - std::log((1 + mean + start) / (1 + mean)) <= far;
    total.verdict = is_start ? TotalVerdict::kByStart : TotalVerdict::kBySize;
  }
  DescribeSlow(base, current, there, here, total);
  return total;
}

}  // namespace profgauge::gate::stats
