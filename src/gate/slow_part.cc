#include "gate/slow_part.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "gate/statistics.h"

namespace profgauge::stats {
namespace {

// Iterations are slow beyond so many spreads of the base's. More of them than by chance, or slower
// ones: no pass below the one, a failure below the other.
constexpr double kSlowSpreads = 3;
constexpr double kUnlikely = 0.01;
constexpr double kVeryUnlikely = 0.001;
// A failure needs the mean over so many limits.
constexpr double kFailingLimits = 1.5;
// Few iterations leave much to chance: so many of them, and this share, that make the mean three
// limits longer are no pass either.
constexpr std::size_t kLeastSlow = 2;
constexpr double kSlowShare = 0.15;
// A smaller share, but one that doubles the mean: ln 2, as sides are held in logarithms.
constexpr double kTwofold = 0.69;
// So much one iteration alone must stand out for it, over ten times: shorter ones are what saving
// or collecting garbage does, and in a run of five double the mean.
constexpr double kTenfold = 2.303;
// A failure needs iterations that are slow even if all were by as many noises of runs.
constexpr double kShiftNoises = 4;
// Fewer may be alike by chance: no failure, and no long start.
constexpr std::size_t kLeastSized = 3;
// A warm-up is long from this share of the iterations on, and none of the program where the
// baseline's is shorter than this share of it.
constexpr double kLongWarmup = 0.25;
constexpr double kAlikeWarmup = 0.5;
// One stall cuts all before it: so many of what is cut are slow.
constexpr double kMostOfWarmup = 0.75;

std::size_t UsedOf(const Side& side) {
  std::size_t used = 0;
  for (const Run* run : side.kept) used += run->steady.size();
  return used;
}

// How probable it is that the slow ones of both are equally slow; 1 where they did not become
// slower by more than the limit. Ranks where they spread widely, means where they are few.
double ChanceOfSizes(const std::vector<double>& base, const std::vector<double>& current,
                     double limit, double noise) {
  const std::size_t fewer = std::min(base.size(), current.size());
  if (fewer < kLeastSlow || Median(current) - Median(base) <= limit) return 1;
  const double chance =
      std::min(RankPValue(base, current), StudentPValue(base, current, 2 * noise * noise));
  return fewer < kLeastSized && chance < kUnlikely ? kUnlikely : chance;
}

// How probable it is that the slow iterations of a run are its last ones by chance, 1 where they
// are not: of n iterations k are the last in one of C(n, k) orders.
double ChanceOfEnd(const Run& run, double bound) {
  const auto is_slow = [bound](double value) { return value > bound; };
  const std::span<const double> steady = run.Steady();
  const auto slow = static_cast<std::size_t>(std::ranges::count_if(steady, is_slow));
  if (slow < kLeastSized || !std::ranges::all_of(steady.last(slow), is_slow)) return 1;
  double orders = 1;
  for (std::size_t i = 1; i <= slow; ++i) {
    orders *= static_cast<double>(steady.size() - slow + i) / static_cast<double>(i);
  }
  return 1 / orders;
}

// A run that became slower and stayed so to its end, as a GPU that throttles, is slower by more
// than how many iterations are tells.
bool IsSlowToTheEnd(const Side& side, double bound) {
  const auto runs = static_cast<double>(side.kept.size());
  return std::ranges::any_of(
      side.kept, [&](const Run* run) { return ChanceOfEnd(*run, bound) * runs <= kUnlikely; });
}

struct Warmup {
  std::size_t cut = 0, slow = 0, all = 0;  // Iterations; slow ones are of those that are cut.

