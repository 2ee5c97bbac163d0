#include "gate/compare.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "compare_fixture.h"
#include "gate/baseline_verdict.h"
#include "readers/load.h"
#include "shared_run.h"
#include "waterfall_check.h"

namespace profgauge::gate {
namespace {

using testing::ExpectExactSums;
using testing::Find;
using testing::Sample;
using testing::SnapshotOf;

// Half of the iterations without a length: nothing is typical of them.
TEST(CompareRuns, ZeroLengthIterationsAreNotCompared) {
  const std::vector<Snapshot> base = {Sample(1)};
  Snapshot none = Sample(1);
  std::fill(none.iteration_times.begin(), none.iteration_times.begin() + 15, 0);
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{none}, nullptr);
  EXPECT_TRUE(Find(comparison, "iteration.time.median").is_missing);
}

TEST(CompareRuns, DefaultGatesMedianAtFivePercent) {
  const std::vector<Snapshot> base = {Sample(1)};
  Snapshot slower = Sample(1.2);
  slower.metrics["kernel.count_per_iteration"] = 101;
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{slower}, nullptr);
  ASSERT_EQ(comparison.metrics.size(), 2u);
  const auto& time = Find(comparison, "iteration.time.median");
  EXPECT_EQ(time.verdict, stats::Change::kFail);
  EXPECT_EQ(time.level, rules::Level::kError);
  EXPECT_EQ(time.method, CompareMethod::kStatistics);
  EXPECT_NEAR(time.change / time.base, 0.2, 0.001);
  const auto& count = Find(comparison, "kernel.count_per_iteration");
  EXPECT_EQ(count.verdict, stats::Change::kFail);
  EXPECT_EQ(count.level, rules::Level::kWarn);
  EXPECT_EQ(count.method, CompareMethod::kExact);
}

// `compare` without a policy has the words of `check`: +9 % against one run is undecided in both.
TEST(CompareRuns, ExplainingHasTheAnswersOfJudging) {
  for (const double level : {0.8, 1.0, 1.09, 1.5}) {
    const std::vector base = {Sample(1)}, current = {Sample(level)};
    const RunComparison judged = CompareRuns(base, current, nullptr, ComparePurpose::kJudge);
    const RunComparison shown = CompareRuns(base, current, nullptr, ComparePurpose::kExplain);
    const MetricComparison& a = Find(judged, "iteration.time.median");
    const MetricComparison& b = Find(shown, "iteration.time.median");
    EXPECT_EQ(a.verdict, b.verdict) << level;
    EXPECT_EQ(a.over_limit, b.over_limit) << level;
    EXPECT_EQ(a.over_limit, level == 1.09);
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(judged.notes, shown.notes);
    EXPECT_EQ(judged.changed, shown.changed);
  }
}

TEST(CompareRuns, RunAgainstItselfPasses) {
  const std::vector<Snapshot> base = {Sample(1, 3)};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{base.front()}, nullptr);
  for (const MetricComparison& row : comparison.metrics) {
    EXPECT_EQ(row.verdict, stats::Change::kPass) << row.metric;
    EXPECT_EQ(row.change, 0) << row.metric;
  }
  EXPECT_EQ(comparison.waterfall.delta, 0);
  EXPECT_TRUE(comparison.differences.empty());
}

TEST(CompareRuns, MissingIterationTimesAreReported) {
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
    EXPECT_EQ(time.reason,
              std::string(base_is_timed ? "this run has" : "the baseline has") +
                  " no iteration times: its format has only durations or sums [baseline/no-times]");
    EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kPass);
    EXPECT_EQ(comparison.waterfall.base, 0);
    EXPECT_EQ(comparison.waterfall.current, 0);
    EXPECT_TRUE(comparison.waterfall.steps.empty());
  }
}

