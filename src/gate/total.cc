#include "gate/total.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "gate/constants.h"
#include "gate/estimate.h"
#include "gate/sides.h"
#include "gate/significance.h"
#include "gate/statistics.h"
#include "knowledge/gate.h"

namespace profgauge::gate::stats {
namespace {

// Texts call an iteration slow from this many spreads on. No verdict depends on this.
constexpr double kSlowSpreads = 3;

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

double MeanOver(const Side& side, double (*of)(const Run&)) {
  double sum = 0;
  for (const Run* run : side.kept) sum += of(*run);
  return sum / static_cast<double>(side.kept.size());
}

double MeanExcess(const Side& side) {
  return MeanOver(side, [](const Run& run) { return run.mean; });
}
double ClippedExcess(const Side& side) {
  return MeanOver(side, [](const Run& run) { return ClippedMean(run.excess); });
}

// The level of the runs' totals that matches this mean of their excesses, as a logarithm.
double MeanLevel(const Side& side, double mean) {
  const double sum =
      MeanOver(side, [](const Run& run) { return std::exp(run.level) * (1 + run.mean); });
  return std::log(sum / (1 + mean));
}

// The mean of all iterations with starts, as a logarithm.
double WholeLevel(const Side& side) {
  return std::log(MeanOver(
      side, [](const Run& run) { return std::exp(run.level) * (1 + run.mean + run.start); }));
}

std::vector<double> StartsOf(const Side& side) {
  std::vector<double> starts;
  for (const Run* run : side.kept) starts.push_back(run->start);
  return starts;
}

// The cost that a candidate's start may have. Three baseline runs show how much starts vary.
double AllowedStart(const Side& base) {
  const std::vector<double> starts = StartsOf(base);
  if (starts.size() < kStartsKnown) return Median(starts);
  return kStartTimes * *std::max_element(starts.begin(), starts.end()) + kStartSlack;
}

// The stalls of a side: long iterations, e.g. with evaluations, checkpoints and pauses.
struct Stalls {
  std::vector<double> excess;
  double cost = 0;  // Mean share of a run that they add.
  std::size_t of = 0;

