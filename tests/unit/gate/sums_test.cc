// Limits on sums over iterations.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "held_limits.h"

namespace profgauge::gate {
namespace {

using testing::Amount;
using testing::Compared;
using testing::On;
using testing::WithMetric;
using testing::Words;

// A sum over iterations is held with chance over who has the slow ones counted.
TEST(CompareRuns, SumsOverIterationsAreTotals) {
  const auto summing = [](double each, int stalls, double stall) {
    Snapshot run = WithMetric("profile.kernel_time", {});
    auto& values = run.iteration_values["profile.kernel_time"];
    double sum = 0;
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      const bool stalls_here = static_cast<int>(i % 7) == 3 && stalls-- > 0;
      values.push_back(static_cast<Ns>(each * (1e6 + 1e3 * static_cast<double>(i % 5)) *
                                       (stalls_here ? stall : 1)));
      sum += static_cast<double>(values.back());
    }
    run.metrics["profile.kernel_time"] = sum;
    run.metrics["profile.iterations"] = static_cast<double>(values.size());
    return run;
  };
  const rules::BaselineLimit limit = On("profile.kernel_time", Amount{0.05, true});
  const std::vector<Snapshot> base = {summing(1, 0, 1), summing(1, 0, 1), summing(1, 0, 1)};
  EXPECT_EQ(Words(Compared(base, {summing(1.02, 0, 1)}, limit)), "pass");
  EXPECT_EQ(Words(Compared(base, {summing(1.2, 0, 1)}, limit)), "fail");
  // One of 20 takes three times as long: +10 %, which chance makes.
  const MetricComparison stalled = Compared(base, {summing(1, 1, 3)}, limit);
  EXPECT_EQ(Words(stalled), "pass");
  ASSERT_TRUE(stalled.chance.has_value());
  EXPECT_GT(*stalled.chance, 0.05);
  // And nine times as long: +40 %, over three limits.
  EXPECT_EQ(Words(Compared(base, {summing(1, 1, 9)}, limit)), "inconclusive over");
}

// If it is zero in some iterations, chance over the others is counted.
TEST(CompareRuns, SumsOfSomeIterationsAreHeldByChance) {
  const auto loading = [](int waits, Ns wait) {
    Snapshot run = WithMetric("dataloader.exposed_time", static_cast<double>(waits * wait));
    auto& values = run.iteration_values["dataloader.exposed_time"];
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      values.push_back(static_cast<int>(i * 7 % 20) < waits ? wait : 0);
    }
    run.metrics["profile.iterations"] = static_cast<double>(values.size());
    if (run.metrics["dataloader.exposed_time"] == 0) run.iteration_values.clear();
    return run;
  };
  const rules::BaselineLimit limit = On("dataloader.exposed_time", Amount{0.5, true});
  const std::vector<Snapshot> base = {loading(1, 100'000)};
  // Two of 20 wait instead of one: chance.
  const MetricComparison twice = Compared(base, {loading(2, 100'000)}, limit);
  EXPECT_EQ(Words(twice), "pass");
  ASSERT_TRUE(twice.chance.has_value());
  EXPECT_GT(*twice.chance, 0.2);
  EXPECT_NEAR(twice.shift, 1, 1e-9);
  // One in each, four times as long: beyond three limits.
  EXPECT_EQ(Words(Compared(base, {loading(1, 400'000)}, limit)), "inconclusive over");
  // 15 of 20 wait.
  EXPECT_EQ(Words(Compared(base, {loading(15, 100'000)}, limit)), "fail");
  // None does, in either; and the candidate's is the first.
  EXPECT_EQ(Words(Compared({loading(0, 1)}, {loading(0, 1)}, limit)), "pass");
  EXPECT_EQ(Words(Compared({loading(0, 1)}, {loading(1, 1)}, limit)), "inconclusive over");
}

}  // namespace
}  // namespace profgauge::gate
