#include "analysis/time/idle.h"

#include <numeric>

#include "fixture.h"

namespace profgauge {
namespace {

using Causes = std::array<Ns, kIdleCauses>;

// Host wait, dataloader, sync, memory management, launch latency, other.
Causes CausesOf(const std::vector<Profile>& profiles) {
  const auto ranks = BuildRankContexts(profiles, {});
  EXPECT_TRUE(ranks.has_value());
  Causes sums{};
  for (const GpuUse& use : MeasureGpus(ranks->front())) {
    Ns idle = 0;
    for (const IdleGap& gap : ExplainIdle(ranks->front(), use)) {
      EXPECT_EQ(std::accumulate(gap.causes.begin(), gap.causes.end(), Ns{0}), gap.time.length());
      for (const Ns part : gap.causes) EXPECT_GE(part, 0);
      for (std::size_t i = 0; i < kIdleCauses; ++i) sums[i] += gap.causes[i];
      idle += gap.time.length();
    }
    EXPECT_EQ(idle, use.window - use.busy);
  }
  return sums;
}

// One iteration from 0 to `end` whose only gap is before the second kernel, at 100'000.
TestProfile TwoKernels(Ns end) {
  TestProfile test;
  test.Step(0, {0, end});
  test.Launch("first", {0, 0}, {0, 100'000});
  return test;
}

TEST(Idle, TheHostHadNotLaunchedYet) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{300'000, 0, 0, 0, 10'000, 0}));
}

TEST(Idle, WaitingForDataAndAllocating) {
  TestProfile test = TwoKernels(500'000);
  test.Op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {150'000, 250'000});
  test.Call("cudaMalloc", ApiKind::kMemory, {300'000, 350'000});
  test.Launch("second", {400'000, 405'000}, {410'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{150'000, 100'000, 0, 50'000, 10'000, 0}));
}

// The call held the host until the queue was empty: what follows until the next launch is its
// price.
TEST(Idle, ASynchronizationDrainsTheQueue) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {50'000, 120'000});
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{0, 0, 100'000, 0, 10'000, 0}));
}

// A synchronization that finds the GPU idle costs its own time only, and a query blocks nobody.
TEST(Idle, ASynchronizationOfAnIdleGpu) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {150'000, 160'000});
  test.Call("cudaEventQuery", ApiKind::kSync, {90'000, 140'000});
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{90'000, 0, 10'000, 0, 10'000, 0}));
}

TEST(Idle, AnotherThreadsSynchronizationIsNoCause) {
  TestProfile test = TwoKernels(500'000);
  test.Call("cudaStreamSynchronize", ApiKind::kSync, {50'000, 120'000}, test.Thread(2));
  test.Launch("second", {200'000, 205'000}, {210'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{100'000, 0, 0, 0, 10'000, 0}));
}

TEST(Idle, LaunchedInTime) {
  TestProfile soon = TwoKernels(500'000);
  soon.Launch("second", {10'000, 15'000}, {120'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(soon.Finish())), (Causes{0, 0, 0, 0, 20'000, 0}));
  TestProfile late = TwoKernels(500'000);
  late.Launch("second", {10'000, 15'000}, {130'000, 500'000});
  EXPECT_EQ(CausesOf(OneRank(late.Finish())), (Causes{0, 0, 0, 0, 0, 30'000}));
}

TEST(Idle, WithoutLaunchRecordAndAtTheEnd) {
  TestProfile test = TwoKernels(500'000);
  test.Work("orphan", {150'000, 200'000});
  EXPECT_EQ(CausesOf(OneRank(test.Finish())), (Causes{300'000, 0, 0, 0, 0, 50'000}));
}

TEST(Idle, GapsKnowTheirNeighbours) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 450'000});
  const auto profiles = OneRank(test.Finish());
  const auto ranks = BuildRankContexts(profiles, {});
  const auto gaps = ExplainIdle(ranks->front(), MeasureGpus(ranks->front()).front());
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].before, DeviceId{0});
  EXPECT_EQ(gaps[0].after, DeviceId{1});
  EXPECT_EQ(gaps[0].main_cause(), IdleCause::kHostWait);
  EXPECT_EQ(gaps[1].before, DeviceId{1});
  EXPECT_FALSE(gaps[1].after.valid());
}

TEST(Idle, MetricsAddUpToIdleOverSeveralGpus) {
  TestProfile test = TwoKernels(500'000);
  test.Launch("second", {400'000, 405'000}, {410'000, 450'000});
  test.Launch("on gpu 1", {100'000, 101'000}, {200'000, 260'000}, {}, DeviceKind::kKernel, 1);
  const auto analysis = Analyze(OneRank(test.Finish()), {});
  ASSERT_TRUE(analysis.has_value());
  double sum = 0;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    sum += NumberOf(*analysis,
                    "gpu.idle_cause." + std::string(IdleCauseId(static_cast<IdleCause>(i))));
  }
  EXPECT_NEAR(sum, NumberOf(*analysis, "gpu.idle.mean"), 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.mean"), (0.72 + 0.88) / 2, 1e-12);
  EXPECT_NEAR(NumberOf(*analysis, "gpu.idle.max"), 0.88, 1e-12);
  const Table* gaps = analysis->FindTable("gaps");
  ASSERT_EQ(gaps->rows(), 4U);
  EXPECT_EQ(gaps->At(0, "duration"), Value(std::int64_t{310'000}));
  EXPECT_EQ(gaps->At(0, "cause"), Value(std::string("host not ready")));
  EXPECT_EQ(gaps->At(0, "after"), Value(std::string("second")));
}

}  // namespace
}  // namespace profgauge
