#include "gate/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "analysis/summary/compared_selection.h"
#include "gate/baseline_verdict.h"
#include "readers/load.h"
#include "shared_run.h"

namespace profgauge {
namespace {

using testing::SnapshotOf;

Snapshot Sample(double level, int iterations = 20) {
  Snapshot run;
  run.name = "run";
  run.format = "kineto";
  run.environment = {{"gpu", "Tesla V100"}, {"gpus", "1"}, {"world_size", "1"}};
  for (int i = 0; i < iterations; ++i) {
    run.iteration_times.push_back(static_cast<Ns>(level * (1e6 + 1e3 * (i * 7 % 5))));
  }
  run.iteration_shares["breakdown.dataloader"] =
      std::vector<double>(run.iteration_times.size(), 0.1);
  run.metrics["kernel.count_per_iteration"] = 100;
  run.metrics["gpu.idle.mean"] = 0.2;
  TimePart part;
  part.category = "other";
  part.count = iterations;
  part.time = std::accumulate(run.iteration_times.begin(), run.iteration_times.end(), Ns{0});
  run.parts = {part};
  return run;
}

const MetricComparison& Find(const RunComparison& comparison, const std::string& metric) {
  for (const MetricComparison& row : comparison.metrics) {
    if (row.metric == metric) return row;
  }
  ADD_FAILURE() << "no row for " << metric;
  return comparison.metrics.front();
}

// Most of the run is in none of the iterations that are left.
TEST(CompareRuns, IterationsOfARunThatLostItsMarkersAreNotHeldAgainstIt) {
  for (const double outside : {0.3, 0.9}) {
    Snapshot base = Sample(1), current = Sample(1);
    base.metrics["coverage.outside_share"] = 0.05;
    current.metrics["coverage.outside_share"] = outside;
    const std::vector<Snapshot> bases = {base};
    const RunComparison comparison = CompareRuns(bases, std::vector<Snapshot>{current}, nullptr);
    EXPECT_EQ(Find(comparison, "iteration.time.median").is_missing, outside == 0.9);
    // The other way round nothing is lost.
    const std::vector<Snapshot> lost = {current};
    EXPECT_FALSE(Find(CompareRuns(lost, bases, nullptr), "iteration.time.median").is_missing);
  }
}

// Iterations marked twice as often are half as long, however slow the program became. Another part
// of the work that is gone is a change of the program.
TEST(CompareRuns, IterationsThatAreMarkedOtherwiseAreNotHeldAgainstTheBaseline) {
  const auto launching = [](std::vector<std::int64_t> counts) {
    Snapshot run = Sample(1);
    run.work.iterations = 20;
    run.work.has_gpu = true;
    for (const std::int64_t count : counts) {
      run.work.kernels.push_back({"k" + std::to_string(run.work.kernels.size()), count, 1, 0, {}});
    }
    return run;
  };
  const std::vector<Snapshot> base = {launching({1000, 600, 400, 20})};
  struct Case {
    std::vector<std::int64_t> counts;
    bool is_missing;
  };
  for (const Case& of : {Case{{1000, 600, 400, 20}, false}, Case{{500, 300, 200, 20}, true},
                         Case{{500, 600, 400, 20}, false}, Case{{2000, 1200, 800, 40}, false}}) {
    const RunComparison comparison =
        CompareRuns(base, std::vector<Snapshot>{launching(of.counts)}, nullptr);
    EXPECT_EQ(Find(comparison, "iteration.time.median").is_missing, of.is_missing);
  }
  // Less work that takes longer is slower.
  Snapshot slower = Sample(1.3);
  slower.work = launching({500, 300, 200, 20}).work;
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{slower}, nullptr);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kFail);
  EXPECT_FALSE(Find(comparison, "iteration.time.median").is_missing);
}

// Half of the iterations without a length: nothing is typical of them.
TEST(CompareRuns, IterationsOfNoLengthAreNotHeldAgainstAnything) {
  const std::vector<Snapshot> base = {Sample(1)};
  Snapshot none = Sample(1);
  std::fill(none.iteration_times.begin(), none.iteration_times.begin() + 15, 0);
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{none}, nullptr);
  EXPECT_TRUE(Find(comparison, "iteration.time.median").is_missing);
}

