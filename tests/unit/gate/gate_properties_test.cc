// Relations that hold for any runs, on 300 random comparisons each.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/compare.h"
#include "time_series.h"

namespace profgauge::gate {
namespace {

constexpr int kComparisons = 300;

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}

  int Whole(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random_);
  }
  double Real(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  double Normal(double sigma) { return std::normal_distribution<double>(0, sigma)(random_); }
  template <class Values>
  void Shuffle(Values& values) {
    std::ranges::shuffle(values, random_);
  }

 private:
  std::mt19937 random_;
};

// Runs of one program on a machine whose runs and iterations differ, with a stall now and then.
stats::Runs DrawRuns(Dice& dice, int count, double level) {
  stats::Runs runs;
  const int iterations = dice.Whole(8, 30);
  const double between = dice.Real(0, 0.03), within = dice.Real(0.002, 0.06);
  for (int i = 0; i < count; ++i) {
    const double own = level * (1 + dice.Normal(between));
    stats::Times& times = runs.emplace_back();
    for (int k = 0; k < iterations; ++k) {
      times.push_back(std::max(0.1, own * (1 + dice.Normal(within))));
      if (dice.Whole(0, 40) == 0) times.back() *= dice.Real(1, 4);
    }
  }
  return runs;
}

struct TwoSides {
  stats::Runs base, current;
};

TwoSides DrawSides(Dice& dice) {
  TwoSides drawn;
  drawn.base = DrawRuns(dice, dice.Whole(1, 12), 100);
  drawn.current = DrawRuns(dice, dice.Whole(1, 3), 100 * dice.Real(0.85, 1.3));
  return drawn;
}

stats::Comparison AnswerToSides(const TwoSides& drawn) {
  return stats::Compare(stats::SeriesOf(drawn.base), stats::SeriesOf(drawn.current), {});
}

TEST(GateProperties, TheOrderOfRunsDecidesNothing) {
  Dice dice(1);
  for (int i = 0; i < kComparisons; ++i) {
    TwoSides drawn = DrawSides(dice);
    const stats::Comparison one = AnswerToSides(drawn);
    dice.Shuffle(drawn.base);
    dice.Shuffle(drawn.current);
    const stats::Comparison other = AnswerToSides(drawn);
    EXPECT_EQ(one.change, other.change) << i;
    EXPECT_EQ(one.open, other.open) << i;
    EXPECT_NEAR(one.shift, other.shift, 1e-12) << i;
  }
}

TEST(GateProperties, ABaselineRunAtTheMedianFailsNoRun) {
  Dice dice(2);
  int passes = 0;
  for (int i = 0; i < kComparisons; ++i) {
    TwoSides drawn = DrawSides(dice);
    if (drawn.base.size() % 2 == 0) drawn.base.pop_back();
    const stats::Comparison before = AnswerToSides(drawn);
    const auto level = [](stats::Times times) {
      std::ranges::nth_element(times,
                               times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
      return times[times.size() / 2];
    };
    stats::Runs by_level = drawn.base;
    std::ranges::sort(by_level, {}, level);
    drawn.base.push_back(by_level[by_level.size() / 2]);
    const stats::Comparison after = AnswerToSides(drawn);
    passes += before.change == stats::Change::kPass;
    if (before.change == stats::Change::kPass) {
      EXPECT_NE(after.change, stats::Change::kFail) << i;
    }
  }
  EXPECT_GT(passes, kComparisons / 5);
}

Snapshot DrawWork(Dice& dice, double level) {
  Snapshot run = testing::Sample(level);
  run.work.iterations = static_cast<std::int64_t>(run.iteration_times.size());
  run.work.has_gpu = true;
  for (int i = dice.Whole(2, 8); i > 0; --i) {
    analysis::breakdown::WorkSum& sum = run.work.kernels.emplace_back();
    sum.name = "kernel_" + std::string(1, static_cast<char>('a' + i));
    sum.count = run.work.iterations * dice.Whole(1, 40) * 60;
    sum.gpu_time = sum.count * dice.Whole(5, 500);
  }
  return run;
}

stats::Change AnswerToSides(const Snapshot& base, const Snapshot& current) {
  const std::vector<Snapshot> runs(5, base);
  const RunComparison comparison = CompareRuns(runs, std::vector{current}, nullptr);
  return testing::Find(comparison, "iteration.time.median").verdict;
}

// As marked iterations are that hold a part of the work.
TEST(GateProperties, APartOfTheLaunchesIsNoImprovement) {
  Dice dice(3);
  for (int i = 0; i < kComparisons; ++i) {
    const Snapshot base = DrawWork(dice, 1);
    Snapshot part = base;
    const int m = dice.Whole(2, 6);
    for (analysis::breakdown::WorkSum& sum : part.work.kernels) {
      sum.count /= m;
      sum.gpu_time /= m;
    }
    for (Ns& time : part.iteration_times)
      time = static_cast<Ns>(static_cast<double>(time) * dice.Real(0.98, 1.02) / m);
    EXPECT_NE(AnswerToSides(base, part), stats::Change::kImproved) << i;
    EXPECT_NE(AnswerToSides(base, part), stats::Change::kPass) << i;
  }
}

TEST(GateProperties, RenamedKernelsPassOnlyByCountedSamples) {
  Dice dice(4);
  for (int i = 0; i < kComparisons; ++i) {
    const Snapshot base = DrawWork(dice, 1);
    Snapshot renamed = base;
    for (analysis::breakdown::WorkSum& sum : renamed.work.kernels) sum.name = "other_" + sum.name;
    const double level = dice.Real(0.4, 1.02);
    for (Ns& time : renamed.iteration_times)
      time = static_cast<Ns>(static_cast<double>(time) * level);
    const stats::Change change = AnswerToSides(base, renamed);
    EXPECT_EQ(change, stats::Change::kInconclusive) << i << " at " << level;
  }
  Snapshot counted = DrawWork(dice, 1);
  counted.samples = 64;
  Snapshot renamed = counted;
  for (analysis::breakdown::WorkSum& sum : renamed.work.kernels) sum.name = "other_" + sum.name;
  EXPECT_EQ(AnswerToSides(counted, renamed), stats::Change::kPass);
}

}  // namespace
}  // namespace profgauge::gate
