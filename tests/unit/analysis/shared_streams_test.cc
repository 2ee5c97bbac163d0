// Streams that collectives share with computation.
#include "analysis/communication/shared_streams.h"

#include <gtest/gtest.h>

#include "analysis/iterations/context.h"
#include "fixture.h"
#include "oracle_tables.h"

namespace profgauge::analysis::communication {
namespace {

Analysis ReducesOn(std::int64_t stream) {
  TestProfile test;
  test.Step(0, {0, 1'000});
  test.Work("gemm", {0, 400});
  for (const Ns start : {500, 700}) {
    test.Work("ncclDevKernel_AllReduce(x)", {start, start + 100}, DeviceKind::kKernel, 0, stream);
  }
  return AnalyzeAll(OneRank(test.Finish()));
}

TEST(SharedStreams, AreThoseThatAlsoCompute) {
  const Analysis shared = ReducesOn(7), separate = ReducesOn(20);
  const Table& ranks = *shared.FindTable("ranks");
  EXPECT_DOUBLE_EQ(RealAt(ranks, 0, "stream_shared"), 1);
  EXPECT_EQ(IntegerAt(ranks, 0, "shared_calls"), 2);
  EXPECT_EQ(TextAt(ranks, 0, "shared_streams"), "7");
  const Table& others = *separate.FindTable("ranks");
  EXPECT_DOUBLE_EQ(RealAt(others, 0, "stream_shared"), 0);
  EXPECT_EQ(IntegerAt(others, 0, "shared_calls"), 0);
}

// A fifth of the computing time of its GPU makes a stream one of computation.
TEST(SharedStreams, LittleComputationDoesNotCount) {
  const auto facts_of = [](Ns beside) {
    TestProfile test;
    test.Step(0, {0, 1'000});
    for (const std::int32_t gpu : {0, 1}) {
      test.Work("gemm", {0, 80}, DeviceKind::kKernel, gpu, 7);
      test.Work("scale", {100, 100 + beside}, DeviceKind::kKernel, gpu, 20);
      test.Work("ncclDevKernel_AllReduce(x)", {200, 300}, DeviceKind::kKernel, gpu, 20);
    }
    test.Work("ncclDevKernel_AllReduce(x)", {400, 500}, DeviceKind::kKernel, 1, 30);
    const auto profiles = OneRank(test.Finish());
    const auto ranks = iterations::BuildRankContexts(profiles, {});
    EXPECT_TRUE(ranks);
    return SharedStreamsOf(ranks->front());
  };
  EXPECT_EQ(facts_of(19).calls, 0);
  const SharedStreams shared = facts_of(20);
  EXPECT_EQ(shared.calls, 2);
  EXPECT_EQ(shared.time, 200);
  EXPECT_EQ(shared.all, 300);
  EXPECT_EQ(shared.streams, "20");
}

TEST(SharedStreams, NoComputationShares) {
  TestProfile test;
  test.Step(0, {0, 100});
  test.Work("ncclDevKernel_AllReduce(x)", {0, 50});
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(SharedStreamsOf(ranks->front()).calls, 0);
}

}  // namespace
}  // namespace profgauge::analysis::communication
