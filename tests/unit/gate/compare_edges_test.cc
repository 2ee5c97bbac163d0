// How each limit on a change is held against numbers and series, at its edges.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge {
namespace {

using testing::Find;
using testing::Sample;
using Amount = BaselineLimit::Amount;

// A run whose metrics are of today's definitions.
Snapshot WithMetric(std::string_view id, std::optional<double> value, double level = 1) {
  Snapshot run = Sample(level);
  run.metrics.erase("kernel.count_per_iteration");
  if (value) run.metrics[std::string(id)] = *value;
  for (const MetricSpec& spec : MetricCatalogue()) {
    run.definitions[std::string(spec.id)] = spec.definition_number;
  }
  return run;
}

PolicyBaseline Only(const BaselineLimit& limit) {
  PolicyBaseline policy;
  policy.limits = {limit};
  return policy;
}

BaselineLimit On(std::string_view metric, std::optional<Amount> increase,
                 std::optional<Amount> decrease = {}) {
  BaselineLimit limit;
  limit.metric = metric;
  limit.max_increase = increase;
  limit.max_decrease = decrease;
  return limit;
}

MetricComparison Compared(const std::vector<Snapshot>& bases,
                          const std::vector<Snapshot>& candidates, const BaselineLimit& limit) {
  const PolicyBaseline policy = Only(limit);
  return CompareRuns(bases, candidates, &policy).metrics.front();
}

std::string Words(const MetricComparison& of) {
  return of.is_missing
             ? "missing"
             : std::string(stats::ChangeName(of.verdict)) + (of.over_limit ? " over" : "");
}

// A share of the baseline's value, or an amount in the metric's unit; in each direction.
TEST(CompareRuns, HoldsTwoNumbersAgainstTheLimitOfEachDirection) {
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
      // Of two limits that which is missed says how.
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
    BaselineLimit limit = On("gpu.temperature.max", row.increase, row.decrease);
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

// Counts that never vary: what the limit does not look at is an improvement.
TEST(CompareRuns, ExactCountsImproveWhereTheLimitDoesNotLook) {
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

TEST(CompareRuns, ByDefaultEveryExactCountIsAWarning) {
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
      EXPECT_EQ(of.level, Level::kWarn);
    }
    EXPECT_EQ(compared({}, {}).metrics.size(), 1U);
    EXPECT_EQ(compared(1000, {}).metrics.size(), 1U);
  }
}

// The median of the runs' numbers, whichever of them are several.
TEST(CompareRuns, NumbersOfSeveralRunsAreTheirMedian) {
  const auto with = [](std::initializer_list<double> values) {
    std::vector<Snapshot> runs;
    for (const double value : values) runs.push_back(WithMetric("memory.peak_allocated", value));
    return runs;
  };
  const BaselineLimit limit = On("memory.peak_allocated", Amount{0.125, true});
  const MetricComparison of = Compared(with({90, 100, 500}), with({300, 112, 100}), limit);
  EXPECT_EQ(of.base, 100);
  EXPECT_EQ(of.current, 112);
  EXPECT_EQ(of.change, 12);
  EXPECT_EQ(Words(of), "pass");
  EXPECT_EQ(Words(Compared(with({90, 100, 500}), with({300, 113, 100}), limit)), "fail");
  // Runs of the baseline that lack it say nothing; each candidate must have it.
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

// Of two limits on a series the worse answer counts, with what it says of the change.
TEST(CompareRuns, OfBothDirectionsOfASeriesTheWorseCounts) {
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
    EXPECT_NEAR(of.base, row.base + 0.001, 1e-9);
    EXPECT_NEAR(of.change, row.current - row.base, 1e-9);
  }
}

// Where one direction cannot be told and the other passes, the question is open.
TEST(CompareRuns, OfBothDirectionsAnOpenOneCountsMoreThanAPass) {
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
  EXPECT_EQ(answer(0.2, 0.23, kTwoPoints, kMany), "inconclusive over");
  EXPECT_EQ(answer(0.2, 0.17, kMany, kTwoPoints), "inconclusive over");
  EXPECT_EQ(answer(0.2, 0.23, kMany, kMany), "pass");
}

// Of nothing there is no part: the change of a share that was 0 is said in points.
TEST(CompareRuns, AShareThatWasNothingChangesByPoints) {
  Snapshot base = WithMetric("x", {}), current = base;
  for (double& share : base.iteration_shares["breakdown.dataloader"]) share = 0;
  const MetricComparison of =
      Compared({base}, {current}, On("breakdown.dataloader", Amount{0.1, true}));
  EXPECT_EQ(Words(of), "fail");
  EXPECT_FALSE(of.is_relative);
  EXPECT_NEAR(of.shift, 0.1, 1e-9);
}

TEST(CompareRuns, SaysWhatSlowIterationsDecided) {
  const auto compared = [](double level, const std::vector<std::size_t>& slow, Ns factor) {
    Snapshot current = WithMetric("x", {}, level);
    for (const std::size_t i : slow) current.iteration_times[i] *= factor;
    return Compared({WithMetric("x", {})}, {current},
                    On("iteration.time.median", Amount{0.05, true}));
  };
  EXPECT_FALSE(compared(1.3, {}, 1).by_slow_part);
  EXPECT_NEAR(compared(1.3, {}, 1).shift, 0.3, 1e-3);
  const MetricComparison part = compared(1, {1, 3, 5, 8, 11, 13, 15, 18}, 3);
  EXPECT_TRUE(part.by_slow_part);
  EXPECT_NE(Words(part), "pass");
  const MetricComparison start = compared(1, {0, 1, 2, 3, 4, 5, 6}, 3);
  EXPECT_TRUE(start.by_slow_part);
  EXPECT_EQ(Words(start), "inconclusive over");
}

// One run whose number is uncertain is enough, on either side.
TEST(CompareRuns, OneUncertainNumberOfSeveralLeavesItOpen) {
  const Snapshot sure = WithMetric("gpu.idle.mean", 0.2), worse = WithMetric("gpu.idle.mean", 0.4);
  const auto doubted = [](Snapshot run) {
    run.uncertain = {"gpu.idle.mean"};
    return run;
  };
  const BaselineLimit limit = On("gpu.idle.mean", Amount{0.05, true});
  EXPECT_EQ(Words(Compared({sure, sure}, {worse, worse}, limit)), "fail");
  EXPECT_EQ(Words(Compared({sure, doubted(sure)}, {worse, worse}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({doubted(sure), sure}, {worse, worse}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({sure, sure}, {worse, doubted(worse)}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({sure, sure}, {doubted(worse), worse}, limit)), "inconclusive over");
}

// Lengths and sums of windows need equal work; other numbers, and what one chip did, do not.
TEST(CompareRuns, WindowsOfOtherWorkAreComparedInAllElse) {
  const auto window = [](std::string_view metric, std::int64_t kernels) {
    Snapshot run = WithMetric(metric, 0.5);
    run.environment.emplace_back("iterations", "range");
    run.work.has_gpu = true;
    run.work.iterations = 1;
    run.work.kernels = {{"k", kernels, 1000, 0, {}}};
    return run;
  };
  std::string_view of_a_chip;
  for (const MetricSpec& spec : MetricCatalogue()) {
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
  const auto answer = [](double level, const BaselineLimit& limit) {
    return Words(Compared({WithMetric("x", {})}, {WithMetric("x", {}, level)}, limit));
  };
  BaselineLimit limit = On("iteration.time.median", Amount{100'000, false});
  EXPECT_EQ(answer(1.05, limit), "pass");
  EXPECT_EQ(answer(1.15, limit), "fail");
  limit = On("iteration.time.median", Amount{0.1, true});
  EXPECT_EQ(answer(1.05, limit), "pass");
  EXPECT_EQ(answer(1.15, limit), "fail");
  limit.min_abs = 200'000;
  EXPECT_EQ(answer(1.15, limit), "pass");
  EXPECT_EQ(answer(1.25, limit), "fail");
  limit = On("iteration.time.median", {}, Amount{0.1, true});
  EXPECT_EQ(answer(0.8, limit), "fail");
  EXPECT_EQ(answer(1.25, limit), "improved");
}

// `strictness: certain` and `noise_floor` of the policy.
TEST(CompareRuns, ThePolicySaysHowSureAndHowNoisy) {
  PolicyBaseline policy = Only(On("iteration.time.median", Amount{0.05, true}));
  const auto answer = [&](double level) {
    return Words(
        CompareRuns(std::vector{Sample(1)}, std::vector{Sample(level)}, &policy).metrics.front());
  };
  EXPECT_EQ(answer(1.08), "fail");
  policy.certain = true;
  EXPECT_EQ(answer(1.08), "inconclusive over");
  EXPECT_EQ(answer(1.2), "fail");
  policy.noise_floor = 0.1;
  EXPECT_EQ(answer(1.2), "inconclusive over");
  policy.noise_floor = 0.001;
  EXPECT_EQ(answer(1.08), "fail");
}

// The mean, which a median does not see: over its limit it is no pass.
TEST(CompareRuns, AMeanIsHeldAgainstItsOwnLimit) {
  struct Row {
    double stall;  ///< One iteration of 20 takes so many of their lengths.
    std::optional<Amount> increase, decrease;
    std::optional<double> min_abs;
    bool base_stalls;
    std::string_view answer;
  };
  constexpr Amount kTenth{0.1, true}, kAmount{200'000, false};
  const Row kRows[] = {
      {2.5, kTenth, {}, {}, false, "pass"},
      {4, kTenth, {}, {}, false, "inconclusive over"},
      {4, kAmount, {}, {}, false, "pass"},
      {6, kAmount, {}, {}, false, "inconclusive over"},
      {4, kTenth, {}, 100'000, false, "inconclusive over"},
      {4, kTenth, {}, 200'000, false, "pass"},
      {4, {}, kTenth, {}, false, "pass"},
      {4, {}, kTenth, {}, true, "inconclusive over"},
      {2, {}, kTenth, {}, true, "pass"},
      {4, kTenth, {}, {}, true, "pass"},
  };
  for (const Row& row : kRows) {
    Snapshot even = WithMetric("x", {}), stalled = even;
    stalled.iteration_times[9] = static_cast<Ns>(1e6 * row.stall);
    BaselineLimit limit = On("iteration.time.mean", row.increase, row.decrease);
    limit.min_abs = row.min_abs;
    const MetricComparison of =
        row.base_stalls ? Compared({stalled}, {even}, limit) : Compared({even}, {stalled}, limit);
    EXPECT_EQ(Words(of), row.answer) << row.stall << row.base_stalls;
    limit.metric = "iteration.time.median";
    const MetricComparison median =
        row.base_stalls ? Compared({stalled}, {even}, limit) : Compared({even}, {stalled}, limit);
    EXPECT_EQ(Words(median), "pass");
  }
  // What fails by the typical iteration fails.
  EXPECT_EQ(Words(Compared({WithMetric("x", {})}, {WithMetric("x", {}, 1.3)},
                           On("iteration.time.mean", kTenth))),
            "fail");
  // The mean of the run in the middle.
  Snapshot even = WithMetric("x", {}), stalled = even;
  stalled.iteration_times[9] *= 4;
  const BaselineLimit limit = On("iteration.time.mean", kTenth);
  EXPECT_EQ(Words(Compared({even}, {even, stalled, even}, limit)), "pass");
  EXPECT_EQ(Words(Compared({even}, {even, stalled, stalled}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({even, stalled, stalled}, {stalled}, limit)), "pass");
}

// Every reason to doubt a time counts where nothing fails, and only there.
TEST(CompareRuns, WhatFailsForSureFailsWhateverElseIsDoubted) {
  const auto launching = [](Snapshot run, std::int64_t each) {
    run.work.iterations = 20;
    run.work.has_gpu = true;
    for (const char* name : {"a", "b", "c"}) run.work.kernels.push_back({name, each, 1, 0, {}});
    return run;
  };
  struct Row {
    std::string_view metric;
    double level, value;
    std::string_view answer;
  };
  for (const Row& row :
       {Row{"iteration.time.median", 1, 0, "missing"}, Row{"iteration.time.median", 1.3, 0, "fail"},
        Row{"profile.kernel_time", 1, 100, "missing"}, Row{"profile.kernel_time", 1, 200, "fail"},
        Row{"gpu.idle.mean", 1, 0.2, "pass"}}) {
    const Snapshot base = launching(WithMetric("profile.kernel_time", 100), 1000);
    Snapshot current = launching(WithMetric("profile.kernel_time", 100, row.level), 500);
    if (row.value > 0) current.metrics[std::string(row.metric)] = row.value;
    EXPECT_EQ(Words(Compared({base}, {current}, On(row.metric, Amount{0.05, true}))), row.answer)
        << row.metric << row.level << row.value;
  }
  // Iterations of no length, on either side.
  for (const bool in_base : {true, false}) {
    for (const double level : {1.0, 1.3}) {
      Snapshot base = WithMetric("x", {}), current = WithMetric("x", {}, level);
      (in_base ? base : current).iteration_times[3] = 0;
      for (Snapshot* run : {&base, &current}) {
        run->metrics["iteration.time.median"] = *MedianIteration(*run);
      }
      EXPECT_EQ(Words(Compared({base}, {current}, On("iteration.time.median", Amount{0.05, true}))),
                level > 1 ? "fail" : "missing")
          << in_base;
      EXPECT_EQ(Words(Compared({base}, {current}, On("gpu.idle.mean", Amount{0.05, true}))),
                "pass");
    }
  }
}

// Each run's own definition counts, of several runs too.
TEST(CompareRuns, OneRunOfAnotherDefinitionIsEnough) {
  Snapshot now = WithMetric("x", {}), old = now;
  old.definitions["gpu.idle.mean"] += 1;
  const BaselineLimit limit = On("gpu.idle.mean", Amount{0.05, true});
  EXPECT_EQ(Words(Compared({now, now}, {now, now}, limit)), "pass");
  EXPECT_EQ(Words(Compared({now, old}, {now, now}, limit)), "missing");
  EXPECT_EQ(Words(Compared({now, now}, {now, old}, limit)), "missing");
  EXPECT_TRUE(Compared({now}, {now, old}, limit).reason.starts_with("a run has another"));
  Snapshot other = now;
  other.definitions["iteration.time.median"] += 1;
  EXPECT_EQ(Words(Compared({other}, {now}, On("iteration.time.median", Amount{0.05, true}))),
            "missing");
  EXPECT_TRUE(Compared({old}, {now}, limit).reason.starts_with("the baseline has another"));
}

TEST(CompareRuns, TimesAreMissingWhereASideHasNone) {
  const BaselineLimit limit = On("iteration.time.p95", Amount{0.05, true});
  Snapshot timed = WithMetric("iteration.time.p95", 1e6), untimed = timed, mostly = timed;
  untimed.iteration_times = {0};
  std::fill(mostly.iteration_times.begin(), mostly.iteration_times.begin() + 15, 0);
  const auto said = [&](const std::vector<Snapshot>& bases, const std::vector<Snapshot>& runs) {
    const MetricComparison of = Compared(bases, runs, limit);
    return of.is_missing ? of.reason : "";
  };
  EXPECT_EQ(said({timed}, {timed}), "");
  EXPECT_EQ(Compared({timed}, {untimed}, On("iteration.period.median", Amount{0.05, true})).reason,
            "this run has no iteration times: its format tells durations or sums only");
  EXPECT_EQ(said({timed}, {untimed}),
            "this run has no iteration times: its format tells durations or sums only");
  EXPECT_EQ(said({untimed}, {timed}),
            "the baseline has no iteration times: its format tells durations or sums only");
  EXPECT_EQ(said({untimed}, {mostly}),
            "the baseline has no iteration times: its format tells durations or sums only");
  EXPECT_EQ(said({timed, untimed}, {timed}),
            "the baseline has no iteration times: most iterations have no length of their own");
  EXPECT_EQ(said({timed}, {timed, mostly}),
            "this run has no iteration times: most iterations have no length of their own");
}

// Sums are of as many iterations as the first run of the baseline has.
TEST(CompareRuns, SumsAreScaledToTheFirstRunOfTheBaseline) {
  const auto run = [](double iterations, double each) {
    Snapshot snapshot = WithMetric("profile.kernel_time", iterations * each);
    snapshot.metrics["profile.iterations"] = iterations;
    snapshot.metrics["memory.peak_allocated"] = iterations * each;
    return snapshot;
  };
  const MetricComparison sum = Compared({run(20, 100), run(10, 300)}, {run(40, 200)},
                                        On("profile.kernel_time", Amount{0.05, true}));
  EXPECT_EQ(sum.base, 4000);  // Of 2000 and 6000.
  EXPECT_EQ(sum.current, 4000);
  const MetricComparison peak = Compared({run(20, 100), run(10, 300)}, {run(40, 200)},
                                         On("memory.peak_allocated", Amount{0.05, true}));
  EXPECT_EQ(peak.base, 2500);
  EXPECT_EQ(peak.current, 8000);
}

// The time from start to start says something of its own where anything lies between.
TEST(CompareRuns, PeriodsAreNewsFromAHundredthOn) {
  struct Row {
    std::optional<double> base, current;
    bool is_news;
  };
  for (const Row& row : {Row{0.01, 0.0, true}, Row{0.0, 0.01, true}, Row{0.0099, 0.0099, false},
                         Row{{}, 0.5, true}, Row{0.5, {}, true}, Row{{}, {}, false}}) {
    Snapshot base = WithMetric("iteration.between_share", row.base);
    Snapshot current = WithMetric("iteration.between_share", row.current);
    for (Snapshot* run : {&base, &current}) run->iteration_periods = run->iteration_times;
    const RunComparison all = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
    const bool has = std::any_of(all.metrics.begin(), all.metrics.end(), [](const auto& metric) {
      return metric.metric == "iteration.period.median";
    });
    EXPECT_EQ(has, row.is_news) << row.base.value_or(-1) << row.current.value_or(-1);
    // One run that has some is enough.
    if (row.is_news) {
      const Snapshot none = WithMetric("iteration.between_share", 0.0);
      const RunComparison several =
          CompareRuns(std::vector{base, none}, std::vector{current, none}, nullptr);
      EXPECT_EQ(several.metrics.size(), all.metrics.size());
    }
    // A policy that limits it is asked whatever there is.
    EXPECT_EQ(Words(Compared({base}, {current}, On("iteration.period.median", Amount{0.05, true}))),
              "pass");
  }
}

// Warm-up of periods is found in these, and so many of them are left out.
TEST(CompareRuns, PeriodsHaveAWarmUpOfTheirOwn) {
  Snapshot base = WithMetric("x", {}), current = base;
  for (Snapshot* run : {&base, &current}) {
    run->iteration_periods = run->iteration_times;
    run->iteration_periods.pop_back();
  }
  for (std::size_t i = 0; i < 4; ++i) current.iteration_periods[i] *= 4;
  const PolicyBaseline policy = Only(On("iteration.period.median", Amount{0.05, true}));
  const RunComparison all = CompareRuns(std::vector{base}, std::vector{current}, &policy);
  EXPECT_EQ(all.notes,
            std::vector<std::string>{"iterations 0–3 were left out as warm-up of run run"});
  EXPECT_EQ(all.metrics.front().current, all.metrics.front().base);
}

TEST(CompareRuns, SaysItsLimitAsItIsWritten) {
  struct Row {
    std::string_view metric;
    std::optional<Amount> increase, decrease;
    std::string_view text;
  };
  const Row kRows[] = {
      {"gpu.idle.mean", Amount{0.05, true}, {}, "≤ +5.0 %"},
      {"gpu.idle.mean", Amount{0.025, false}, {}, "≤ +2.5 pp"},
      {"gpu.idle.mean", {}, Amount{0.025, false}, "≥ −2.5 pp"},
      {"gpu.idle.mean", Amount{0.05, true}, Amount{0.1, true}, "≤ +5.0 %, ≥ −10.0 %"},
      {"kernel.count_per_iteration", Amount{0, true}, {}, "≤ 0 %"},
      {"kernel.count_per_iteration", {}, Amount{0, true}, "≥ 0 %"},
      {"memory.peak_allocated", Amount{1048576, false}, {}, "≤ +1.05 MB"},
      {"iteration.time.median", Amount{1'500'000, false}, {}, "≤ +1.50 ms"},
  };
  for (const Row& row : kRows) {
    std::string text = Compared({WithMetric("x", {})}, {WithMetric("x", {})},
                                On(row.metric, row.increase, row.decrease))
                           .limit;
    for (std::size_t at; (at = text.find(kNumberSpace)) != std::string::npos;) {
      text.replace(at, kNumberSpace.size(), " ");
    }
    EXPECT_EQ(text, row.text) << row.metric;
  }
}

// Of an even number of runs the earlier of the two in the middle.
TEST(FindMiddleRun, IsTheOneOfTheMedian) {
  const auto middle = [](std::initializer_list<double> levels) {
    std::vector<Snapshot> runs;
    for (const double level : levels) runs.push_back(Sample(level));
    return FindMiddleRun(runs);
  };
  EXPECT_EQ(middle({1}), 0U);
  EXPECT_EQ(middle({2, 1}), 1U);
  EXPECT_EQ(middle({1, 2}), 0U);
  EXPECT_EQ(middle({3, 1, 2}), 2U);
  EXPECT_EQ(middle({4, 3, 1, 2}), 3U);
  EXPECT_EQ(middle({1, 1, 1}), 1U);
}

TEST(CompareRuns, ExplainsTheRunsInTheMiddle) {
  std::vector<Snapshot> bases = {Sample(3), Sample(1), Sample(2)}, runs = {Sample(5), Sample(4)};
  for (std::size_t i = 0; i < bases.size(); ++i) bases[i].name = fmt::format("b{}", i);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = fmt::format("c{}", i);
  const RunComparison all = CompareRuns(bases, runs, nullptr);
  EXPECT_EQ(all.base_name, "b2");
  EXPECT_EQ(all.current_name, "c1");
  EXPECT_EQ(all.baseline_runs, 3);
  EXPECT_EQ(all.current_runs, 2);
  EXPECT_GT(all.waterfall.delta, 0);
  EXPECT_FALSE(all.values.empty());
  for (std::vector<Snapshot>* side : {&bases, &runs}) {
    for (Snapshot& run : *side) {
      run.work.iterations = 1;
      run.work.has_gpu = true;
      run.work.kernels = {{"k", 1, 1000, 0, {}}};
      run.work.ops = {{"o", 1, 1000, 1000, {}}};
    }
  }
  EXPECT_EQ(CompareRuns(bases, runs, nullptr).kernels.rows.size(), 1U);
  EXPECT_EQ(CompareRuns(bases, runs, nullptr).ops.rows.size(), 1U);
  EXPECT_FALSE(all.alike.empty());
}

// Other work per iteration is compared and told, where an exit code hangs on it.
TEST(CompareRuns, OtherWorkIsToldToWhoJudges) {
  const auto with = [](std::string_view shapes) {
    Snapshot run = Sample(1);
    if (!shapes.empty()) run.environment.emplace_back("shape_signature", shapes);
    return run;
  };
  const auto count = [](const Snapshot& base, const Snapshot& current, const PolicyBaseline* policy,
                        ComparePurpose purpose = ComparePurpose::kJudge) {
    return CompareRuns(std::vector{base}, std::vector{current}, policy, purpose).notes.size();
  };
  EXPECT_EQ(count(with("1"), with("2"), nullptr), 1U);
  EXPECT_EQ(count(with("1"), with("1"), nullptr), 0U);
  EXPECT_EQ(count(with("1"), with(""), nullptr), 0U);
  EXPECT_EQ(count(with(""), with("2"), nullptr), 0U);
  EXPECT_EQ(count(with("1"), with("2"), nullptr, ComparePurpose::kExplain), 0U);
  Snapshot old = Sample(1), now = Sample(1);
  old.environment.emplace_back("driver", "1");
  now.environment.emplace_back("driver", "2");
  EXPECT_EQ(count(old, now, nullptr), 0U);
  PolicyBaseline policy = Only(On("gpu.idle.mean", Amount{0.05, true}));
  policy.match = std::vector<std::string>{"shape_signature"};
  EXPECT_EQ(count(with("1"), with("2"), &policy), 0U);
  // A run of the baseline itself.
  Snapshot same = Sample(1), other = Sample(1);
  same.source = "a";
  other.source = "b";
  EXPECT_EQ(CompareRuns(std::vector{same, other}, std::vector{other, same}, nullptr).notes.size(),
            2U);
  EXPECT_EQ(count(same, other, nullptr), 0U);
}

}  // namespace
}  // namespace profgauge
