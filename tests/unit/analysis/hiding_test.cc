// How much of its transfers a rank can hide beside its own computation.
#include "analysis/simulation/hiding.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/iterations/context.h"
#include "fixture.h"

namespace profgauge::analysis::simulation {
namespace {

/// A reduction in [300, 700) beside a kernel until 400, and a kernel of `alone` beside nothing.
HidingRoom RoomWith(Ns alone, std::vector<Ns> transfers = {}) {
  TestProfile test;
  test.Step(0, {0, 1'000});
  test.Work("gemm", {0, alone});
  test.Work("gemm", {300, 400});
  test.Work("ncclDevKernel_AllReduce(x)", {300, 700}, DeviceKind::kKernel, 0, 20);
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  EXPECT_TRUE(ranks);
  return RoomToHide(ranks->front(), transfers, Hidden::kCollectives);
}

TEST(Hiding, IsWhatComputesAlone) {
  const HidingRoom room = RoomWith(200);
  ASSERT_EQ(room.gpus.size(), 1u);
  EXPECT_EQ(room.gpus[0].exposed, 300);
  EXPECT_EQ(room.gpus[0].computing, 200);
  EXPECT_DOUBLE_EQ(room.HiddenShare(0, 1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(room.HiddenShare(0, 0.5), 1.0 / 3) << "faster computation hides less";
  EXPECT_DOUBLE_EQ(room.HiddenShare(1, 1), 0) << "another GPU";
}

TEST(Hiding, IsNothingWithoutComputation) { EXPECT_DOUBLE_EQ(RoomWith(0).HiddenShare(0, 1), 0); }

TEST(Hiding, IsNeverMoreThanIsExposed) {
  EXPECT_DOUBLE_EQ(RoomWith(290).HiddenShare(0, 1), 290.0 / 300);
  EXPECT_DOUBLE_EQ(RoomWith(290).HiddenShare(0, 10), 1);
}

// The table is by stream: the two kernels, then the reduction.
TEST(Hiding, WaitingForOtherRanksIsNotHidden) {
  const HidingRoom room = RoomWith(200, {-1, -1, 100});
  EXPECT_EQ(room.gpus[0].exposed, 100) << "the last 100 of 400 transfer";
  EXPECT_DOUBLE_EQ(room.HiddenShare(0, 1), 1);
}

TEST(Hiding, OfCopiesCountsNoCollectives) {
  TestProfile test;
  test.Step(0, {0, 1'000});
  test.Work("gemm", {0, 100});
  test.Work("Memcpy HtoD (Pinned -> Device)", {200, 500}, DeviceKind::kMemcpy, 0, 9);
  test.Work("ncclDevKernel_AllReduce(x)", {600, 700}, DeviceKind::kKernel, 0, 20);
  const auto profiles = OneRank(test.Finish());
  const auto ranks = iterations::BuildRankContexts(profiles, {});
  ASSERT_TRUE(ranks);
  const HidingRoom room = RoomToHide(ranks->front(), {}, Hidden::kCopies);
  EXPECT_EQ(room.gpus[0].exposed, 300);
  EXPECT_EQ(room.gpus[0].computing, 100);
}

}  // namespace
}  // namespace profgauge::analysis::simulation