TEST(CompareRuns, ByDefaultGatesTheMedianAtFivePercentAndCountsAsWarnings) {
  const std::vector<Snapshot> base = {Sample(1)};
  Snapshot slower = Sample(1.2);
  slower.metrics["kernel.count_per_iteration"] = 101;
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{slower}, nullptr);
  ASSERT_EQ(comparison.metrics.size(), 2u);
  const auto& time = Find(comparison, "iteration.time.median");
  EXPECT_EQ(time.verdict, stats::Change::kFail);
  EXPECT_EQ(time.level, Level::kError);
  EXPECT_EQ(time.method, CompareMethod::kStatistics);
  EXPECT_NEAR(time.change / time.base, 0.2, 0.001);
  const auto& count = Find(comparison, "kernel.count_per_iteration");
  EXPECT_EQ(count.verdict, stats::Change::kFail);
  EXPECT_EQ(count.level, Level::kWarn);
  EXPECT_EQ(count.method, CompareMethod::kExact);
}

TEST(CompareRuns, ARunAgainstItselfPassesWithZeroChange) {
  const std::vector<Snapshot> base = {Sample(1, 3)};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{base.front()}, nullptr);
  for (const MetricComparison& row : comparison.metrics) {
    EXPECT_EQ(row.verdict, stats::Change::kPass) << row.metric;
    EXPECT_EQ(row.change, 0) << row.metric;
  }
  EXPECT_EQ(comparison.waterfall.delta, 0);
  EXPECT_TRUE(comparison.differences.empty());
}

TEST(CompareRuns, WithoutIterationTimesSaysSoAndExplainsNothing) {
  Snapshot untimed = Sample(1, 0);
  untimed.iteration_times = {0};
  untimed.iteration_shares.clear();
  untimed.parts.clear();
  EXPECT_FALSE(IsTimed(untimed));
  const std::vector<Snapshot> without = {untimed};
  const std::vector<Snapshot> with = {Sample(1)};
  for (const bool base_is_timed : {true, false}) {
    const RunComparison comparison = CompareRuns(base_is_timed ? with : without, without, nullptr);
    const auto& time = Find(comparison, "iteration.time.median");
    EXPECT_TRUE(time.is_missing);
    EXPECT_EQ(time.reason, std::string(base_is_timed ? "this run has" : "the baseline has") +
                               " no iteration times: its format tells durations or sums only");
    EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kPass);
    EXPECT_EQ(comparison.waterfall.base, 0);
    EXPECT_EQ(comparison.waterfall.current, 0);
    EXPECT_TRUE(comparison.waterfall.steps.empty());
  }
}

TEST(CompareRuns, HoldsEachLimitOfThePolicyInItsOwnUnit) {
  PolicyBaseline policy;
  BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = BaselineLimit::Amount{0.05, false};
  BaselineLimit loader;
  loader.metric = "breakdown.dataloader";
  loader.max_increase = BaselineLimit::Amount{0.02, false};
  loader.level = Level::kWarn;
  policy.limits = {idle, loader};
  Snapshot current = Sample(1);
  current.metrics["gpu.idle.mean"] = 0.26;
  for (double& share : current.iteration_shares["breakdown.dataloader"]) share = 0.11;
  const std::vector<Snapshot> base = {Sample(1)};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{current}, &policy);
  EXPECT_EQ(Find(comparison, "gpu.idle.mean").verdict, stats::Change::kFail);
  EXPECT_EQ(Find(comparison, "gpu.idle.mean").limit, "≤ +5 pp");
  EXPECT_EQ(Find(comparison, "breakdown.dataloader").verdict, stats::Change::kPass);
}