TEST(CompareRuns, LimitsKeepTheirUnits) {
  rules::PolicyBaseline policy;
  rules::BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = rules::BaselineLimit::Amount{0.05, false};
  rules::BaselineLimit loader;
  loader.metric = "breakdown.dataloader";
  loader.max_increase = rules::BaselineLimit::Amount{0.02, false};
  loader.level = rules::Level::kWarn;
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
TEST(CompareRuns, ShareChangesHaveTheLimitsUnit) {
  const auto compare = [](const char* metric, double amount, bool is_relative) {
    rules::PolicyBaseline policy;
    rules::BaselineLimit limit;
    limit.metric = metric;
    limit.max_increase = rules::BaselineLimit::Amount{amount, is_relative};
    policy.limits = {limit};
    Snapshot current = Sample(1);
    current.metrics["gpu.idle.mean"] = 0.23;
    for (double& share : current.iteration_shares["breakdown.dataloader"]) share = 0.2;
    RunComparison comparison = CompareRuns(std::vector{Sample(1)}, std::vector{current}, &policy);
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
  EXPECT_NEAR(loader.shift, 1, 1e-9);
  EXPECT_TRUE(sentence.starts_with("breakdown.dataloader: 10.0 % → 20.0 % of the time, +100"))
      << sentence;
  EXPECT_NE(sentence.find("limit +5 %"), std::string::npos) << sentence;
  EXPECT_NEAR(compare("breakdown.dataloader", 0.01, false).first.shift, 0.1, 1e-9);
}

TEST(CompareRuns, OneSidedMetricIsMissing) {
  rules::PolicyBaseline policy;
  rules::BaselineLimit memory;
  memory.metric = "memory.peak_allocated";
  memory.max_increase = rules::BaselineLimit::Amount{0, false};
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
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(Find(comparison, "iteration.time.median").over_limit);
  // All of them are slower.
  const RunComparison slower =
      CompareRuns(base, std::vector<Snapshot>{Sample(1.3), Sample(1.29), Sample(1.31)}, nullptr);
  EXPECT_EQ(Find(slower, "iteration.time.median").verdict, stats::Change::kFail);
  EXPECT_EQ(FindMiddleRun(std::vector<Snapshot>{Sample(3), Sample(1), Sample(2)}), 2u);
}

// The total of the iterations, which a median does not see.
TEST(CompareRuns, MeanLimitJudgesTheTotal) {
  Snapshot slower = Sample(1);
  for (std::size_t i = 1; i < slower.iteration_times.size(); i += 4) slower.iteration_times[i] *= 2;
  rules::PolicyBaseline policy;
  rules::BaselineLimit limit;
  limit.metric = "iteration.time.mean";
  limit.max_increase = rules::BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const RunComparison runs = CompareRuns(std::vector{Sample(1)}, std::vector{slower}, &policy);
  const MetricComparison& mean = Find(runs, "iteration.time.mean");
  EXPECT_EQ(mean.verdict, stats::Change::kInconclusive);
  EXPECT_TRUE(mean.over_limit);
  EXPECT_NEAR(mean.shift, 0.25, 0.01);
  EXPECT_TRUE(mean.reason.starts_with("mean +25")) << mean.reason;
  EXPECT_LT(mean.low, mean.shift);
  EXPECT_GT(mean.high, mean.shift);
  const RunComparison same = CompareRuns(std::vector{Sample(1)}, std::vector{Sample(1)}, &policy);
  EXPECT_EQ(Find(same, "iteration.time.mean").verdict, stats::Change::kPass);
}

// A file's decimal digits come back one unit in the last place off.
TEST(CompareRuns, FilesLastDigitIsNoChange) {
  Snapshot current = Sample(1), base = Sample(1);
  base.metrics["kernel.count_per_iteration"] = 214.0 / 23;
  current.metrics["kernel.count_per_iteration"] = std::nextafter(214.0 / 23, 10);
  const RunComparison comparison = CompareRuns(std::vector{base}, std::vector{current}, nullptr);
  EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kPass);
}

TEST(CompareRuns, JudgesTimeBetweenIterations) {
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
      snapshot.definitions[id] = analysis::FindMetric(id)->definition_number;
    }
    return snapshot;
  };
  const auto compare = [&](Ns base, Ns current) {
    return CompareRuns(std::vector{run(base)}, std::vector{run(current)}, nullptr);
  };
  EXPECT_EQ(Find(compare(0, 500'000), "iteration.period.median").verdict, stats::Change::kFail);
  // The total of the iterations counts under a limit on their length, too.
  EXPECT_EQ(Find(compare(0, 500'000), "iteration.time.median").verdict, stats::Change::kFail);
  EXPECT_NEAR(*Find(compare(0, 500'000), "iteration.time.median").total, 0.475, 0.01);
  EXPECT_EQ(Find(compare(500'000, 500'000), "iteration.period.median").verdict,
            stats::Change::kPass);
  const auto has_period = [](const RunComparison& comparison) {
    return std::any_of(
        comparison.metrics.begin(), comparison.metrics.end(),
        [](const MetricComparison& m) { return m.metric == "iteration.period.median"; });
  };
  EXPECT_FALSE(has_period(compare(0, 0)));
  // So do the limits that `init` writes; its own limit is always printed.
  rules::PolicyBaseline policy;
  rules::BaselineLimit limit;
  for (const char* id : {"iteration.time.median", "iteration.period.median"}) {
    limit.metric = id;
    limit.max_increase = rules::BaselineLimit::Amount{0.05, true};
    policy.limits.push_back(limit);
  }
  const auto by_policy = [&](Ns base, Ns current) {
    return CompareRuns(std::vector{run(base)}, std::vector{run(current)}, &policy);
  };
  EXPECT_EQ(Find(by_policy(0, 500'000), "iteration.period.median").verdict, stats::Change::kFail);
  EXPECT_FALSE(has_period(by_policy(0, 0)));
  policy.limits[1].max_increase->value = 0.03;
  EXPECT_TRUE(has_period(by_policy(0, 0)));
}

TEST(CompareRuns, NamesChangesBesideTheSpeed) {
  Snapshot base = Sample(1), current = Sample(1);
  for (Snapshot* run : {&base, &current}) {
    run->work.iterations = 10;
    run->work.has_gpu = true;
    run->work.kernels = {{"gemm", 100, 1000, 0, {}}};
    run->environment.emplace_back("shape_signature", "abc");
  }
  base.environment.emplace_back("driver", "550.54");
  current.environment.emplace_back("driver", "560.35");
  current.work.kernels.push_back({"fused_x", 20, 500, 0, {}});
  const std::vector<Snapshot> bases = {base, base};
  EXPECT_EQ(CompareRuns(bases, std::vector{current}, nullptr).changed,
            "changed: +2 launches per iteration (new: fused_x), driver 550.54 → 560.35");
  EXPECT_EQ(CompareRuns(bases, std::vector{base}, nullptr).changed, "");
  current.work.kernels = {{"gemm_2", 100, 1000, 0, {}}};
  current.environment = base.environment;
  EXPECT_EQ(CompareRuns(bases, std::vector{current}, nullptr).changed,
            "changed: kernels (new: gemm_2; gone: gemm)");
}

TEST(CompareRuns, FewerLaunchesAreAnImprovement) {
  Snapshot current = Sample(1);
  current.metrics["kernel.count_per_iteration"] = 99;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{Sample(1)}, std::vector<Snapshot>{current}, nullptr);
  EXPECT_EQ(Find(comparison, "kernel.count_per_iteration").verdict, stats::Change::kImproved);
}

TEST(CompareRuns, NamesExcludedWarmUp) {
  Snapshot current = Sample(1);
  current.name = "candidate";
  for (std::size_t i = 0; i < 4; ++i) current.iteration_times[i] *= 4;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{Sample(1)}, std::vector<Snapshot>{current}, nullptr);
  const auto& time = Find(comparison, "iteration.time.median");
  // With the start the run takes over three limits longer.
  EXPECT_EQ(time.verdict, stats::Change::kInconclusive);
  EXPECT_NEAR(time.shift, 0, 1e-3);
  EXPECT_EQ(comparison.notes,
            std::vector<std::string>{"iterations 0–3 of candidate run candidate are slower than "
                                     "the rest: the typical iteration excludes them"});
}

TEST(CompareRuns, ShownValuesAreTheJudged) {
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

TEST(CompareRuns, TripleTimeFailsAgainstUnsteadyRuns) {
  // The middle of five runs hides nothing, whichever of them begin slowly.
  std::vector<Snapshot> base;
  for (int k = 0; k < 5; ++k) {
    base.push_back(Sample(1 + 0.01 * k, 12));
    for (int i = 0; i <= k; ++i) {
      Ns& time = base.back().iteration_times[static_cast<std::size_t>(i)];
      time += time / 30;
    }
  }
  rules::PolicyBaseline policy;
  rules::BaselineLimit limit;
  limit.metric = "iteration.time.median";
  limit.max_increase = rules::BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{Sample(3, 12)}, &policy);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kFail);
}

TEST(CompareRuns, ValuelessCandidateIsShown) {
  rules::PolicyBaseline policy;
  rules::BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = rules::BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  Snapshot without = Sample(1);
  without.metrics.erase("gpu.idle.mean");
  const RunComparison comparison = CompareRuns(std::vector<Snapshot>{Sample(1)},
                                               std::vector<Snapshot>{Sample(1), without}, &policy);
  EXPECT_TRUE(comparison.metrics.front().is_missing);
  EXPECT_EQ(comparison.metrics.front().reason, "not all of the runs have a value");
}

TEST(CompareRuns, OtherDefinitionsAreNotCompared) {
  Snapshot now = Sample(1);
  now.definitions["gpu.idle.mean"] = 2;
  rules::PolicyBaseline policy;
  rules::BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = rules::BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  const std::vector<Snapshot> old = {Sample(1)};
  const RunComparison comparison = CompareRuns(old, std::vector<Snapshot>{now}, &policy);
  EXPECT_TRUE(comparison.metrics.front().is_missing);
  EXPECT_EQ(comparison.metrics.front().reason,
            "the baseline has another definition of it (1, now 2): save the baseline again with "
            "`profgauge baseline save` [baseline/old-definition]");
  // A run without the number has no definition of it.
  Snapshot without = Sample(1);
  without.metrics.erase("gpu.idle.mean");
  const std::vector<Snapshot> newer = {now};
  EXPECT_EQ(CompareRuns(newer, std::vector{without}, &policy).metrics.front().reason.find("defin"),
            std::string::npos);
  const std::vector<Snapshot> saved = {now};
  EXPECT_FALSE(CompareRuns(saved, std::vector<Snapshot>{now}, &policy).metrics.front().is_missing);
}

TEST(CompareRuns, IterationsWithoutALengthLeaveItUndecided) {
  Snapshot base = Sample(1), current = Sample(0.9);
  for (Snapshot* run : {&base, &current}) {
    run->metrics["iteration.time.median"] = *MedianIteration(*run);
    run->definitions["iteration.time.median"] =
        analysis::FindMetric("iteration.time.median")->definition_number;
  }
  current.name = "candidate";
  current.iteration_times[2] = 0;
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{base}, std::vector<Snapshot>{current}, nullptr);
  const auto& time = Find(comparison, "iteration.time.median");
  EXPECT_TRUE(time.is_missing);
  EXPECT_EQ(
      time.reason,
      fmt::format("1 of {} iterations of candidate have no separate length [baseline/no-times]",
                  current.iteration_times.size()));
}

TEST(CompareRuns, UncertainChangeIsNoCertainFailure) {
  // Lost work looks like idle time; the limit on the number itself is undecided, too.
  rules::PolicyBaseline policy;
  rules::BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = rules::BaselineLimit::Amount{0.05, false};
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

TEST(CompareRuns, OneUncertainRunOfSeveralIsNoDoubt) {
  rules::PolicyBaseline policy;
  rules::BaselineLimit idle;
  idle.metric = "gpu.idle.mean";
  idle.max_increase = rules::BaselineLimit::Amount{0.05, false};
  policy.limits = {idle};
  // `base` and `current`: how many of five baseline runs and of three recordings are uncertain.
  const auto verdict = [&](std::size_t base, std::size_t current) {
    std::vector<Snapshot> before(5, Sample(1)), after(3, Sample(1));
    for (Snapshot& run : after) run.metrics["gpu.idle.mean"] += 0.2;
    for (std::size_t i = 0; i < base; ++i) before[i].uncertain = {"gpu.idle.mean"};
    for (std::size_t i = 0; i < current; ++i) after[i].uncertain = {"gpu.idle.mean"};
    return CompareRuns(before, after, &policy).metrics.front().verdict;
  };
  EXPECT_EQ(verdict(2, 1), stats::Change::kFail);
  EXPECT_EQ(verdict(3, 0), stats::Change::kInconclusive);
  EXPECT_EQ(verdict(0, 2), stats::Change::kInconclusive);
}

TEST(CompareRuns, ReportsRunAgainstItself) {
  Snapshot run = Sample(1);
  run.source = "abc";
  const RunComparison comparison =
      CompareRuns(std::vector<Snapshot>{run}, std::vector<Snapshot>{run}, nullptr);
  EXPECT_EQ(comparison.notes,
            std::vector<std::string>{
                "run is the same profile as run of the baseline: it is compared with itself"});
}

TEST(CompareRuns, FindsLoaderOnV100Pair) {
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
}  // namespace profgauge::gate
