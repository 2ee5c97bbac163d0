// Means, periods, sums and doubts of times beside the limits on them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
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
using testing::On;
using testing::Only;
using testing::Sample;
using testing::WithMetric;
using testing::Words;

// The mean, which a median does not see: over its limit it is no pass.
TEST(CompareRuns, MeanUsesItsOwnLimit) {
  struct Row {
    double stall;  ///< One iteration of 20 takes this many of their lengths.
    std::optional<Amount> increase, decrease;
    std::optional<double> min_abs;
    bool base_stalls;
    std::string_view answer;
  };
  constexpr Amount kTenth{0.1, true}, kAmount{200'000, false};
  const Row kRows[] = {
      {2.5, kTenth, {}, {}, false, "pass"},
      // One of 20 may be chance up to three limits.
      {6, kTenth, {}, {}, false, "pass"},
      {8, kTenth, {}, {}, false, "inconclusive over"},
      {10, kAmount, {}, {}, false, "pass"},
      {14, kAmount, {}, {}, false, "inconclusive over"},
      {8, kTenth, {}, 300'000, false, "inconclusive over"},
      {8, kTenth, {}, 400'000, false, "pass"},
      {8, {}, kTenth, {}, false, "pass"},
      {8, {}, kTenth, {}, true, "pass"},
      {8, kTenth, {}, {}, true, "pass"},
  };
  for (const Row& row : kRows) {
    Snapshot even = WithMetric("x", {}), stalled = even;
    stalled.iteration_times[9] = static_cast<Ns>(1e6 * row.stall);
    rules::BaselineLimit limit = On("iteration.time.mean", row.increase, row.decrease);
    limit.min_abs = row.min_abs;
    const MetricComparison of =
        row.base_stalls ? Compared({stalled}, {even}, limit) : Compared({even}, {stalled}, limit);
    EXPECT_EQ(Words(of), row.answer) << row.stall << row.base_stalls;
    // A limit on the typical iteration holds the total to the same.
    limit.metric = "iteration.time.median";
    const MetricComparison median =
        row.base_stalls ? Compared({stalled}, {even}, limit) : Compared({even}, {stalled}, limit);
    EXPECT_EQ(Words(median), row.answer) << row.stall;
  }
  // A failure of the typical iteration stays one.
  EXPECT_EQ(Words(Compared({WithMetric("x", {})}, {WithMetric("x", {}, 1.3)},
                           On("iteration.time.mean", kTenth))),
            "fail");
  // The mean over the runs.
  Snapshot even = WithMetric("x", {}), stalled = even;
  stalled.iteration_times[9] *= 11;
  const rules::BaselineLimit limit = On("iteration.time.mean", kTenth);
  EXPECT_EQ(Words(Compared({even}, {even, stalled, even}, limit)), "pass");
  EXPECT_EQ(Words(Compared({even}, {even, stalled, stalled}, limit)), "inconclusive over");
  EXPECT_EQ(Words(Compared({even, stalled, stalled}, {stalled}, limit)), "pass");
}

// Every reason to doubt a time counts where nothing fails, and only there.
TEST(CompareRuns, CertainFailureBeatsDoubts) {
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
       {Row{"iteration.time.median", 1, 0, "inconclusive over"},
        Row{"iteration.time.median", 1.3, 0, "fail"},
        Row{"profile.kernel_time", 1, 100, "inconclusive over"},
        Row{"profile.kernel_time", 1, 200, "fail"}, Row{"gpu.idle.mean", 1, 0.2, "pass"}}) {
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
TEST(CompareRuns, OneOtherDefinitionSuffices) {
  Snapshot now = WithMetric("x", {}), old = now;
  old.definitions["gpu.idle.mean"] += 1;
  const rules::BaselineLimit limit = On("gpu.idle.mean", Amount{0.05, true});
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

TEST(CompareRuns, OneSidedTimesAreMissing) {
  const rules::BaselineLimit limit = On("iteration.time.p95", Amount{0.05, true});
  Snapshot timed = WithMetric("iteration.time.p95", 1e6), untimed = timed, mostly = timed;
  untimed.iteration_times = {0};
  std::fill(mostly.iteration_times.begin(), mostly.iteration_times.begin() + 15, 0);
  const auto said = [&](const std::vector<Snapshot>& bases, const std::vector<Snapshot>& runs) {
    const MetricComparison of = Compared(bases, runs, limit);
    return of.is_missing ? of.reason : "";
  };
  EXPECT_EQ(said({timed}, {timed}), "");
  EXPECT_EQ(
      Compared({timed}, {untimed}, On("iteration.period.median", Amount{0.05, true})).reason,
      "this run has no iteration times: its format has only durations or sums [baseline/no-times]");
  EXPECT_EQ(
      said({timed}, {untimed}),
      "this run has no iteration times: its format has only durations or sums [baseline/no-times]");
  EXPECT_EQ(said({untimed}, {timed}),
            "the baseline has no iteration times: its format has only durations or sums "
            "[baseline/no-times]");
  EXPECT_EQ(said({untimed}, {mostly}),
            "the baseline has no iteration times: its format has only durations or sums "
            "[baseline/no-times]");
  EXPECT_EQ(said({timed, untimed}, {timed}),
            "the baseline has no iteration times: most iterations have no separate length "
            "[baseline/no-times]");
  EXPECT_EQ(said({timed}, {timed, mostly}),
            "this run has no iteration times: most iterations have no separate length "
            "[baseline/no-times]");
}

// Sums are of as many iterations as the first run of the baseline has.
TEST(CompareRuns, SumsScaleToFirstBaselineRun) {
  const auto run = [](double iterations, double each) {
    Snapshot snapshot = WithMetric("profile.kernel_time", iterations * each);
    snapshot.metrics["profile.iterations"] = iterations;
    snapshot.metrics["memory.peak_allocated"] = iterations * each;
    return snapshot;
  };
  const MetricComparison sum = Compared({run(20, 100), run(10, 300)}, {run(40, 200)},
                                        On("profile.kernel_time", Amount{0.05, true}));
  EXPECT_EQ(sum.base, 4000);  // The mean of 2000 and 6000.
  EXPECT_EQ(sum.current, 4000);
  const MetricComparison peak = Compared({run(20, 100), run(10, 300)}, {run(40, 200)},
                                         On("memory.peak_allocated", Amount{0.05, true}));
  EXPECT_EQ(peak.base, 2500);
  EXPECT_EQ(peak.current, 8000);
}

// The time from start to start adds information if anything is between.
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

// Warm-up of periods is found in these, and as many of them are skipped.
TEST(CompareRuns, PeriodsHaveSeparateWarmUp) {
  Snapshot base = WithMetric("x", {}), current = base;
  for (Snapshot* run : {&base, &current}) {
    run->iteration_periods = run->iteration_times;
    run->iteration_periods.pop_back();
  }
  for (std::size_t i = 0; i < 4; ++i) current.iteration_periods[i] *= 4;
  const rules::PolicyBaseline policy = Only(On("iteration.period.median", Amount{0.05, true}));
  const RunComparison all = CompareRuns(std::vector{base}, std::vector{current}, &policy);
  EXPECT_EQ(all.notes,
            std::vector<std::string>{"iterations 0–3 of candidate run run are slower than the "
                                     "rest: the typical iteration excludes them"});
  EXPECT_EQ(all.metrics.front().current, all.metrics.front().base);
}

TEST(CompareRuns, LimitIsShownAsWritten) {
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

// In an even number of runs, the earlier of the two in the middle.
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

TEST(CompareRuns, SaysThatARunIsOfItsBaseline) {
  Snapshot same = Sample(1), other = Sample(1);
  same.source = "a";
  other.source = "b";
  EXPECT_EQ(CompareRuns(std::vector{same, other}, std::vector{other, same}, nullptr).notes.size(),
            2U);
  EXPECT_EQ(CompareRuns(std::vector{same}, std::vector{other}, nullptr).notes.size(), 0U);
}

// Validation after some iterations is in the mean from start to start, not in the median.
TEST(CompareRuns, PeriodMeanIncludesTimeBetween) {
  const auto validating = [](int every, Ns length) {
    Snapshot run = WithMetric("x", {});
    for (std::size_t i = 0; i + 1 < run.iteration_times.size(); ++i) {
      const bool validates = static_cast<int>(i) % every == 0;
      run.iteration_periods.push_back(run.iteration_times[i] + (validates ? length : 0));
    }
    return run;
  };
  const rules::BaselineLimit limit = On("iteration.period.mean", Amount{0.05, true});
  const Snapshot base = validating(2, 0);
  EXPECT_EQ(Words(Compared({base, base, base}, {base}, limit)), "pass");
  const MetricComparison slower = Compared({base, base, base}, {validating(3, 1'000'000)}, limit);
  EXPECT_EQ(Words(slower), "fail");
  EXPECT_NEAR(slower.shift, 0.35, 0.03);
  EXPECT_EQ(Words(Compared({base}, {base}, On("iteration.time.mean", Amount{0.05, true}))), "pass");
}

}  // namespace
}  // namespace profgauge::gate
