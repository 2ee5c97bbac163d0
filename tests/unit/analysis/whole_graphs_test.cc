// A profile whose graphs were recorded whole: the bounds of unknown numbers.
#include <gmock/gmock.h>

#include <cmath>

#include "fixture.h"

namespace profgauge::analysis {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTensorCoreKernel = "ampere_bf16_s16816gemm_bf16_128x128_tn";

// Ten steps of 1 ms: a graph of 600 us, a kernel of 300 us, and nothing for 100 us.
TestProfile StepsWithGraphs(std::int32_t gpu = 0) {
  LaunchConfig whole;
  whole.is_whole_graph = true;
  TestProfile test;
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * kMs;
    test.Step(i, {at, at + kMs});
    test.Work("CUDA graph 1", {at, at + 600'000}, DeviceKind::kKernel, gpu, 7, whole);
    test.Work(kTensorCoreKernel, {at + 600'000, at + 900'000}, DeviceKind::kKernel, gpu);
  }
  return test;
}

double MayBe(const Analysis& analysis, std::string_view id) {
  const Metric* metric = analysis.Find(id);
  EXPECT_TRUE(metric->may_be.has_value()) << id;
  EXPECT_THAT(metric->note, HasSubstr("--cuda-graph-trace=node")) << id;
  return metric->may_be.value_or(-1);
}

TEST(WholeGraphs, TheDeviceMayIdleInThem) {
  const Analysis analysis = AnalyzeOne(StepsWithGraphs().Finish());
  EXPECT_NEAR(NumberOf(analysis, "gpu.idle.mean"), 0.1, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "gpu.idle.mean"), 0.7, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "gpu.idle.max"), 0.7, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "gpu.idle.time.mean"), 700'000, 1);
  EXPECT_NEAR(MayBe(analysis, "gpu.utilization.mean"), 0.3, 1e-9);
  EXPECT_NEAR(NumberOf(analysis, "coverage.kernel_share"), 1.0 / 3, 1e-9);
  // A miss by certain idle time stays one.
  EXPECT_FALSE(analysis.Find("gpu.idle.mean")->low_confidence);
}

TEST(WholeGraphs, ConcurrentTimeIsNotIdle) {
  TestProfile test = StepsWithGraphs();
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * kMs;
    test.Work("relu", {at, at + 500'000}, DeviceKind::kKernel, 0, 8);
  }
  EXPECT_NEAR(MayBe(AnalyzeOne(test.Finish()), "gpu.idle.mean"), 0.2, 1e-9);
}

TEST(WholeGraphs, KernelCountIsUnknown) {
  const Analysis analysis = AnalyzeOne(StepsWithGraphs().Finish());
  EXPECT_TRUE(std::isinf(MayBe(analysis, "kernel.count_per_iteration")));
  EXPECT_TRUE(std::isinf(MayBe(analysis, "tensor_core.kernels_per_iteration")));
}

TEST(WholeGraphs, TensorCoreUseIsUnknown) {
  const Analysis analysis = AnalyzeOne(StepsWithGraphs().Finish());
  EXPECT_NEAR(NumberOf(analysis, "tensor_core.share"), 1.0 / 3, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "tensor_core.share"), 1, 1e-9);
  EXPECT_NEAR(NumberOf(analysis, "tensor_core.unknown_share"), 2.0 / 3, 1e-9);
  EXPECT_NEAR(NumberOf(analysis, "tensor_core.efficiency"), 1, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "tensor_core.efficiency"), 1.0 / 3, 1e-9);
  EXPECT_NEAR(NumberOf(analysis, "tensor_core.eligible_share"), 1.0 / 3, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "tensor_core.eligible_share"), 1, 1e-9);
}

TEST(WholeGraphs, WithoutOtherMatmulsEfficiencyIsUnknown) {
  LaunchConfig whole;
  whole.is_whole_graph = true;
  TestProfile test;
  test.Work("CUDA graph 1", {0, 600'000}, DeviceKind::kKernel, 0, 7, whole);
  const Analysis analysis = AnalyzeOne(test.Finish());
  const Metric* efficiency = analysis.Find("tensor_core.efficiency");
  EXPECT_TRUE(IsAbsent(efficiency->value));
  EXPECT_THAT(efficiency->absent_because, HasSubstr("--cuda-graph-trace=node"));
}

TEST(WholeGraphs, SeveralDevicesMayCommunicateInThem) {
  EXPECT_FALSE(AnalyzeOne(StepsWithGraphs().Finish())
                   .Find("communication.exposed_share")
                   ->may_be.has_value());
  TestProfile test = StepsWithGraphs();
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * kMs;
    test.Work("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
              {at + 900'000, at + 950'000});
  }
  const Analysis analysis = AnalyzeOne(test.Finish());
  EXPECT_NEAR(NumberOf(analysis, "communication.exposed_share"), 0.05, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "communication.exposed_share"), 0.65, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "breakdown.communication"), 0.65, 1e-9);
  EXPECT_NEAR(MayBe(analysis, "communication.time"), 6'500'000, 1);
}

TEST(WholeGraphs, KnownKernelsAreDecided) {
  TestProfile test;
  for (int i = 0; i < 10; ++i) {
    const Ns at = i * kMs;
    test.Step(i, {at, at + kMs});
    test.Work(kTensorCoreKernel, {at, at + 900'000});
  }
  const Analysis analysis = AnalyzeOne(test.Finish());
  for (const Metric& metric : analysis.metrics) {
    EXPECT_FALSE(metric.may_be.has_value()) << metric.spec->id;
  }
  EXPECT_TRUE(IsAbsent(analysis.Find("coverage.kernel_share")->value));
}

}  // namespace
}  // namespace profgauge::analysis
