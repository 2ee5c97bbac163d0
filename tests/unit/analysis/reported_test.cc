#include <gtest/gtest.h>

#include "analysis/analysis.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

Profile Summary() {
  ProfileBuilder builder;
  Profile profile = *std::move(builder).Finish();
  profile.has_timeline = false;
  profile.reported.metrics = {
      {metric::kGpuUtilizationMean, 0.25, "as the summary states it"},
  };
  profile.reported.tables = {{"ops", {"calls", "name", "type"}, {{std::int64_t{3}, "conv", {}}}}};
  return profile;
}

TEST(Reported, ReplacesMissingRowValues) {
  const auto analysis = Analyze(OneRank(Summary()), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "gpu.utilization.mean"), 0.25);
  EXPECT_EQ(analysis->Find("gpu.utilization.mean")->note, "as the summary states it");
  const Table* ops = analysis->FindTable("ops");
  ASSERT_EQ(ops->rows(), 1U);
  EXPECT_EQ(ops->At(0, "name"), Value(std::string("conv")));
  EXPECT_EQ(ops->At(0, "calls"), Value(std::int64_t{3}));
  EXPECT_EQ(ops->At(0, "type"), Value{});
  EXPECT_FALSE(ops->Find("device_self")->absent_because().empty());
}

TEST(Reported, WithoutTimelineNoTimeAxis) {
  const auto analysis = Analyze(OneRank(Summary()), {});
  ASSERT_TRUE(analysis.has_value());
  for (const auto id : {"profile.wall_time", "profile.iterations", "gpu.idle.mean",
                        "iteration.time.mean", "breakdown.other", "profile.kernel_time"}) {
    EXPECT_TRUE(IsAbsent(analysis->Find(id)->value)) << id;
    EXPECT_NE(analysis->Find(id)->absent_because, "") << id;
  }
  EXPECT_TRUE(analysis->absent_tables.contains("iterations"));
}

TEST(Reported, SummedCountsAreLarger) {
  const auto with = [](std::vector<ReportedMetric> metrics) {
    Profile profile = Summary();
    profile.gpus.resize(2);
    profile.gpus[1].id = 1;
    for (Gpu& gpu : profile.gpus) gpu.name = "A100";
    profile.reported.metrics = std::move(metrics);
    return Analyze(OneRank(std::move(profile)), {});
  };
  const auto stated = with({{metric::kProfileRanks, std::int64_t{8}, "stated"},
                            {metric::kProfileGpusListed, std::int64_t{8}, "stated"}});
  ASSERT_TRUE(stated.has_value());
  EXPECT_EQ(NumberOf(*stated, "profile.ranks"), 8);
  EXPECT_EQ(NumberOf(*stated, "profile.gpus_listed"), 8);
  const auto listed = with({{metric::kProfileGpusListed, std::int64_t{1}, "stated"}});
  ASSERT_TRUE(listed.has_value());
  EXPECT_EQ(NumberOf(*listed, "profile.gpus_listed"), 2);
}

TEST(Reported, InvalidStatementIsAbsentWithReason) {
  Profile profile = Summary();
  profile.reported.metrics = {{metric::kTensorCoreEfficiency, {}, "no operators were told apart"}};
  const auto analysis = Analyze(OneRank(std::move(profile)), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_TRUE(IsAbsent(analysis->Find("tensor_core.efficiency")->value));
  EXPECT_EQ(analysis->Find("tensor_core.efficiency")->absent_because,
            "no operators were told apart");
}

// Each rank samples its own devices.
TEST(Reported, CountersOfRanksAreTheirMeanByTime) {
  const auto rank = [](std::int64_t number, Ns length, std::vector<ReportedMetric> metrics) {
    TestProfile test;
    test.Step(0, {0, length});
    test.Op("aten::mm", {100, 200});
    test.Launch("gemm", {120, 130}, {200, 600});
    Profile profile = test.Finish();
    profile.distributed.rank = number;
    profile.distributed.world_size = 2;
    profile.reported.metrics = std::move(metrics);
    return profile;
  };
  std::vector<Profile> both;
  both.push_back(rank(0, 1000,
                      {{metric::kGpuMeasuredSmActive, 0.8, "mean of 9 samples"},
                       {metric::kGpuMeasuredDram, 0.5, "mean of 9 samples"}}));
  both.push_back(rank(1, 3000, {{metric::kGpuMeasuredSmActive, 0.4, "mean of 9 samples"}}));
  const auto analysis = Analyze(std::move(both), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_NEAR(NumberOf(*analysis, "gpu.measured.sm_active"), 0.5, 1e-9);
  EXPECT_EQ(analysis->Find("gpu.measured.sm_active")->note,
            "mean of 2 ranks, each by its recorded time");
  EXPECT_EQ(analysis->Find("gpu.measured.dram")->absent_because,
            "1 of 2 ranks sampled it; the others are unknown");
}

TEST(Reported, NumbersComputedFromEventsStay) {
  TestProfile test;
  test.Step(0, {0, 1000});
  test.Op("aten::mm", {100, 200});
  test.Launch("gemm", {120, 130}, {200, 600});
  Profile profile = test.Finish();
  profile.reported.metrics = {{metric::kProfileKernelTime, std::int64_t{7}, "stated"}};
  profile.reported.tables = {{"ops", {"name"}, {{"conv"}, {"relu"}}}};
  const auto analysis = Analyze(OneRank(std::move(profile)), {});
  ASSERT_TRUE(analysis.has_value());
  EXPECT_EQ(NumberOf(*analysis, "profile.kernel_time"), 400);
  EXPECT_EQ(analysis->FindTable("ops")->rows(), 1U);
}

}  // namespace
}  // namespace profgauge::analysis