// 20 % that became 23 % are over a limit of 5 % and under one of 5 points.
TEST(CompareRuns, ChangesOfSharesAreSaidInTheUnitOfTheirLimit) {
  const auto compare = [](const char* metric, double amount, bool is_relative) {
    PolicyBaseline policy;
    BaselineLimit limit;
    limit.metric = metric;
    limit.max_increase = BaselineLimit::Amount{amount, is_relative};
    policy.limits = {limit};
    Snapshot current = Sample(1);
    current.metrics["gpu.idle.mean"] = 0.23;
    for (double& share : current.iteration_shares["breakdown.dataloader"]) share = 0.12;
    const RunComparison comparison =
        CompareRuns(std::vector{Sample(1)}, std::vector{current}, &policy);
    Verdict verdict;
    verdict.status = VerdictStatus::kPass;
    AddComparison(comparison, {}, verdict);
    std::string said = verdict.reasons.empty() ? "" : verdict.reasons.front();
    for (std::size_t at = 0; (at = said.find("\u202f", at)) != std::string::npos;) {
      said.replace(at, 3, " ");
    }
    return std::pair{comparison.metrics.front(), said};
  };
  const auto [relative, said] = compare("gpu.idle.mean", 0.05, true);
  EXPECT_EQ(relative.verdict, stats::Change::kFail);
  EXPECT_TRUE(relative.is_relative);
  EXPECT_EQ(
      said,
      "gpu.idle.mean changed by +15.0 % (from 20.0 % to 23.0 %) against the baseline, limit ≤ "
      "+5.0 %");
  EXPECT_FALSE(compare("gpu.idle.mean", 0.05, false).first.is_relative);
  EXPECT_EQ(compare("gpu.idle.mean", 0.02, false).second,
            "gpu.idle.mean changed by +3.00 percentage points against the baseline, limit ≤ +2 pp");
  const auto [loader, sentence] = compare("breakdown.dataloader", 0.05, true);
  EXPECT_EQ(loader.verdict, stats::Change::kFail);
  EXPECT_NEAR(loader.shift, 0.2, 1e-9);
  EXPECT_TRUE(sentence.starts_with("breakdown.dataloader: +20")) << sentence;
  EXPECT_NE(sentence.find("limit +5 %"), std::string::npos) << sentence;
  EXPECT_NEAR(compare("breakdown.dataloader", 0.01, false).first.shift, 0.02, 1e-9);
}

TEST(CompareRuns, AMetricThatOneSideLacksIsMissingNotPassed) {
  PolicyBaseline policy;
  BaselineLimit memory;
  memory.metric = "memory.peak_allocated";
  memory.max_increase = BaselineLimit::Amount{0, false};
  policy.limits = {memory};
  const std::vector<Snapshot> base = {Sample(1)};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{Sample(1.01)}, &policy);
  EXPECT_TRUE(comparison.metrics.front().is_missing);
  EXPECT_EQ(comparison.metrics.front().reason, "the baseline has no value");
}

TEST(CompareRuns, SeveralCandidatesAreOneAnswer) {
  const std::vector<Snapshot> base = {Sample(1), Sample(1.01), Sample(0.99)};
  // One of three runs had a bad day.
  const RunComparison comparison =
      CompareRuns(base, std::vector<Snapshot>{Sample(1.3), Sample(1), Sample(1.01)}, nullptr);
  EXPECT_EQ(comparison.current_runs, 3);
  EXPECT_EQ(comparison.baseline_runs, 3);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kPass);
  // All of them are slower.
  const RunComparison slower =
      CompareRuns(base, std::vector<Snapshot>{Sample(1.3), Sample(1.29), Sample(1.31)}, nullptr);
  EXPECT_EQ(Find(slower, "iteration.time.median").verdict, stats::Change::kFail);
  EXPECT_EQ(FindMiddleRun(std::vector<Snapshot>{Sample(3), Sample(1), Sample(2)}), 2u);
}

