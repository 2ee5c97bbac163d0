// The changes that a baseline can find, as text.
#include "gate/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "compare_fixture.h"

namespace profgauge::gate {
namespace {

using testing::Sample;

std::vector<Snapshot> RunsOf(std::vector<double> levels) {
  std::vector<Snapshot> runs;
  for (const double level : levels) runs.push_back(Sample(level));
  return runs;
}

TEST(BaselinePower, MeasuresTheNoiseBetweenRuns) {
  const BaselinePower power = MeasurePower(RunsOf({1, 1.02, 0.98}), {});
  EXPECT_EQ(power.runs, 3);
  EXPECT_EQ(power.iterations, 20);
  EXPECT_EQ(power.fails, 0);
  EXPECT_NEAR(power.between, 0.02, 0.001);
  EXPECT_NEAR(power.noise_floor, 0.021, 0.001);
  EXPECT_LT(power.spread, 0.01);
  EXPECT_EQ(power.stalls, 0);
}

TEST(BaselinePower, FewRunsShowNoLessNoiseThanTheDefault) {
  const BaselinePower few = MeasurePower(RunsOf({1, 1.0005, 0.9995}), {});
  EXPECT_EQ(few.noise_floor, 0.01);
  EXPECT_THAT(PowerText(few, 0.05), ::testing::HasSubstr("Keep the default `noise_floor: 1.0%`"));
  std::vector<double> levels;
  for (int i = 0; i < 10; ++i) levels.push_back(1 + 0.0005 * (i % 3 - 1));
  const BaselinePower many = MeasurePower(RunsOf(levels), {});
  EXPECT_LT(many.noise_floor, 0.002);
  EXPECT_THAT(PowerText(many, 0.05), ::testing::HasSubstr("Write into the policy: "));
}

TEST(BaselinePower, FindsAnUnrelatedRun) {
  const BaselinePower power = MeasurePower(RunsOf({1, 1.001, 0.999, 1.3}), {});
  EXPECT_EQ(power.fails, 1);
  std::vector<Snapshot> stalling = RunsOf({1, 1, 1});
  for (Snapshot& run : stalling) run.iteration_times[9] *= 5;
  EXPECT_NEAR(MeasurePower(stalling, {}).stalls, 4.0 / 24, 0.01);
}

TEST(BaselinePower, MoreIterationsAndRunsFindLess) {
  BaselinePower power;
  power.spread = 0.02;
  power.correlation = 0.2;
  power.noise_floor = power.between = 0.01;
  double last = 1;
  for (const int iterations : {5, 12, 50, 200}) {
    const double seen = SeenWith(power, iterations, 1, 0.05);
    EXPECT_LT(seen, last);
    EXPECT_LT(SeenWith(power, iterations, 5, 0.05), seen);
    EXPECT_GT(seen, 0.05);
    last = seen;
  }
  EXPECT_THAT(PowerText(power, 0.05), ::testing::HasSubstr("noise_floor: 1.0%"));
  // Where runs differ much, the slowest of ten lies over the others by 1.54 of their spreads.
  power.noise_floor = power.between = 0.05;
  EXPECT_NEAR(SeenWith(power, 1000, 10, 0.05), std::expm1(0.05 * 1.54 + 0.0244 + 2.5 * 0.05), 2e-3);
}

}  // namespace
}  // namespace profgauge::gate
