#include "analysis/iterations/utilization.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

LaunchConfig Config(double blocks_per_sm, double occupancy) {
  LaunchConfig config;
  config.blocks_per_sm = blocks_per_sm;
  config.occupancy = occupancy;
  return config;
}

std::vector<iterations::GpuUse> Measure(const std::vector<Profile>& profiles) {
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  EXPECT_TRUE(ranks.has_value());
  return iterations::MeasureGpus(ranks->front());
}

// Utilization counts kernels, idle counts time with no work at all; both are cut to the window.
TEST(Utilization, KernelsAndCopies) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("a", {10, 40});
  test.Work("b", {30, 50}, DeviceKind::kKernel, 0, 8);
  test.Work("copy", {60, 70}, DeviceKind::kMemcpy);
  test.Work("late", {90, 130});
  const auto profiles = OneRank(test.Finish());
  const auto uses = Measure(profiles);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_DOUBLE_EQ(uses[0].utilization(), 0.5);
  EXPECT_DOUBLE_EQ(uses[0].idle_share(), 0.4);
  EXPECT_EQ(uses[0].window - uses[0].busy, 40);
  EXPECT_FALSE(uses[0].sm_efficiency.has_value());
}

// Every rank may touch "cuda:0", which is rank 0's: its idleness for this rank shows nothing.
TEST(Utilization, BarelyUsedGpuIsAnothers) {
  struct Row {
    std::int64_t world_size;
    Ns stray;  ///< Time of the kernel on GPU 0.
    std::size_t gpus;
  };
  for (const Row& row : {Row{8, 50, 1}, Row{8, 500, 2}, Row{1, 50, 2}, Row{-1, 50, 2}}) {
    TestProfile test;
    test.builder().distributed().world_size = row.world_size;
    test.Step(0, {0, 100'000});
    test.Work("fill", {0, row.stray}, DeviceKind::kKernel, 0);
    test.Work("gemm", {0, 99'000}, DeviceKind::kKernel, 1);
    const auto profiles = OneRank(test.Finish());
    const auto uses = Measure(profiles);
    EXPECT_EQ(uses.size(), row.gpus) << row.world_size << " " << row.stray;
    EXPECT_EQ(uses.back().gpu, 1);
    const auto analysis = Analyze(profiles, {});
    ASSERT_TRUE(analysis.has_value());
    const bool is_told = std::any_of(analysis->remarks.begin(), analysis->remarks.end(),
                                     [](const Remark& r) { return r.id == "other-gpu"; });
    EXPECT_EQ(is_told, row.gpus == 1);
  }
}

// Idle time of single iterations may be unusual for the program; idle time of some of them is
// usual.
TEST(Utilization, OneIterationMakesIdleUncertain) {
  struct Case {
    std::vector<int> slow;
    bool is_open;
  };
  for (const Case& of : {Case{{}, false}, Case{{4}, true}, Case{{9}, true}, Case{{4, 7}, false}}) {
    TestProfile test;
    Ns at = 0;
    for (int step = 0; step < 10; ++step) {
      const Ns begin = at;
      test.Launch("k", {at + 1, at + 2}, {at + 5, at + 95});
      at += std::ranges::count(of.slow, step) > 0 ? 1'000 : 100;
      test.Step(step, {begin, at});
    }
    const Profile profile = test.Finish();
    const Analysis analysis = AnalyzeOne(profile);
    const Metric* idle = analysis.Find("gpu.idle.mean");
    ASSERT_NE(idle, nullptr);
    EXPECT_EQ(idle->may_be.has_value(), of.is_open);
    const Table* gpus = analysis.FindTable("gpus");
    ASSERT_NE(gpus, nullptr);
    EXPECT_EQ(IsAbsent(gpus->At(0, "usual_idle")), !of.is_open);
    if (!of.is_open) continue;
    EXPECT_NEAR(AsNumber(gpus->At(0, "usual_idle"), 0), 0.1, 1e-9);
    EXPECT_NEAR(AsNumber(idle->value, 0), 1'000.0 / 1'900, 1e-9);
    EXPECT_NEAR(*idle->may_be, 0.1, 1e-9);
    EXPECT_THAT(idle->note, ::testing::HasSubstr(fmt::format(
                                "without the extra idle time of iteration {}.", of.slow[0])));
    const Metric* utilization = analysis.Find("gpu.utilization.mean");
    ASSERT_TRUE(utilization != nullptr && utilization->may_be);
    EXPECT_NEAR(*utilization->may_be, 0.9, 1e-9);
  }
}

// One of three is, beside two that agree; with two, the usual one is unknown.
TEST(Utilization, OneOfFewMayBeExceptional) {
  for (const int steps : {2, 3, 4}) {
    TestProfile test;
    Ns at = 0;
    for (int step = 0; step < steps; ++step) {
      const Ns begin = at;
      test.Launch("k", {at + 1, at + 2}, {at + 5, at + 95});
      at += step == 1 ? 1'000 : 100;
      test.Step(step, {begin, at});
    }
    const Analysis analysis = AnalyzeOne(test.Finish());
    EXPECT_EQ(analysis.Find("gpu.idle.mean")->may_be.has_value(), steps >= 3) << steps;
  }
}

TEST(Utilization, SmEfficiencyIsCappedOccupancyWeighted) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("a", {0, 40}, DeviceKind::kKernel, 0, 7, Config(0.8, 0.5));
  test.Work("b", {20, 60}, DeviceKind::kKernel, 0, 8, Config(0.5, 0.25));
  test.Work("unknown", {60, 80});
  const auto profiles = OneRank(test.Finish());
  const auto uses = Measure(profiles);
  // 0..20 at 0.8, 20..40 at min(1, 1.3), 40..60 at 0.5.
  EXPECT_DOUBLE_EQ(uses[0].sm_efficiency.value(), (20 * 0.8 + 20 + 20 * 0.5) / 100);
  EXPECT_DOUBLE_EQ(uses[0].occupancy.value(), 0.375);
}

TEST(Utilization, BlocksPerSmFromTheGrid) {
  TestProfile test;
  LaunchConfig config;
  config.grid[0] = 10;
  config.grid[1] = 2;
  config.grid[2] = 1;
  Gpu gpu;
  gpu.id = 0;
  gpu.sms = 40;
  test.builder().AddGpu(gpu);
  test.Work("rocm", {0, 100}, DeviceKind::kKernel, 0, 7, config);
  test.Work("other gpu", {0, 100}, DeviceKind::kKernel, 1, 7, config);
  const Profile profile = test.Finish();
  EXPECT_DOUBLE_EQ(iterations::BlocksPerSm(profile, profile.gpus, DeviceId{0}).value(), 0.5);
  EXPECT_FALSE(iterations::BlocksPerSm(profile, profile.gpus, DeviceId{1}).has_value());
}

// A GPU that only receives a copy of another's result is no GPU with work.
TEST(Utilization, GpusWithWork) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("kernel", {0, 10}, DeviceKind::kKernel, 3);
  test.Work("copy", {0, 10}, DeviceKind::kMemcpy, 5);
  const auto profiles = OneRank(test.Finish());
  const auto uses = Measure(profiles);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses[0].gpu, 3);

  TestProfile copies;
  copies.Step(0, {0, 100});
  copies.Work("copy", {0, 10}, DeviceKind::kMemcpy, 5);
  const auto only_copies = OneRank(copies.Finish());
  ASSERT_EQ(Measure(only_copies).size(), 1U);
  EXPECT_EQ(Measure(only_copies)[0].utilization(), 0);
}

}  // namespace
}  // namespace profgauge::analysis