// Every third iteration twice as long: the typical one stays, and a limit on the mean is no pass.
TEST(CompareRuns, AMeanOverItsLimitIsNoPassWhereTheTypicalIterationStays) {
  Snapshot slower = Sample(1);
  for (std::size_t i = 0; i < slower.iteration_times.size(); i += 8) slower.iteration_times[i] *= 2;
  PolicyBaseline policy;
  BaselineLimit limit;
  limit.metric = "iteration.time.mean";
  limit.max_increase = BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const RunComparison runs = CompareRuns(std::vector{Sample(1)}, std::vector{slower}, &policy);
  const MetricComparison& mean = Find(runs, "iteration.time.mean");
  EXPECT_EQ(mean.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(mean.over_limit);
  EXPECT_NE(mean.reason.find("the mean by +15."), std::string::npos) << mean.reason;
  const RunComparison same = CompareRuns(std::vector{Sample(1)}, std::vector{Sample(1)}, &policy);
  EXPECT_EQ(Find(same, "iteration.time.mean").verdict, stats::Change::kPass);
}

// A file's decimal digits come back one unit in the last place off.
TEST(CompareRuns, TheLastDigitOfAFileIsNoChange) {
  Snapshot current = Sample(1), base = Sample(1);
  base.metrics["kernel.count_per_iteration"] = 214.0 / 23;
  current.metrics["kernel.count_per_iteration"] = std::nextafter(214.0 / 23, 10);
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kPass);
}

