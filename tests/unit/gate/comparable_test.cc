#include "gate/comparable.h"

#include <gtest/gtest.h>

#include "analysis/ranks/analyze_run.h"
#include "compare_fixture.h"
#include "gate/compare.h"

namespace profgauge::gate {
namespace {

using testing::Find;
using testing::Sample;

// Most of the run is outside the remaining iterations.
TEST(CompareRuns, LostMarkersMakeRunIncomparable) {
  for (const double outside : {0.3, 0.9}) {
    Snapshot base = Sample(1), current = Sample(1);
    base.metrics["coverage.outside_share"] = 0.05;
    current.metrics["coverage.outside_share"] = outside;
    const std::vector<Snapshot> bases = {base};
    const RunComparison comparison = CompareRuns(bases, std::vector<Snapshot>{current}, nullptr);
    EXPECT_EQ(Find(comparison, "iteration.time.median").is_missing, outside == 0.9);
    EXPECT_EQ(comparison.outside.empty(), outside == 0.9) << comparison.outside;
    // The other way round nothing is lost.
    const std::vector<Snapshot> lost = {current};
    EXPECT_FALSE(Find(CompareRuns(lost, bases, nullptr), "iteration.time.median").is_missing);
  }
}

// A pass says that a part of the run was not compared, unless a run of the baseline has as much.
TEST(CompareRuns, SaysWhatIsOutside) {
  Snapshot none = Sample(1), some = Sample(1), current = Sample(1);
  none.metrics["coverage.outside_share"] = 0;
  some.metrics["coverage.outside_share"] = 0.15;
  current.metrics["coverage.outside_share"] = 0.22;
  const std::vector<Snapshot> candidates = {current};
  EXPECT_EQ(MoreOutside(std::vector<Snapshot>{none, none}, candidates),
            "22.0\u202f% of the device time is outside the iterations, in the baseline "
            "0\u202f%: that time is not compared; mark all iterations");
  EXPECT_EQ(MoreOutside(std::vector<Snapshot>{none, some}, candidates), "");
  EXPECT_EQ(MoreOutside(candidates, std::vector<Snapshot>{none}), "");
  EXPECT_EQ(MoreOutside(std::vector<Snapshot>{Sample(1)}, candidates), "") << "unknown";
}

// Iterations marked twice as often are half as long, however slow the program became.
TEST(CompareRuns, OtherMarkersMakeIterationsIncomparable) {
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
    bool is_open;
  };
  for (const Case& of : {Case{{1000, 600, 400, 20}, false}, Case{{500, 300, 200, 20}, true},
                         Case{{500, 600, 400, 20}, true}, Case{{2000, 1200, 800, 40}, false}}) {
    const RunComparison comparison =
        CompareRuns(base, std::vector<Snapshot>{launching(of.counts)}, nullptr);
    EXPECT_EQ(Find(comparison, "iteration.time.median").over_limit, of.is_open);
  }
  // Less work that takes longer is slower.
  Snapshot slower = Sample(1.3);
  slower.work = launching({500, 300, 200, 20}).work;
  const RunComparison comparison = CompareRuns(base, std::vector<Snapshot>{slower}, nullptr);
  EXPECT_EQ(Find(comparison, "iteration.time.median").verdict, stats::Change::kFail);
  EXPECT_FALSE(Find(comparison, "iteration.time.median").is_missing);
}

TEST(FindMisfit, RecognizesOtherProgramsAndSameProfile) {
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
TEST(FindDifferences, OtherIterationKindsAreNotCompared) {
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

// Kernels of a graph are one row or many, by the profiler's settings: no more work.
TEST(FindDifferences, OtherGraphModesAreNotCompared) {
  Snapshot whole = Sample(1), by_kernel = Sample(1);
  whole.environment.emplace_back("cuda_graphs", "whole");
  by_kernel.environment.emplace_back("cuda_graphs", "by kernel");
  by_kernel.metrics["kernel.count_per_iteration"] = 180;
  EXPECT_FALSE(CompareRuns(std::vector{whole}, std::vector{by_kernel}, nullptr).is_comparable);
  EXPECT_TRUE(CompareRuns(std::vector{whole}, std::vector{whole}, nullptr).is_comparable);
  // A program without graphs is another program, not another profile.
  EXPECT_TRUE(CompareRuns(std::vector{Sample(1)}, std::vector{whole}, nullptr).is_comparable);
}

// More iterations are no more work, and fewer no less.
TEST(CompareRuns, SumsUseEqualIterationCounts) {
  const auto run = [](int iterations, double kernel_time_each) {
    Snapshot snapshot = Sample(1, iterations);
    snapshot.metrics["profile.iterations"] = iterations;
    snapshot.metrics["profile.kernel_time"] = iterations * kernel_time_each;
    for (const char* id : {"profile.kernel_time", "profile.iterations"}) {
      snapshot.definitions[id] = analysis::FindMetric(id)->definition_number;
    }
    return snapshot;
  };
  rules::PolicyBaseline policy;
  rules::BaselineLimit limit;
  limit.metric = "profile.kernel_time";
  limit.max_increase = rules::BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const auto compare = [&](const Snapshot& current) {
    return CompareRuns(std::vector{run(20, 1e6)}, std::vector{current}, &policy);
  };
  const RunComparison fewer = compare(run(15, 1.3e6));
  EXPECT_EQ(fewer.metrics.front().verdict, stats::Change::kFail);
  EXPECT_NEAR(fewer.metrics.front().change, 6e6, 1);
  const std::vector<std::string> notes = {
      "sums over iterations (profile.kernel_time) are compared as of 20 iterations; run run has 15",
      "15 iterations, the baseline's runs have 20 or more"};
  EXPECT_EQ(fewer.notes, notes);
  EXPECT_EQ(compare(run(30, 1e6)).metrics.front().verdict, stats::Change::kPass);
  EXPECT_TRUE(compare(run(20, 1e6)).notes.empty());
}

TEST(GrowsWithIterations, SumsDoAndSharesDoNot) {
  for (const char* sum : {"profile.kernel_time", "profile.wall_time", "breakdown.dataloader.time",
                          "communication.time", "critical.host.time"}) {
    EXPECT_TRUE(GrowsWithIterations(sum)) << sum;
  }
  for (const char* other :
       {"profile.iterations", "gpu.idle.mean", "breakdown.dataloader", "critical.host.share",
        "memory.peak_allocated", "iteration.time.median", "nothing"}) {
    EXPECT_FALSE(GrowsWithIterations(other)) << other;
  }
}

TEST(FindDifferences, OtherSelectionsAreNotCompared) {
  analysis::Selection selection;
  EXPECT_EQ(analysis::ranks::ComparedSelection(selection), analysis::ranks::kAllIterations);
  selection.iteration_marker = "^step";
  EXPECT_EQ(analysis::ranks::ComparedSelection(selection), analysis::ranks::kAllIterations);
  selection.warmup = 3;
  EXPECT_EQ(analysis::ranks::ComparedSelection(selection), "warmup=3");
  selection.warmup = 0;
  selection.knowledge.undecided_use_tensor_cores = true;
  EXPECT_TRUE(
      analysis::ranks::ComparedSelection(selection).starts_with("all iterations knowledge="));
  // A baseline that says nothing was made of all iterations.
  const Snapshot old = Sample(1);
  Snapshot warm = Sample(1);
  warm.environment.emplace_back(kSelectionProperty, "warmup=3");
  const RunComparison other = CompareRuns(std::vector{old}, std::vector{warm}, nullptr);
  EXPECT_FALSE(other.is_comparable);
  EXPECT_EQ(other.differences[0].base, analysis::ranks::kAllIterations);
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
TEST(CompareRuns, WindowLengthsNeedEqualWork) {
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

TEST(CompareRuns, WindowSumsNeedEqualWork) {
  rules::PolicyBaseline policy;
  rules::BaselineLimit limit;
  limit.metric = "profile.kernel_time";
  limit.max_increase = rules::BaselineLimit::Amount{0.05, true};
  policy.limits = {limit};
  const auto compare = [&](std::int64_t kernels, double time) {
    const auto window = [](std::int64_t launched, double all) {
      Snapshot run = Window(1, launched);
      run.metrics["profile.kernel_time"] = all;
      run.definitions["profile.kernel_time"] =
          analysis::FindMetric("profile.kernel_time")->definition_number;
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
TEST(CompareRuns, WindowLengthsDoNotMatchIterations) {
  Snapshot slow = Sample(1);
  slow.environment.emplace_back("iterations", "ProfilerStep#N");
  slow.work = Window(1, 1000).work;
  rules::PolicyBaseline lenient;
  lenient.match = std::vector<std::string>{"gpu"};
  const Snapshot lost = Window(1, 1000);
  EXPECT_TRUE(
      Find(CompareRuns(std::vector{slow}, std::vector{lost}, &lenient), "iteration.time.median")
          .is_missing);
  EXPECT_TRUE(
      Find(CompareRuns(std::vector{lost}, std::vector{slow}, &lenient), "iteration.time.median")
          .is_missing);
}

TEST(FindDifferences, OnlyListedPropertiesAreHard) {
  Snapshot base = Sample(1);
  Snapshot current = Sample(1);
  current.environment = {{"gpu", "NVIDIA H100"}, {"gpus", "1"}, {"with_stack", "1"}};
  const auto differences = FindDifferences(base, current, {});
  ASSERT_EQ(differences.size(), 3u);
  EXPECT_EQ(differences[0].property, "gpu");
  EXPECT_TRUE(differences[0].is_hard);
  EXPECT_EQ(differences[1].property, "world_size");  // Not recorded on one side.
  EXPECT_FALSE(differences[1].is_hard);
  rules::PolicyBaseline lenient;
  lenient.match = std::vector<std::string>{"with_stack"};
  EXPECT_FALSE(FindDifferences(base, current, lenient)[0].is_hard);
}

// Recording stacks slows down the host: no matter where devices never wait for it.
TEST(FindDifferences, ProfilerSwitchesAreHardIfIdle) {
  for (const double idle : {0.04, 0.3}) {
    Snapshot base = Sample(1), current = Sample(1);
    base.environment = {{"with_stack", "1"}, {"with_flops", "1"}};
    current.environment = {{"with_stack", "0"}, {"with_flops", "0"}};
    base.metrics["gpu.idle.mean"] = 0.01;
    current.metrics["gpu.idle.mean"] = idle;
    const auto differences = FindDifferences(base, current, {});
    ASSERT_EQ(differences.size(), 2u);
    EXPECT_EQ(differences[0].is_hard, idle > 0.05);
    EXPECT_FALSE(differences[1].is_hard) << "with_flops costs nothing";
    rules::PolicyBaseline lenient;
    lenient.match = std::vector<std::string>{"gpu"};
    EXPECT_FALSE(FindDifferences(base, current, lenient)[0].is_hard);
  }
}

// A profile with step times and the times alone: what only a recording has is not asked.
TEST(FindDifferences, TimesAreAskedForWhatTheyHave) {
  Snapshot profile = Sample(1), times = Sample(1);
  profile.environment = {{"gpu", "A"}, {"gpus", "1"}, {"iterations", "step"}};
  times.environment = {{"times", "table"}};
  profile.format = "kineto";
  times.format = "times";
  for (const Difference& difference : FindDifferences(profile, times, {})) {
    EXPECT_FALSE(difference.is_hard) << difference.property;
  }
  times.environment.emplace_back("gpu", "B");
  const auto differences = FindDifferences(profile, times, {});
  EXPECT_EQ(differences.front().property, "gpu");
  EXPECT_TRUE(differences.front().is_hard);
}

TEST(FindDifferences, LoadIsHard) {
  Snapshot base = Sample(1), current = Sample(1);
  base.environment = {{"load.request_rate", "8"}};
  current.environment = {{"load.request_rate", "4"}};
  EXPECT_TRUE(FindDifferences(base, current, {}).front().is_hard);
  rules::PolicyBaseline any;
  any.match_any = true;
  EXPECT_FALSE(FindDifferences(base, current, any).front().is_hard);
}

}  // namespace
}  // namespace profgauge::gate
