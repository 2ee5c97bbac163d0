// How each limit on a change is compared with numbers and series, at its edges.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "compare_fixture.h"
#include "gate/compare.h"
#include "held_limits.h"

namespace profgauge::gate {
namespace {

using testing::Amount;
using testing::Compared;
using testing::Find;
using testing::On;
using testing::Only;
using testing::Sample;
using testing::WithMetric;
using testing::Words;

// A share of the baseline's value, or an amount in the metric's unit; in each direction.
TEST(CompareRuns, ComparesWithEachDirectionsLimit) {
  constexpr Amount kTenth{0.125, true}, kTwelve{12, false}, kNone{0, true};
  struct Row {
    double base, current;
    std::optional<Amount> increase, decrease;
    double min_abs;
    std::string_view answer;
    bool is_relative;
  };
  const Row kRows[] = {
      {100, 112.5, kTenth, {}, 0, "pass", true},
      {100, 113, kTenth, {}, 0, "fail", true},
      {100, 10, kTenth, {}, 0, "pass", true},
      {100, 112, kTwelve, {}, 0, "pass", false},
      {100, 112.5, kTwelve, {}, 0, "fail", false},
      {100, 87.5, {}, kTenth, 0, "pass", true},
      {100, 87, {}, kTenth, 0, "fail", true},
      {100, 900, {}, kTenth, 0, "pass", true},
      {100, 88, {}, kTwelve, 0, "pass", false},
      {100, 87.5, {}, kTwelve, 0, "fail", false},
      // If one of two limits is missed, that one gives the text.
      {100, 113, kTenth, kTwelve, 0, "fail", true},
      {100, 87, kTenth, kTwelve, 0, "fail", false},
      {100, 88, kTenth, kTwelve, 0, "pass", true},
      // Less than min_abs never counts.
      {100, 120, kTenth, {}, 20, "fail", true},
      {100, 120, kTenth, {}, 20.5, "pass", true},
      {100, 80, {}, kTenth, 20, "fail", true},
      {100, 80, {}, kTenth, 20.5, "pass", true},
      {0, 0, kTenth, kTenth, 0, "pass", true},
      {0, 1, kTenth, kTenth, 0, "fail", true},
      {-100, -90, kTenth, {}, 0, "pass", true},
      {-100, -80, kTenth, {}, 0, "fail", true},
      // The last digit of a file is none.
      {1000, 1000 + 5e-10, kNone, {}, 0, "pass", true},
      {1000, 1000 + 5e-9, kNone, {}, 0, "fail", true},
      {1000, 1000 - 5e-10, {}, kNone, 0, "pass", true},
      {1000, 1000 - 5e-9, {}, kNone, 0, "fail", true},
  };
  for (const Row& row : kRows) {
    rules::BaselineLimit limit = On("gpu.temperature.max", row.increase, row.decrease);
    for (const char* metric : {"memory.peak_allocated", "gpu.idle.time.mean"}) {
      limit.metric = metric;
      if (row.min_abs > 0) limit.min_abs = row.min_abs;
      const MetricComparison of =
          Compared({WithMetric(metric, row.base)}, {WithMetric(metric, row.current)}, limit);
      EXPECT_EQ(Words(of), row.answer) << row.base << " " << row.current << " " << row.min_abs;
      EXPECT_EQ(of.is_relative, row.is_relative) << row.base << " " << row.current;
      EXPECT_EQ(of.method, CompareMethod::kValue);
      EXPECT_EQ(of.base, row.base);
      EXPECT_EQ(of.current, row.current);
    }
  }
}

// Counts that never vary: a change in the unlimited direction is an improvement.
// More kernels on matrix units are an improvement only without more kernels of all kinds.
TEST(CompareRuns, MoreMatrixKernelsAmongMoreKernels) {
  constexpr std::string_view kMatrix = "tensor_core.kernels_per_iteration",
                             kAll = "kernel.count_per_iteration";
  for (const auto& [kernels, answer] : {std::pair(40.0, "improved"), std::pair(50.0, "pass")}) {
    Snapshot base = WithMetric(kMatrix, 10), current = WithMetric(kMatrix, 20);
    base.metrics[std::string(kAll)] = 40;
    current.metrics[std::string(kAll)] = kernels;
    EXPECT_EQ(Words(Compared({base}, {current}, On(kMatrix, {}, Amount{0, true}))), answer);
  }
}

TEST(CompareRuns, ExactCountsImproveBeyondLimit) {
  constexpr Amount kNone{0, true}, kHalf{0.5, true};
  struct Row {
    double current;
    std::optional<Amount> increase, decrease;
    std::string_view answer;
  };
  const Row kRows[] = {
      {100, kNone, {}, "pass"},    {101, kNone, {}, "fail"},     {99, kNone, {}, "improved"},
      {100, {}, kNone, "pass"},    {101, {}, kNone, "improved"}, {99, {}, kNone, "fail"},
      {101, kHalf, {}, "pass"},    {99, {}, kHalf, "pass"},      {99, kHalf, kHalf, "pass"},
      {101, kHalf, kHalf, "pass"}, {160, kHalf, kHalf, "fail"},  {40, kHalf, kHalf, "fail"},
      {99, kHalf, {}, "improved"}, {101, {}, kHalf, "improved"},
  };
  for (const Row& row : kRows) {
    for (const char* metric : {"kernel.count_per_iteration", "launch.count_per_iteration"}) {
      const MetricComparison of =
          Compared({WithMetric(metric, 100)}, {WithMetric(metric, row.current)},
                   On(metric, row.increase, row.decrease));
      EXPECT_EQ(Words(of), row.answer) << row.current;
      EXPECT_EQ(of.method, CompareMethod::kExact);
    }
  }
}

TEST(CompareRuns, ExactCountsWarnByDefault) {
  for (const char* metric :
       {"kernel.count_per_iteration", "launch.count_per_iteration",
        "memcpy.h2d.bytes_per_iteration", "memcpy.d2h.bytes_per_iteration",
        "memcpy.d2d.bytes_per_iteration", "tensor_core.kernels_per_iteration"}) {
    const bool more_is_better = metric == std::string_view("tensor_core.kernels_per_iteration");
    const auto compared = [&](std::optional<double> base, std::optional<double> current) {
      return CompareRuns(std::vector{WithMetric(metric, base)},
                         std::vector{WithMetric(metric, current)}, nullptr);
    };
    for (const double current : {999.0, 1000.0, 1001.0}) {
      const RunComparison all = compared(1000, current);
      EXPECT_EQ(all.metrics.size(), 2U) << metric;
      const MetricComparison& of = Find(all, metric);
      const bool is_worse = more_is_better ? current < 1000 : current > 1000;
      EXPECT_EQ(Words(of), current == 1000 ? "pass" : is_worse ? "fail" : "improved") << metric;
      EXPECT_EQ(of.level, rules::Level::kWarn);
    }
    EXPECT_EQ(compared({}, {}).metrics.size(), 1U);
    EXPECT_EQ(compared(1000, {}).metrics.size(), 1U);
  }
}

// The median of the runs' numbers, whichever of them are several.
TEST(CompareRuns, SeveralRunsUseTheirMedian) {
  const auto with = [](std::initializer_list<double> values) {
    std::vector<Snapshot> runs;
    for (const double value : values) runs.push_back(WithMetric("memory.peak_allocated", value));
    return runs;
  };
  const rules::BaselineLimit limit = On("memory.peak_allocated", Amount{0.125, true});
  const MetricComparison of = Compared(with({90, 100, 500}), with({300, 112, 100}), limit);
  EXPECT_EQ(of.base, 100);
  EXPECT_EQ(of.current, 112);
  EXPECT_EQ(of.change, 12);
  EXPECT_EQ(Words(of), "pass");
  EXPECT_EQ(Words(Compared(with({90, 100, 500}), with({300, 113, 100}), limit)), "fail");
  // Runs of the baseline without it show nothing; each candidate must have it.
  std::vector<Snapshot> some = with({100, 100});
  some.front().metrics.erase("memory.peak_allocated");
  EXPECT_EQ(Words(Compared(some, with({112}), limit)), "pass");
  EXPECT_EQ(Compared(some, with({112}), limit).base, 100);
  EXPECT_EQ(Words(Compared(with({100}), some, limit)), "missing");
  std::vector<Snapshot> none = with({100});
  none.front().metrics.erase("memory.peak_allocated");
  EXPECT_EQ(Compared(none, with({100}), limit).reason, "the baseline has no value");
  EXPECT_EQ(Compared(with({100}), none, limit).reason, "this run has no value");
}

// The worse answer of two limits on a series counts, with its text of the change.
TEST(CompareRuns, WorseDirectionCounts) {
  const auto loader = [](double share) {
    Snapshot run = WithMetric("breakdown.dataloader", share);
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      run.iteration_shares["breakdown.dataloader"][i] = share + 0.001 * static_cast<double>(i % 3);
    }
    return run;
  };
  constexpr Amount kTwoPoints{0.02, false}, kTenth{0.1, true}, kDouble{1, true};
  struct Row {
    double base, current;
    std::optional<Amount> increase, decrease;
    std::string_view answer;
    double shift;
    bool is_relative;
  };
  const Row kRows[] = {
      {0.25, 0.35, kTwoPoints, {}, "fail", 0.1, false},
      {0.25, 0.35, {}, kTwoPoints, "improved", 0.1, false},
      {0.25, 0.35, kTwoPoints, kTenth, "fail", 0.1, false},
      {0.25, 0.35, kTenth, kTwoPoints, "fail", 0.4, true},
      {0.25, 0.15, kTwoPoints, kTenth, "fail", -0.4, true},
      {0.25, 0.15, kTenth, kTwoPoints, "fail", -0.1, false},
      {0.25, 0.15, kTwoPoints, {}, "improved", -0.1, false},
      {0.25, 0.15, kTwoPoints, kDouble, "improved", -0.1, false},
      {0.25, 0.35, kDouble, kTwoPoints, "improved", 0.1, false},
      {0.25, 0.251, kTwoPoints, kTenth, "pass", 0.001, false},
      {0.25, 0.30, kTwoPoints, {}, "fail", 0.05, false},
      {0.25, 0.275, kTwoPoints, {}, "fail", 0.025, false},
  };
  for (const Row& row : kRows) {
    const MetricComparison of = Compared({loader(row.base)}, {loader(row.current)},
                                         On("breakdown.dataloader", row.increase, row.decrease));
    EXPECT_EQ(Words(of), row.answer) << row.base << row.current;
    EXPECT_NEAR(of.shift, row.shift, 0.01) << row.base << row.current;
    EXPECT_EQ(of.is_relative, row.is_relative) << row.base << row.current;
    EXPECT_LE(of.low, of.shift);
    EXPECT_GE(of.high, of.shift);
    EXPECT_EQ(of.method, CompareMethod::kStatistics);
    EXPECT_NEAR(of.base, row.base + 0.001, 1e-4);
    EXPECT_NEAR(of.change, row.current - row.base, 1e-4);
  }
}

// If one direction is unknown and the other passes, the question is undecided.
TEST(CompareRuns, UndecidedDirectionBeatsPass) {
  const auto noisy = [](double share) {
    Snapshot run = WithMetric("x", {});
    for (std::size_t i = 0; i < run.iteration_times.size(); ++i) {
      run.iteration_shares["breakdown.dataloader"][i] =
          share + 0.3 * static_cast<double>(i * 7 % 20) / 20;
    }
    return run;
  };
  constexpr Amount kTwoPoints{0.02, false}, kMany{0.5, false};
  const auto answer = [&](double base, double current, Amount increase, Amount decrease) {
    return Words(
        Compared({noisy(base)}, {noisy(current)}, On("breakdown.dataloader", increase, decrease)));
  };
  EXPECT_EQ(answer(0.2, 0.27, kTwoPoints, kMany), "inconclusive over");
  EXPECT_EQ(answer(0.2, 0.13, kMany, kTwoPoints), "inconclusive over");
  // By chance in more than 5 of 100.
  EXPECT_EQ(answer(0.2, 0.23, kTwoPoints, kMany), "pass");
  EXPECT_EQ(answer(0.2, 0.23, kMany, kMany), "pass");
}

// A part of zero has no meaning: the change of a share that was 0 is printed in points.
TEST(CompareRuns, ZeroSharesChangeByPoints) {
  Snapshot base = WithMetric("x", {}), current = base;
  for (double& share : base.iteration_shares["breakdown.dataloader"]) share = 0;
  const MetricComparison of =
      Compared({base}, {current}, On("breakdown.dataloader", Amount{0.1, true}));
  EXPECT_EQ(Words(of), "fail");
  EXPECT_FALSE(of.is_relative);
  EXPECT_NEAR(of.shift, 0.1, 1e-9);
}

TEST(CompareRuns, NamesDecidingSlowIterations) {
  const auto compared = [](double level, const std::vector<std::size_t>& slow, Ns factor) {
    Snapshot current = WithMetric("x", {}, level);
    for (const std::size_t i : slow) current.iteration_times[i] *= factor;
    return Compared({WithMetric("x", {})}, {current},
                    On("iteration.time.median", Amount{0.05, true}));
  };
  EXPECT_NEAR(compared(1.3, {}, 1).shift, 0.3, 1e-3);
  EXPECT_NEAR(*compared(1.3, {}, 1).total, 0.3, 1e-3);
  const MetricComparison part = compared(1, {1, 3, 5, 8, 11, 13, 15, 18}, 3);
  EXPECT_EQ(Words(part), "fail");
  EXPECT_TRUE(part.reason.starts_with("total +80")) << part.reason;
  const MetricComparison start = compared(1, {0, 1, 2, 3, 4, 5, 6}, 3);
  EXPECT_EQ(Words(start), "inconclusive over");
  EXPECT_NE(start.reason.find("with the first 7 iterations (on average 3 times as long; the "
                              "baseline's start costs nothing)"),
            std::string::npos)
      << start.reason;
}

// One run whose number is uncertain is enough, on either side.
TEST(CompareRuns, OneUncertainNumberIsUndecided) {
  const Snapshot sure = WithMetric("gpu.idle.mean", 0.2), worse = WithMetric("gpu.idle.mean", 0.4);
  const auto doubted = [](Snapshot run) {
    run.uncertain = {"gpu.idle.mean"};
    return run;
  };
  const rules::BaselineLimit limit = On("gpu.idle.mean", Amount{0.05, true});
  EXPECT_EQ(Words(Compared({sure, sure}, {worse, worse}, limit)), "fail");
  EXPECT_EQ(Words(Compared({sure, doubted(sure)}, {worse, worse}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({doubted(sure), sure}, {worse, worse}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({sure, sure}, {worse, doubted(worse)}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({sure, sure}, {doubted(worse), worse}, limit)), "inconclusive over");
}

// Lengths and sums of windows need equal work; other numbers, and those of one chip, do not.
// With the noise of several runs, a share with a limit in points changes by points, too.
TEST(CompareRuns, AShareOfSeveralRunsChangesByPoints) {
  std::vector<Snapshot> base;
  for (const double idle : {0.0455, 0.046, 0.0457, 0.0458, 0.0456, 0.0459}) {
    base.push_back(WithMetric("gpu.idle.mean", idle));
  }
  const MetricComparison idle = Compared(base, {WithMetric("gpu.idle.mean", 0.165)},
                                         On("gpu.idle.mean", Amount{0.02, false}));
  EXPECT_EQ(idle.verdict, stats::Change::kFail);
  EXPECT_NEAR(idle.shift, 0.119, 0.001);
  EXPECT_NEAR(idle.allowed, 0.02, 1e-9);
  EXPECT_NE(idle.reason.find("pp"), idle.reason.npos) << idle.reason;
  EXPECT_NE(idle.reason.find("limit +2"), idle.reason.npos) << idle.reason;
}

TEST(CompareRuns, OtherWorkWindowsCompareTheRest) {
  const auto window = [](std::string_view metric, std::int64_t kernels) {
    Snapshot run = WithMetric(metric, 0.5);
    run.environment.emplace_back("iterations", "range");
    run.work.has_gpu = true;
    run.work.iterations = 1;
    run.work.kernels = {{"k", kernels, 1000, 0, {}}};
    return run;
  };
  std::string_view of_a_chip;
  for (const analysis::MetricSpec& spec : analysis::MetricCatalogue()) {
    if (!spec.family.empty() && GrowsWithIterations(spec.id)) of_a_chip = spec.id;
  }
  ASSERT_FALSE(of_a_chip.empty());
  const auto answer = [&](std::string_view metric) {
    return Words(
        Compared({window(metric, 3000)}, {window(metric, 1000)}, On(metric, Amount{0.05, true})));
  };
  EXPECT_EQ(answer("gpu.idle.mean"), "pass");
  EXPECT_EQ(answer(of_a_chip), "pass");
  EXPECT_EQ(answer("profile.kernel_time"), "missing");
  EXPECT_EQ(answer("iteration.time.p95"), "missing");
  EXPECT_EQ(answer("iteration.period.median"), "missing");
}

// A limit in the metric's unit on times, and a floor.
TEST(CompareRuns, LimitsOnTimesMayBeAmounts) {
  const auto answer = [](double level, const rules::BaselineLimit& limit) {
    return Words(Compared({WithMetric("x", {})}, {WithMetric("x", {}, level)}, limit));
  };
  rules::BaselineLimit limit = On("iteration.time.median", Amount{100'000, false});
  EXPECT_EQ(answer(1.05, limit), "pass");
  EXPECT_EQ(answer(1.15, limit), "inconclusive over");  // Three limits are +30 %.
  EXPECT_EQ(answer(1.35, limit), "fail");
  limit = On("iteration.time.median", Amount{0.1, true});
  EXPECT_EQ(answer(1.05, limit), "pass");
  EXPECT_EQ(answer(1.35, limit), "fail");
  limit.min_abs = 400'000;
  EXPECT_EQ(answer(1.35, limit), "pass");
  EXPECT_EQ(answer(1.45, limit), "fail");
  limit = On("iteration.time.median", {}, Amount{0.1, true});
  EXPECT_EQ(answer(0.7, limit), "fail");
  EXPECT_EQ(answer(1.25, limit), "improved");
}

// `strictness: certain` and `noise_floor` of the policy.
TEST(CompareRuns, PolicySetsStrictnessAndNoise) {
  rules::PolicyBaseline policy = Only(On("iteration.time.median", Amount{0.05, true}));
  const auto answer = [&](double level) {
    return Words(
        CompareRuns(std::vector{Sample(1)}, std::vector{Sample(level)}, &policy).metrics.front());
  };
  EXPECT_EQ(answer(1.16), "fail");
  policy.certain = true;
  EXPECT_EQ(answer(1.08), "inconclusive over");
  EXPECT_EQ(answer(1.2), "fail");
  policy.noise_floor = 0.1;
  EXPECT_EQ(answer(1.2), "inconclusive over");
  policy.noise_floor = 0.001;
  EXPECT_EQ(answer(1.16), "fail");
}

}  // namespace
}  // namespace profgauge::gate
