#include "analysis/breakdown/laid_out.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "breakdowns.h"
#include "fixture.h"

namespace profgauge::analysis {
namespace {

Ns NsOf(const breakdown::LaidOutColumn& column, Category category) {
  return column[static_cast<std::size_t>(category)];
}

std::vector<breakdown::LaidOutColumn> ColumnsLaidOut(const Profile& profile,
                                                     const breakdown::LaidOutPart& part) {
  return breakdown::LayOut(profile, classify::ClassifyDevice(profile), part);
}

TEST(LayOut, PartsOfAColumnAreThoseOfItsTime) {
  TestProfile test;
  test.Op("aten::mm", {0, 260});
  test.Work("elementwise_kernel", {50, 150});
  const auto columns = ColumnsLaidOut(test.Finish(), {{0, 300}, 3, {}, {}});
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(NsOf(columns[0], Category::kOtherKernel), 50);
  EXPECT_EQ(NsOf(columns[0], Category::kCpu), 50);
  EXPECT_EQ(NsOf(columns[1], Category::kOtherKernel), 50);
  EXPECT_EQ(NsOf(columns[2], Category::kCpu), 60);
  EXPECT_EQ(NsOf(columns[2], Category::kOther), 40);
}

TEST(LayOut, WaitingIsTakenFromCommunicationAlone) {
  TestProfile test;
  test.Work("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", {0, 100});
  test.Work("elementwise_kernel", {20, 40}, DeviceKind::kKernel, 0, 8);
  const Span waits[] = {{0, 60}}, unobserved[] = {{50, 55}};
  const auto columns = ColumnsLaidOut(test.Finish(), {{0, 200}, 1, unobserved, waits});
  EXPECT_EQ(NsOf(columns[0], Category::kOtherKernel), 20);
  EXPECT_EQ(NsOf(columns[0], Category::kWait), 35);
  EXPECT_EQ(NsOf(columns[0], Category::kCommunication), 40);
  EXPECT_EQ(std::accumulate(columns[0].begin(), columns[0].end(), Ns{0}), 195);
}

// Also of events that begin before the part, and those outside of it.
TEST(LayOut, ColumnsAddUpToTheBreakdown) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    TestProfile test;
    for (int i = 0; i < 60; ++i) {
      const Ns start = random() % 1000, length = random() % 100;
      test.Work(i % 3 == 0 ? "Memcpy HtoD" : "elementwise_kernel", {start, start + length},
                i % 3 == 0 ? DeviceKind::kMemcpy : DeviceKind::kKernel, 0, 7 + i % 4);
    }
    test.Op("aten::outer", {0, 900});
    test.Op("aten::inner", {100, 300});
    const Profile profile = test.Finish();
    const Span part{200 + static_cast<Ns>(random() % 100), 700 + static_cast<Ns>(random() % 100)};
    const auto whole =
        BreakdownsOf(profile, classify::ClassifyDevice(profile), std::span(&part, 1)).front();
    const auto columns = ColumnsLaidOut(profile, {part, 1 + random() % 200, {}, {}});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      Ns sum = 0;
      for (const breakdown::LaidOutColumn& column : columns) sum += column[i];
      EXPECT_EQ(sum, whole[i]) << i;
    }
  }
}

}  // namespace
}  // namespace profgauge::analysis