  explicit Stalls(const Side& side) {
    for (const Run* run : side.kept) {
      double sum = 0;
      for (const double over : run->excess) {
        if (over <= kStallExcess) continue;
        excess.push_back(over);
        sum += over;
      }
      cost += sum / static_cast<double>(run->values.size());
      of += run->values.size();
    }
    cost /= static_cast<double>(side.kept.size());
  }
  std::size_t CountFrom(double least) const {
    return static_cast<std::size_t>(std::count_if(excess.begin(), excess.end(),
                                                  [least](double over) { return over >= least; }));
  }
};

double LogWays(std::size_t of, std::size_t chosen) {
  const auto n = static_cast<double>(of), k = static_cast<double>(chosen);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// The hypergeometric probability that at least `here` of all slow iterations are among the
// candidates' `n`, if they are distributed at random.
double ChanceOfSlow(std::size_t here, std::size_t n, std::size_t there, std::size_t total) {
  const std::size_t slow = here + there;
  double sum = 0;
  for (std::size_t i = here; i <= std::min(n, slow); ++i) {
    if (slow - i > total) continue;
    sum += std::exp(LogWays(n, i) + LogWays(total, slow - i) - LogWays(n + total, slow));
  }
  return sum;
}

// The cost of the candidates' stalls beyond the baseline's. It is excused if the baseline has such
// stalls and the candidates' number may be chance. So stalls rarer than one a run need no model.
//
//     baseline, 10 runs of 20     x10 in 4 of 200 iterations       cost 18 %
//     candidate, 20               x10 in 1 of 20                   cost 45 %: 27 % is excused
double ExcusedStalls(const Side& base, const Side& current) {
  const Stalls there(base), here(current);
  for (const double over : here.excess) {
    const std::size_t alike = there.CountFrom(over / kStallAlike);
    if (alike == 0) return 0;
    const double chance = ChanceOfSlow(here.CountFrom(over), here.of, alike, there.of);
    if (chance <= kStallChance) return 0;
  }
  return std::max(0.0, here.cost - there.cost);
}

// Blocks of iterations that change sides together, because slow iterations may be connected. Their
// length follows from the autocorrelation of the clipped excesses, over all runs of both sides:
//
//     excess    0 0 1 1 1 0 0 0 0 1 1 1 0 0 0      if rho is 0.5: (1 + 0.5) / (1 - 0.5) = 3 each
//     blocks    |-----|-----|-----|-----|-----|
//
// Drawn one by one, slow iterations would spread evenly over both sides, and a burst in one run
// would look like a change of the program. A run of at least three iterations has at least three
// blocks. If a run has over kLongRun iterations, it gets at most kBlocksOfLongRun blocks to limit
// the time of draws, unless a third of the shortest run is shorter than such a block.
class Blocks {
 public:
  void Add(const Side& side) {
    for (const Run* run : side.kept) Add(run->excess);
  }

  // The standard error of rho is that of white noise, 1 / sqrt(n), pooled over runs with different
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

// Adds the means of blocks of nearly equal length: 10 values in blocks of 3 become 4, 3 and 3.
void AddBlocks(const Side& side, std::size_t length, std::vector<Drawn>& out) {
  for (const Run* run : side.kept) {
    const std::size_t n = run->excess.size(), count = std::max<std::size_t>(1, n / length);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t size = n / count + (i < n % count ? 1 : 0);
      const auto block = std::span(run->excess).subspan(at, size);
      out.push_back({Mean(block), ClippedMean(block)});
      at += size;
    }
  }
}

// The distribution of a change if slow iterations are assigned to the sides at random.
class Chance {
 public:
  Chance(const Side& base, const Side& current, double sigma) : sigma_(sigma) {
    Blocks blocks;
    blocks.Add(base);
    blocks.Add(current);
    const std::size_t length = blocks.Length();
    AddBlocks(current, length, values_);
    of_current_ = values_.size();
    AddBlocks(base, length, values_);
  }

  /// The probability of a change at least as large: the smaller one of two statistics. In the plain
  /// one, a stall in the baseline hides others; in the clipped one, a single very long iteration
  /// counts little. 1 / (draws + 1) is added, because draws cannot prove a probability of 0
  /// (Phipson & Smyth 2010).
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

  /// Half of the width of a 98 % interval around the change.
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

// The iterations with an excess over `bound`, by their place in the first kept run, for texts.
SlowOnes SlowOnesOf(const Side& side, double bound) {
  SlowOnes slow;
  std::vector<double> times;
  for (const Run* run : side.kept) {
    slow.of += run->excess.size() - run->warmup;
    for (std::size_t i = run->warmup; i < run->excess.size(); ++i) {
      if (run->excess[i] <= bound) continue;
      times.push_back(1 + run->excess[i]);
      if (run == side.kept.front()) slow.places.push_back(i);
    }
  }
  slow.count = times.size();
  if (!times.empty()) {
    const auto [least, most] = std::ranges::minmax(times);
    slow.least = least, slow.most = most;
  }
  return slow;
}

double SpreadOf(const Side& side) {
  std::vector<double> spreads;
  for (const Run* run : side.kept) spreads.push_back(RobustSigma(run->steady));
  return Median(spreads);
}

void DescribeSlow(const Side& base, const Side& current, Total& total) {
  const double bound = std::max(total.limit, std::expm1(kSlowSpreads * SpreadOf(base)));
  total.base = SlowOnesOf(base, bound);
  total.current = SlowOnesOf(current, bound);
  total.base_start = Median(StartsOf(base));
  for (const Run* run : current.kept) {
    if (run->warmup <= total.start) continue;
    total.start = run->warmup;
    const auto n = static_cast<double>(run->values.size());
    total.start_times = 1 + run->start * n / static_cast<double>(run->warmup);
  }
}

}  // namespace

bool IsShorter(const Total& total, double limit) {
  return std::log1p(total.with_start) < -limit && total.high < 0;
}

bool HasStart(const Total& total) {
  return (total.start > 0 || total.base_start > kNoStart) &&
         std::abs(total.all - total.change) > kNoStart;
}

// Judges the total. Logarithm: the level's change + ln((1 + mean excess here) / (1 + there)).
//
//     change <= limit                                kPass, unless with the start it is over far
//     change >  limit   chance <= 0.003              kFail
//                       chance <= 0.05               kByChance
//                       more probable                kPass: "by chance in 27 of 100"
//     with the start over far (three limits)         kBySize, or kByStart if only by the start
Total JudgeTotal(const Side& base, const Side& current, const Estimate& estimate,
                 const TotalOptions& options) {
  const double base_level = Median(base.Levels());
  const double level = Median(current.Levels()) - base_level;
  const double base_mean = MeanExcess(base), mean = MeanExcess(current);
  const double start = std::max(0.0, Mean(StartsOf(current)) - AllowedStart(base));
  const double usual = mean - ExcusedStalls(base, current);
  const Drawn change = {level + std::log((1 + mean) / (1 + base_mean)),
                        level + std::log((1 + ClippedExcess(current)) / (1 + ClippedExcess(base)))};
  // A median of several candidates' levels would hide slower candidates, so their mean is used.
  const double all = std::max(level, MeanLevel(current, mean) - base_level) +
                     std::log((1 + usual + start) / (1 + base_mean));
  const double whole = std::exp(base_level) * (1 + base_mean);
  const auto counts = [&](double by) { return std::expm1(by) * whole >= options.absolute_floor; };
  const double limit = std::log1p(options.limit), far = std::log1p(kFarLimits * options.limit);
  Total total;
  total.change = std::expm1(change[0]);
  total.clipped = std::expm1(change[1]);
  total.with_start = std::expm1(all);
  total.all = std::expm1(WholeLevel(current) - WholeLevel(base));
  total.limit = options.limit;
  total.base_hides = (1 + base_mean) / (1 + ClippedExcess(base)) - 1;
  if (options.with_interval) {
    const double half = Chance(base, current, estimate.sigma).HalfWidth();
    total.low = std::expm1(change[0] - half);
    total.high = std::expm1(change[0] + half);
  }
  if (!options.is_decided && change[0] > limit && counts(change[0])) {
    const Chance chance(base, current, estimate.sigma);
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
    // True if the change without the start would be within `far`.
    const bool is_start = start > 0 && all - std::log((1 + usual + start) / (1 + usual)) <= far;
    total.verdict = is_start ? TotalVerdict::kByStart : TotalVerdict::kBySize;
  }
  DescribeSlow(base, current, total);
  return total;
}

}  // namespace profgauge::gate::stats
