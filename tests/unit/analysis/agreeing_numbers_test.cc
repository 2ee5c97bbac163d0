// Numbers of which two tables or metrics state one each, and which are the same.
#include <gtest/gtest.h>

#include <string>

#include "analysis/classify/device_spans.h"
#include "analysis/iterations/iteration_ways.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

// Gaps of 1 and 2 ns, and one of 3 ns, which the clock can show.
TestProfile WithShortGaps() {
  TestProfile test;
  test.Step(1, {0, 100});
  test.Launch("gemm", {0, 1}, {0, 40});
  test.Launch("relu", {2, 3}, {42, 60});
  test.Launch("relu", {4, 5}, {63, 100});
  test.Work("Memcpy HtoD", {41, 42}, DeviceKind::kMemcpy, 0, 9);
  return test;
}

TEST(ShortGaps, BelongToTheWorkBeforeThem) {
  const Profile profile = WithShortGaps().Finish();
  const auto gaps = classify::FindShortGaps(profile.device);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps.front().time, (Span{40, 41}));
  EXPECT_EQ(profile.Name(profile.device.name[gaps.front().row]), "gemm");
}

TEST(ShortGaps, UtilizationCopiesAndIdleAreAllTime) {
  const Profile profile = WithShortGaps().Finish();
  const auto analysis = Analyze(std::span(&profile, 1), {});
  ASSERT_TRUE(analysis);
  const double busy = NumberOf(*analysis, "gpu.utilization.mean");
  EXPECT_DOUBLE_EQ(busy, 0.96);
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "breakdown.memcpy"), 0.01);
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "gpu.idle.mean"), 0.03);
  EXPECT_DOUBLE_EQ(NumberOf(*analysis, "breakdown.other_kernel") +
                       NumberOf(*analysis, "breakdown.tensor_core_kernel"),
                   busy);
}

TEST(Ops, CountCallsInsideOfTheirName) {
  TestProfile test;
  test.Op("aten::mm", {0, 100});
  test.Op("aten::mm", {10, 90});
  test.Launch("gemm", {20, 30}, {40, 80});
  const Profile profile = test.Finish();
  const auto analysis = Analyze(std::span(&profile, 1), {});
  ASSERT_TRUE(analysis);
  const Table* ops = analysis->FindTable("ops");
  ASSERT_NE(ops, nullptr);
  ASSERT_EQ(ops->rows(), 1u);
  EXPECT_EQ(ops->At(0, "calls"), Value{std::int64_t{2}});
  EXPECT_EQ(ops->At(0, "host_total"), Value{std::int64_t{100}});
}

TEST(ProposedMarkers, AreRangesThatCouldBeIterations) {
  TestProfile test;
  for (int i = 0; i < 12; ++i) {
    const Ns at = i * 100;
    test.Host(HostKind::kAnnotation, "my step " + std::to_string(i), {at, at + 90});
    test.Host(HostKind::kAnnotation, "forward+loss", {at + 5, at + 60});
    test.Host(HostKind::kAnnotation, "it's", {at + 6, at + 59});
    test.Launch("gemm", {at + 10, at + 20}, {at + 20, at + 80});
    test.Launch("gemm", {at + 70, at + 75}, {at + 81, at + 85});
  }
  const Profile profile = test.Finish();
  EXPECT_EQ(iterations::ProposedMarkers(profile),
            "`my step #` occurs 12 times: `--iteration-marker '^my step \\d+$'`; "
            "`forward+loss` occurs 12 times: `--iteration-marker '^forward\\+loss$'`");
}

TEST(ProposedMarkers, NeedThreeApart) {
  TestProfile test;
  for (int i = 0; i < 2; ++i) {
    test.Host(HostKind::kAnnotation, "step " + std::to_string(i), {i * 100, i * 100 + 90});
  }
  EXPECT_EQ(iterations::ProposedMarkers(test.Finish()), "");
}

}  // namespace
}  // namespace profgauge::analysis
