// Runs on inputs of several lengths.
#include "gate/circumstances.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Sample;

// `lengths`: 1, 2 or 3 for each iteration, which takes that many units.
Snapshot Recorded(const std::vector<int>& lengths, double longest = 1) {
  Snapshot run = Sample(1, static_cast<int>(lengths.size()));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double factor = lengths[i] * (lengths[i] == 3 ? longest : 1);
    run.iteration_times[i] = static_cast<Ns>(factor * static_cast<double>(run.iteration_times[i]));
    run.iteration_shapes.push_back(static_cast<std::uint64_t>(lengths[i]));
  }
  run.parts.front().time =
      std::accumulate(run.iteration_times.begin(), run.iteration_times.end(), Ns{0});
  return run;
}

std::vector<int> Mixed(std::size_t count, std::size_t threes) {
  std::vector<int> lengths;
  for (std::size_t i = 0; i < count; ++i) {
    lengths.push_back(i * 7 % count < threes ? 3 : 1 + static_cast<int>(i % 2));
  }
  return lengths;
}

stats::Change ChangeOf(const Snapshot& base, const Snapshot& current) {
  return Find(CompareRuns(std::vector{base}, std::vector{current}, nullptr),
              "iteration.time.median")
      .verdict;
}

TEST(Inputs, LongerOnesAreNoSlowerProgram) {
  Snapshot base = Recorded(Mixed(24, 6)), longer = Recorded(Mixed(24, 14));
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{longer}, nullptr);
  const MetricComparison& metric = Find(comparison, "iteration.time.median");
  EXPECT_EQ(metric.verdict, stats::Change::kPass) << metric.reason;
  EXPECT_NEAR(metric.shift, 0, 0.005);
  ASSERT_FALSE(comparison.notes.empty());
  EXPECT_NE(comparison.notes.front().find("this run's inputs take +"), std::string::npos)
      << comparison.notes.front();
  base.iteration_shapes.clear();
  EXPECT_NE(ChangeOf(base, longer), stats::Change::kPass);
}

// Periods of a schedule that records two of four iterations: it is unknown whose shapes they have.
TEST(Inputs, PeriodsOfSomeIterationsKeepTheirs) {
  const std::vector<Snapshot> base = {Recorded(Mixed(24, 6))}, longer = {Recorded(Mixed(24, 14))};
  const auto series_of = [](const Snapshot& run, std::size_t step) {
    stats::Series series;
    for (std::size_t i = 0; i + 1 < run.iteration_times.size(); i += step) {
      series.values.push_back(static_cast<double>(run.iteration_times[i]));
    }
    return std::vector<stats::Series>{series};
  };
  for (const std::size_t step : {1U, 2U}) {
    auto there = series_of(base.front(), step), here = series_of(longer.front(), step);
    const std::vector<double> before = here.front().values;
    EXPECT_EQ(TakeOffInputs(base, longer, there, here).is_taken_off, step == 1);
    EXPECT_EQ(here.front().values == before, step == 2);
  }
}

TEST(Inputs, OneLengthThatIsSlowerIsFound) {
  const Snapshot base = Recorded(Mixed(24, 8)), slower = Recorded(Mixed(24, 8), 1.5);
  EXPECT_NE(ChangeOf(base, slower), stats::Change::kPass);
  EXPECT_EQ(ChangeOf(base, base), stats::Change::kPass);
}

TEST(Inputs, OthersThanTheBaselineHasAreNoPass) {
  const Snapshot base = Recorded(Mixed(24, 8));
  Snapshot other = Recorded(Mixed(24, 8));
  for (std::size_t i = 0; i < 8; ++i) other.iteration_shapes[i] = 100 + i;
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{other}, nullptr);
  const MetricComparison& metric = Find(comparison, "iteration.time.median");
  EXPECT_EQ(metric.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(metric.over_limit);
  EXPECT_NE(metric.reason.find("baseline/other-inputs"), std::string::npos) << metric.reason;
  for (Ns& time : other.iteration_times) time *= 4;
  other.parts.front().time *= 4;
  EXPECT_EQ(ChangeOf(base, other), stats::Change::kFail);
}

// A compiler that compiles for each new shape: few iterations, each ten times as long.
TEST(Inputs, SlowOnesOnNewShapesAreNoPass) {
  const Snapshot base = Recorded(Mixed(24, 8));
  Snapshot few = Recorded(Mixed(24, 8));
  for (const std::size_t i : {5U, 11U, 17U}) few.iteration_shapes[i] = 100 + i;
  EXPECT_EQ(ChangeOf(base, few), stats::Change::kPass);
  for (const std::size_t i : {5U, 11U, 17U}) few.iteration_times[i] *= 10;
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{few}, nullptr);
  const MetricComparison& metric = Find(comparison, "iteration.time.median");
  EXPECT_EQ(metric.verdict, stats::Change::kInconclusive) << metric.reason;
  EXPECT_TRUE(metric.over_limit);
  EXPECT_NE(testing::Plain(metric.reason).find("12.5 % of the iterations whose input shapes"),
            std::string::npos)
      << metric.reason;
}

TEST(Inputs, AreKeptInBaselines) {
  const Snapshot run = Recorded(Mixed(6, 2));
  const auto read = ParseBaseline(WriteBaseline({run}), "b.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->front().iteration_shapes, run.iteration_shapes);
  std::string text = WriteBaseline({run});
  text.replace(text.find("0000000000000001"), 16, "000000000000000x");
  EXPECT_EQ(ParseBaseline(text, "b.json").error().where.path, "runs[0].iteration_shapes");
}

}  // namespace
}  // namespace profgauge::gate