  double PerRun(const Side& side) const {
    return static_cast<double>(cut) / static_cast<double>(side.kept.size());
  }
};

Warmup WarmupOf(const Side& side, double bound) {
  Warmup warmup;
  for (const Run* run : side.kept) {
    warmup.cut += run->warmup;
    const auto start = std::span(run->values).first(run->warmup);
    warmup.slow += static_cast<std::size_t>(
        std::count_if(start.begin(), start.end(), [bound](double v) { return v > bound; }));
    warmup.all += run->values.size();
  }
  return warmup;
}

// Iterations that are slower than all of the base's are few, but make the run twice as long.
bool DoubleTheMean(const Side& base, const std::vector<double>& there,
                   const std::vector<double>& here, double mean) {
  if (mean <= kTwofold || here.empty()) return false;
  const double longest = there.empty() ? 0 : *std::ranges::max_element(there);
  const auto is_longer = [&](double value) { return there.empty() || value > longest; };
  if (static_cast<std::size_t>(std::ranges::count_if(here, is_longer)) >= kLeastSlow) return true;
  const double most = *std::ranges::max_element(here);
  return is_longer(most) && most - Median(base.Levels()) > kTenfold;
}

// Whether more iterations are slow, or the slow ones slower, than chance leaves although all of a
// run may be slower by `noises`.
bool IsBeyondNoise(const Side& base, const Side& current, double bound, double noises,
                   double longer) {
  if (longer > 0) return longer > bound + noises;
  const std::size_t there = SlowerOf(base, base, bound + noises).size();
  const std::size_t here = SlowerOf(base, current, bound + noises).size();
  return FisherPValue(here, UsedOf(current), there, UsedOf(base)) <= kUnlikely;
}

}  // namespace

std::optional<Change> JudgeSlowPart(const Side& base, const Side& current, const Limits& limits,
                                    const CompareOptions& options, const RunNoise& noise,
                                    SlowPart& slow) {
  if (!options.logarithmic || !options.lower_is_better) return std::nullopt;
  const double bound = std::max(limits.limit, kSlowSpreads * SpreadOf(base));
  const std::vector<double> here = SlowerOf(base, current, bound),
                            there = SlowerOf(base, base, bound);
  slow.bound = std::expm1(bound);
  slow.current = here.size();
  slow.base = there.size();
  const double base_mean = LogMean(base, &Run::steady);
  const double mean = LogMean(current, &Run::steady) - base_mean;
  slow.mean = std::expm1(mean);
  if (mean <= limits.limit) return std::nullopt;
  if (slow.mean * std::exp(base_mean) < options.absolute_floor) return std::nullopt;
  double chance = FisherPValue(slow.current, UsedOf(current), slow.base, UsedOf(base));
  double longer = 0;
  if (chance > kVeryUnlikely) {
    const double of_sizes = ChanceOfSizes(there, here, limits.limit, noise.of_run);
    if (of_sizes < chance && of_sizes <= kUnlikely) {
      chance = of_sizes;
      longer = Median(here) - Median(there);
      slow.longer = std::expm1(longer);
    }
  }
  if (chance > kUnlikely) {
    const double share = static_cast<double>(slow.current) / static_cast<double>(UsedOf(current));
    const bool is_by_size = (slow.base == 0 && slow.current >= kLeastSlow && mean > limits.far &&
                             share >= kSlowShare) ||
                            DoubleTheMean(base, there, here, mean);
    slow.at_end = slow.base == 0 && IsSlowToTheEnd(current, Median(base.Levels()) + bound);
    return is_by_size || slow.at_end ? std::optional(Change::kInconclusive) : std::nullopt;
  }
  const double later = LogMean(current, &Run::later) - LogMean(base, &Run::later);
  const bool is_sure = chance <= kVeryUnlikely && mean > kFailingLimits * limits.limit &&
                       later > limits.limit && !limits.is_certain &&
                       IsBeyondNoise(base, current, longer > 0 ? limits.limit : bound,
                                     kShiftNoises * noise.of_change, longer);
  return is_sure ? Change::kFail : Change::kInconclusive;
}

SlowStart FindSlowStart(const Side& base, const Side& current, const Limits& limits,
                        const CompareOptions& options) {
  SlowStart start;
  if (!options.logarithmic || !options.lower_is_better) return start;
  const double bound = Median(base.Levels()) + limits.limit;
  const Warmup here = WarmupOf(current, bound), there = WarmupOf(base, bound);
  const double base_mean = LogMean(base, &Run::all);
  const double mean = LogMean(current, &Run::all) - base_mean;
  start.iterations = here.cut;
  start.mean = std::expm1(mean);
  const auto cut = static_cast<double>(here.cut);
  const bool is_long = cut > kLongWarmup * static_cast<double>(here.all) &&
                       here.slow >= kLeastSized &&
                       static_cast<double>(here.slow) >= kMostOfWarmup * cut;
  start.decides = is_long && there.PerRun(base) < kAlikeWarmup * here.PerRun(current) &&
                  mean > limits.limit && start.mean * std::exp(base_mean) >= options.absolute_floor;
  return start;
}

}  // namespace profgauge::stats