TEST(CompareRuns, TimeBetweenIterationsIsJudgedWhereThereIsSome) {
  const auto run = [](Ns between) {
    Snapshot snapshot = Sample(1);
    Ns periods = 0, times = 0;
    for (std::size_t i = 0; i + 1 < snapshot.iteration_times.size(); ++i) {
      snapshot.iteration_periods.push_back(snapshot.iteration_times[i] + between);
      periods += snapshot.iteration_periods.back();
      times += snapshot.iteration_times[i];
    }
    snapshot.metrics["iteration.between_share"] =
        static_cast<double>(periods - times) / static_cast<double>(periods);
    snapshot.metrics["iteration.period.median"] = 1e6 + static_cast<double>(between);
    for (const char* id : {"iteration.between_share", "iteration.period.median"}) {
      snapshot.definitions[id] = FindMetric(id)->definition_number;
    }
    return snapshot;
  };
  const auto compare = [&](Ns base, Ns current) {
    return CompareRuns(std::vector{run(base)}, std::vector{run(current)}, nullptr);
  };
  EXPECT_EQ(Find(compare(0, 500'000), "iteration.period.median").verdict, stats::Change::kFail);
  EXPECT_EQ(Find(compare(0, 500'000), "iteration.time.median").verdict, stats::Change::kPass);
  EXPECT_EQ(Find(compare(500'000, 500'000), "iteration.period.median").verdict,
            stats::Change::kPass);
  const RunComparison none = compare(0, 0);
  EXPECT_TRUE(std::none_of(none.metrics.begin(), none.metrics.end(), [](const MetricComparison& m) {
    return m.metric == "iteration.period.median";
  }));
}

TEST(CompareRuns, FewerLaunchesAreAnImprovement) {
  Snapshot current = Sample(1);
  current.metrics["kernel.count_per_iteration"] = 99;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{Sample(1)}, std::vector<Snapshot>{current}, nullptr);
  EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kImproved);
}

TEST(CompareRuns, WarmUpIsLeftOutAndNamed) {
  Snapshot current = Sample(1);
  current.name = "candidate";
  for (std::size_t i = 0; i < 4; ++i) current.iteration_times[i] *= 4;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{Sample(1)}, std::vector<Snapshot>{current}, nullptr);
  const auto& time = Find(comparison, "iteration.time.median");
  EXPECT_EQ(time.verdict, stats::Change::kPass);
  EXPECT_EQ(comparison.notes,
            std::vector<std::string>{"iterations 0–3 were left out as warm-up of run candidate"});
}

TEST(CompareRuns, WhatIsShownIsWhatIsJudged) {
  // A median of medians jumps between the two modes of the baseline; the median ratio does not.
  Snapshot base = Sample(1), current = Sample(1);
  for (std::size_t i = 0; i < base.iteration_times.size(); ++i) {
    const Ns slow = i % 2 == 0 ? 1'200'000 : 1'000'000;
    base.iteration_times[i] = slow;
    current.iteration_times[i] = slow;
  }
  current.iteration_times[1] = 1'200'000;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{base}, std::vector<Snapshot>{current}, nullptr);
  const auto& time = Find(comparison, "iteration.time.median");
  EXPECT_EQ(time.shift, 0);
  EXPECT_EQ(time.change, 100'000);
}

TEST(CompareRuns, ThreeTimesSlowerFailsAgainstFiveRunsOfWhichSomeLookUnsteady) {
  // The middle of five runs hides nothing, whichever of them begin slowly.
  std::vector<Snapshot> base;
  for (int k = 0; k < 5; ++k) {
    base.push_back(Sample(1 + 0.01 * k, 12));
    for (int i = 0; i <= k; ++i) {
      Ns& time = base.back().iteration_times[static_cast<std::size_t>(i)];
      time += time / 30;
    }
  }
  PolicyBaseline policy;
  BaselineLimit limit;
  limit.metric = "iteration.time.median";
  limit.max_increase = BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{Sample(3, 12)}, &policy);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kFail);
}

TEST(CompareRuns, ACandidateWithoutAValueIsNotHiddenByTheOthers) {
  PolicyBaseline policy;
  BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  Snapshot without = Sample(1);
  without.metrics.erase("gpu.idle.mean");
  const RunComparison comparison = CompareRuns(std::vector<Snapshot>{Sample(1)},
                                               std::vector<Snapshot>{Sample(1), without}, &policy);
  EXPECT_TRUE(comparison.metrics.front().is_missing);
  EXPECT_EQ(comparison.metrics.front().reason, "not all of the runs have a value");
}

TEST(CompareRuns, NumbersOfAnotherDefinitionAreNotCompared) {
  Snapshot now = Sample(1);
  now.definitions["gpu.idle.mean"] = 2;
  PolicyBaseline policy;
  BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  const std::vector<Snapshot> old = {Sample(1)};
  const RunComparison comparison = CompareRuns(old, std::vector<Snapshot>{now}, &policy);
  EXPECT_TRUE(comparison.metrics.front().is_missing);
  EXPECT_EQ(comparison.metrics.front().reason,
            "the baseline has another definition of it (1, now 2): save the baseline again with "
            "`profgauge baseline save` [baseline/old-definition]");
  const std::vector<Snapshot> saved = {now};
  EXPECT_FALSE(CompareRuns(saved, std::vector<Snapshot>{now}, &policy).metrics.front().is_missing);
}

TEST(CompareRuns, AChangeOfAnUncertainNumberIsNoCertainFailure) {
  // What a recording lost looks like idle time; the limit on the number itself leaves it open, too.
  PolicyBaseline policy;
  BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  Snapshot sure = Sample(1), worse = Sample(1);
  worse.metrics["gpu.idle.mean"] += 0.2;
  const auto compare = [&](const Snapshot& base, const Snapshot& current) {
    return CompareRuns(std::vector{base}, std::vector{current}, &policy).metrics.front();
  };
  EXPECT_EQ(compare(sure, worse).verdict, stats::Change::kFail);
  Snapshot doubtful = worse;
  doubtful.uncertain = {"gpu.idle.mean"};
  const MetricComparison open = compare(sure, doubtful);
  EXPECT_EQ(open.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(open.over_limit);
  EXPECT_EQ(open.reason, "this run's value is uncertain");
  Snapshot lossy = sure;
  lossy.uncertain = {"gpu.idle.mean"};
  EXPECT_EQ(compare(lossy, worse).reason, "the baseline's value is uncertain");
  EXPECT_EQ(compare(lossy, doubtful).reason, "each run's value is uncertain");
  EXPECT_EQ(compare(worse, lossy).verdict, stats::Change::kPass);
}

TEST(CompareRuns, SaysWhereARunIsHeldAgainstItself) {
  Snapshot run = Sample(1);
  run.source = "abc";
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{run}, std::vector<Snapshot>{run}, nullptr);
  EXPECT_EQ(comparison.notes,
            std::vector<std::string>{
                "run is the same recording as run of the baseline: it is held against itself"});
}

TEST(FindMisfit, KnowsOtherProgramsAndTheSameRecording) {
  Snapshot run = Sample(1), other = Sample(1);
  run.source = other.source = "abc";
  EXPECT_NE(FindMisfit(run, std::vector<Snapshot>{other}).same, nullptr);
  other.source = "def";
  other.environment[0].second = "NVIDIA H100";
  const std::vector<Snapshot> others = {other};
  EXPECT_EQ(FindMisfit(run, others).same, nullptr);
  ASSERT_EQ(FindMisfit(run, others).differences.size(), 1u);
  EXPECT_EQ(FindMisfit(run, others).differences[0].property, "gpu");
  other = Sample(1);
  other.environment.emplace_back("shape_signature", "1");
  run.environment.emplace_back("shape_signature", "2");
  EXPECT_TRUE(FindMisfit(run, std::vector<Snapshot>{other}).has_other_shapes);
  EXPECT_TRUE(FindMisfit(run, std::vector<Snapshot>{other}).differences.empty());
}

// A window of twelve steps is no iteration that got twelve times slower; nor, the other way round,
// would a slower iteration be a shorter window.
TEST(FindDifferences, IterationsOfAnotherKindAreNotCompared) {
  Snapshot base = Sample(1);
  Snapshot current = Sample(12, 1);
  base.environment.emplace_back("iterations", "ProfilerStep#N");
  current.environment.emplace_back("iterations", "whole profile");
  const RunComparison there = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  EXPECT_FALSE(there.is_comparable);
  ASSERT_FALSE(there.differences.empty());
  EXPECT_EQ(there.differences[0].property, "iterations");
  EXPECT_FALSE(CompareRuns(std::vector{current}, std::vector{base}, nullptr).is_comparable);
}

// More iterations are no more work, and fewer no less.
TEST(CompareRuns, SumsAreComparedAsOfEquallyManyIterations) {
  const auto run = [](int iterations, double kernel_time_each) {
    Snapshot snapshot = Sample(1, iterations);
    snapshot.metrics["profile.iterations"] = iterations;
    snapshot.metrics["profile.kernel_time"] = iterations * kernel_time_each;
    for (const char* id : {"profile.kernel_time", "profile.iterations"}) {
      snapshot.definitions[id] = FindMetric(id)->definition_number;
    }
    return snapshot;
  };
  PolicyBaseline policy;
  BaselineLimit limit;
  limit.metric = "profile.kernel_time";
  limit.max_increase = BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const auto compare = [&](const Snapshot& current) {
    return CompareRuns(std::vector{run(20, 1e6)}, std::vector{current}, &policy);
  };
  const RunComparison fewer = compare(run(15, 1.3e6));
  EXPECT_EQ(fewer.metrics.front().verdict, stats::Change::kFail);
  EXPECT_NEAR(fewer.metrics.front().change, 6e6, 1);
  EXPECT_EQ(fewer.notes, std::vector<std::string>{
                             "sums over iterations (profile.kernel_time) are compared as of "
                             "20 iterations; run run has 15"});
  EXPECT_EQ(compare(run(30, 1e6)).metrics.front().verdict, stats::Change::kPass);
  EXPECT_TRUE(compare(run(20, 1e6)).notes.empty());
}

TEST(GrowsWithIterations, SumsDoAndSharesDoNot) {
  for (const char* sum : {"profile.kernel_time", "profile.wall_time", "breakdown.dataloader.time",
                          "memcpy.h2d.bytes", "communication.time", "critical.host.time"}) {
    EXPECT_TRUE(GrowsWithIterations(sum)) << sum;
  }
  for (const char* other : {"profile.iterations", "gpu.idle.mean", "breakdown.dataloader",
                            "critical.host.share", "memory.peak_allocated", "nothing"}) {
    EXPECT_FALSE(GrowsWithIterations(other)) << other;
  }
}

TEST(FindDifferences, RunsOfOtherSelectionsAreNotCompared) {
  Selection selection;
  EXPECT_EQ(ComparedSelection(selection), kAllIterations);
  selection.iteration_marker = "^step";
  EXPECT_EQ(ComparedSelection(selection), kAllIterations);
  selection.warmup = 3;
  EXPECT_EQ(ComparedSelection(selection), "warmup=3");
  selection.warmup = 0;
  selection.knowledge.undecided_use_tensor_cores = true;
  EXPECT_TRUE(ComparedSelection(selection).starts_with("all iterations knowledge="));
  // A baseline that says nothing was made of all iterations.
  const Snapshot old = Sample(1);
  Snapshot warm = Sample(1);
  warm.environment.emplace_back(kSelectionProperty, "warmup=3");
  const RunComparison other = CompareRuns(std::vector{old}, std::vector{warm}, nullptr);
  EXPECT_FALSE(other.is_comparable);
  EXPECT_EQ(other.differences[0].base, kAllIterations);
  EXPECT_EQ(other.differences[0].current, "warmup=3");
  EXPECT_FALSE(CompareRuns(std::vector{warm}, std::vector{old}, nullptr).is_comparable);
  EXPECT_TRUE(CompareRuns(std::vector{warm}, std::vector{warm}, nullptr).is_comparable);
}

Snapshot Window(double level, std::int64_t kernels, std::string by = "whole profile") {
  Snapshot run = Sample(level, 1);
  run.environment.emplace_back("iterations", std::move(by));
  run.work.has_gpu = true;
  run.work.iterations = 1;
  run.work.kernels = {{"k", kernels, 1000, 0, {}}};
  return run;
}

// Three times slower and stopped after the same time: a third of the work in an equal window.
TEST(CompareRuns, LengthsOfWindowsCountForEqualWorkAlone) {
  const RunComparison slower =
      CompareRuns(std::vector{Window(1, 3000)}, std::vector{Window(1, 1000)}, nullptr);
  EXPECT_TRUE(slower.is_comparable);
  EXPECT_TRUE(Find(slower, "iteration.time.median").is_missing);
  const RunComparison equal =
      CompareRuns(std::vector{Window(1, 3000)}, std::vector{Window(3, 3001)}, nullptr);
  EXPECT_FALSE(Find(equal, "iteration.time.median").is_missing);
  EXPECT_EQ(Find(equal, "iteration.time.median").verdict, stats::Change::kFail);
  // The window that --range cuts is as long as it was asked to be, at any speed.
  const RunComparison cut = CompareRuns(std::vector{Window(1, 3000, "range")},
                                        std::vector{Window(1, 1000, "range")}, nullptr);
  EXPECT_TRUE(cut.is_comparable);
  EXPECT_TRUE(Find(cut, "iteration.time.median").is_missing);
}

TEST(CompareRuns, SumsOverWindowsCountForEqualWorkAlone) {
  PolicyBaseline policy;
  BaselineLimit limit;
  limit.metric = "profile.kernel_time";
  limit.max_increase = BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const auto compare = [&](std::int64_t kernels, double time) {
    const auto window = [](std::int64_t launched, double all) {
      Snapshot run = Window(1, launched);
      run.metrics["profile.kernel_time"] = all;
      run.definitions["profile.kernel_time"] = FindMetric("profile.kernel_time")->definition_number;
      return run;
    };
    return CompareRuns(std::vector{window(3000, 1e6)}, std::vector{window(kernels, time)}, &policy)
        .metrics.front();
  };
  EXPECT_TRUE(compare(1000, 1e6).is_missing);
  EXPECT_FALSE(compare(3001, 3e6).is_missing);
  EXPECT_EQ(compare(3001, 3e6).verdict, stats::Change::kFail);
}

// Whatever a policy takes for the same program: markers that were lost are no speed-up.
TEST(CompareRuns, AWindowHasNoLengthToHoldAgainstIterations) {
  Snapshot slow = Sample(1);
  slow.environment.emplace_back("iterations", "ProfilerStep#N");
  slow.work = Window(1, 1000).work;
  PolicyBaseline lenient;
  lenient.match = std::vector<std::string>{"gpu"};
  const Snapshot lost = Window(1, 1000);
  EXPECT_TRUE(
      Find(CompareRuns(std::vector{slow}, std::vector{lost}, &lenient), "iteration.time.median")
          .is_missing);
  EXPECT_TRUE(
      Find(CompareRuns(std::vector{lost}, std::vector{slow}, &lenient), "iteration.time.median")
          .is_missing);
}

TEST(FindDifferences, OnlyKnownAndListedPropertiesAreHard) {
  Snapshot base = Sample(1);
  Snapshot current = Sample(1);
  current.environment = {{"gpu", "NVIDIA H100"}, {"gpus", "1"}, {"with_stack", "1"}};
  const auto differences = FindDifferences(base, current, {});
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].property, "gpu");
  EXPECT_TRUE(differences[0].is_hard);
  EXPECT_EQ(differences[1].property, "world_size");  // Not recorded on one side.
  EXPECT_FALSE(differences[1].is_hard);
  PolicyBaseline lenient;
  lenient.match = std::vector<std::string>{"with_stack"};
  EXPECT_FALSE(FindDifferences(base, current, lenient)[0].is_hard);
}

