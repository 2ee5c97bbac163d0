// Runs of two programs that were recorded alternately on a machine that drifts.
#include "gate/sides.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

namespace profgauge::gate::stats {
namespace {

// Runs whose level the machine moves by up to `wander` over all of them and by `step` between
// neighbors, in the order A B B A A B.
struct Recorded {
  std::vector<Series> base, current;
};

class Machine {
 public:
  Machine(std::uint32_t seed, double wander, double step)
      : random_(seed), wander_(wander), step_(step) {}

  Recorded Record(std::size_t pairs, double effect) {
    Recorded out;
    for (std::size_t i = 0; i < pairs; ++i) {
      const double hour = wander_ * Normal();
      const double first = hour + step_ * Normal(), second = hour + step_ * Normal();
      out.base.push_back(Run(i % 2 == 0 ? first : second));
      out.current.push_back(Run((i % 2 == 0 ? second : first) + std::log1p(effect)));
    }
    return out;
  }

 private:
  // Sum of twelve: the same on every machine, unlike std::normal_distribution.
  double Normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_()) / 4294967296.0;
    return sum;
  }

  Series Run(double level) {
    Series run;
    for (int i = 0; i < 20; ++i) run.values.push_back(1e6 * std::exp(level + 0.02 * Normal()));
    return run;
  }

  std::mt19937 random_;
  double wander_, step_;
};

struct Rates {
  int fails = 0, open = 0;
};

template <class Compared>
Rates RatesOf(double effect, std::size_t pairs, const Compared& compare) {
  CompareOptions options;
  options.limit = 0.03;
  options.total_limit = 0.03;
  Rates rates;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const Recorded runs = Machine(seed, 0.05, 0.01).Record(pairs, effect);
    const Comparison result = compare(runs, options);
    rates.fails += result.change == Change::kFail;
    rates.open += result.change == Change::kInconclusive && result.over_limit;
  }
  return rates;
}

// The page's table, machine of 1 % between neighbors and 5 % over hours, five pairs: healthy 0 %
// fail and 0.2 % are undecided, +4 % fails in 80, +8 % in 100 of 100.
TEST(ComparePairs, FindsChangeUnderMachineDrift) {
  const auto paired = [](const Recorded& runs, const CompareOptions& options) {
    return ComparePairs(runs.base, runs.current, options);
  };
  const auto unpaired = [](const Recorded& runs, const CompareOptions& options) {
    return Compare(runs.base, runs.current, options);
  };
  EXPECT_LE(RatesOf(0, 5, paired).fails, 2);
  EXPECT_LE(RatesOf(0, 5, paired).open, 4);
  EXPECT_GE(RatesOf(0.04, 5, paired).fails, 140);
  EXPECT_GE(RatesOf(0.08, 5, paired).fails, 197);
  EXPECT_LE(RatesOf(0.08, 5, unpaired).fails, 180);
}

TEST(ComparePairs, CommonEffectsDropOut) {
  const std::vector<double> levels = {1, 1.3, 0.8};
  std::vector<Series> base, current;
  for (const double level : levels) {
    Series run;
    for (int i = 0; i < 10; ++i) run.values.push_back(level * (1e6 + 1e3 * (i * 7 % 5)));
    base.push_back(run);
    for (double& value : run.values) value *= 1.08;
    current.push_back(run);
  }
  const Comparison result = ComparePairs(base, current, {});
  EXPECT_EQ(result.change, Change::kFail);
  EXPECT_NEAR(result.shift, 0.08, 1e-9);
  EXPECT_NEAR(result.total->change, 0.08, 1e-9);
  EXPECT_EQ(result.pairs, 3U);
  const Comparison same = ComparePairs(base, base, {});
  EXPECT_EQ(same.change, Change::kPass);
  EXPECT_NEAR(same.shift, 0, 1e-12);
  const Comparison faster = ComparePairs(current, base, {});
  EXPECT_EQ(faster.change, Change::kImproved);
}

static_assert(std::is_move_constructible_v<Side> && !std::is_copy_constructible_v<Side>);

// A run that never settles keeps its partner company in the total, as in the typical iteration.
TEST(ComparePairs, EveryRunCountsInBoth) {
  std::vector<Series> base, current;
  for (int pair = 0; pair < 4; ++pair) {
    Series run;
    for (int i = 0; i < 20; ++i) run.values.push_back(1e6 + 1e3 * (i * 7 % 5));
    base.push_back(run);
    if (pair == 3) {
      for (double& value : run.values) value *= 1.4;
      for (std::size_t i = 0; i < 10; ++i) run.values[i] *= 2;
      run.warmup = 10;
    }
    current.push_back(run);
  }
  const Comparison result = ComparePairs(base, current, {});
  EXPECT_NEAR(result.shift, std::pow(1.4, 0.25) - 1, 1e-3);
  EXPECT_EQ(result.base.kept, 4U);
  EXPECT_EQ(result.current.kept, 4U);
  EXPECT_EQ(result.current.runs[3].left_out, LeftOut::kNo);
  // A quarter of the runs takes 1.4 times as long, and 1.5 of that with its start.
  EXPECT_GT(result.total->with_start, 0.1);
}

// Half of the iterations pause ten times as long: no typical one changed, and it is no pass.
TEST(ComparePairs, TotalsAreJudgedToo) {
  std::vector<Series> base, current;
  for (int pair = 0; pair < 3; ++pair) {
    Series run;
    for (int i = 0; i < 20; ++i) run.values.push_back(1e6 + 1e3 * (i * 7 % 5));
    base.push_back(run);
    for (int i = 1; i < 20; i += 5) run.values[static_cast<std::size_t>(i)] *= 10;
    current.push_back(run);
  }
  const Comparison result = ComparePairs(base, current, {});
  EXPECT_EQ(result.change, Change::kFail);
  EXPECT_EQ(result.by, DecidedBy::kTotal);
  EXPECT_GT(result.total->change, 1.5);
}

}  // namespace
}  // namespace profgauge::gate::stats