// A real change: children sum to their parents down to the kernels, and the top to the change.
void ExpectExactSums(const Waterfall& waterfall) {
  Ns top = 0;
  std::vector<Ns> children(waterfall.steps.size(), 0);
  for (const WaterfallStep& step : waterfall.steps) {
    EXPECT_EQ(step.delta, step.count_effect + step.duration_effect) << step.name;
    (step.parent < 0 ? top : children[static_cast<std::size_t>(step.parent)]) += step.delta;
  }
  for (std::size_t i = 0; i < waterfall.steps.size(); ++i) {
    if (waterfall.steps[i].level == PartLevel::kKernel) continue;
    EXPECT_EQ(children[i], waterfall.steps[i].delta) << waterfall.steps[i].name;
  }
  EXPECT_EQ(top, waterfall.delta);
}

TEST(CompareRuns, FindsTheDataLoaderOnTheV100Pair) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/v100_resnet50/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  const Snapshot base =
      SnapshotOf(folder + "resnet50_num_workers_0__worker0.1623143089861.pt.trace.json.gz");
  const Snapshot current =
      SnapshotOf(folder + "resnet50_num_workers_4__worker0.1623212756351.pt.trace.json.gz");
  const std::vector<Snapshot> bases = {base};
  const RunComparison comparison = CompareRuns(bases, std::vector<Snapshot>{current}, nullptr);
  EXPECT_TRUE(comparison.is_comparable);
  ExpectExactSums(comparison.waterfall);
  // 177.6 ms become about 107 ms, because the loader no longer runs in the training process.
  EXPECT_EQ(comparison.waterfall.steps.front().name, "dataloader");
  EXPECT_LT(comparison.waterfall.steps.front().delta, -50'000'000);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kImproved);
  const std::string text = WriteBaseline({base});
  EXPECT_LT(text.size(), 200'000u);
  const auto again = ParseBaseline(text, "base.json");
  ASSERT_TRUE(again) << again.error().message;
  const RunComparison same = CompareRuns(*again, std::vector<Snapshot>{base}, nullptr);
  EXPECT_EQ(same.waterfall.delta, 0);
  for (const WaterfallStep& step : same.waterfall.steps) EXPECT_EQ(step.delta, 0) << step.name;
}

TEST(CompareRuns, ExplainsControlAndTest) {
  const std::string folder = std::string(PROFGAUGE_SHARED_DIR) + "/data/kineto/hta/trace_diff";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared profiles";
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 2u);
  const std::vector<Snapshot> base = {SnapshotOf(files[0])};
  const RunComparison comparison =
      CompareRuns(base, std::vector<Snapshot>{SnapshotOf(files[1])}, nullptr);
  ExpectExactSums(comparison.waterfall);
  EXPECT_NE(comparison.waterfall.delta, 0);
}

}  // namespace
}  // namespace profgauge
