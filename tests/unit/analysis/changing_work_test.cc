// Kernels whose inputs change in size from iteration to iteration.
#include "analysis/time/changing_work.h"

#include <gmock/gmock.h>

#include "fixture.h"

namespace profgauge {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

// Four iterations of a product of that many rows, an update that is always the same, and in some a
// reduction of it.
std::vector<Ns> ChangingOf(const std::vector<int>& rows, bool reduces = false) {
  TestProfile test;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Ns at = static_cast<Ns>(i) * 10'000;
    test.Step(static_cast<int>(i), {at, at + 9'000});
    test.Host(HostKind::kOp, "aten::mm", {at + 100, at + 200}, {},
              "[[" + std::to_string(rows[i]) + ",8]]");
    test.Launch("gemm", {at + 110, at + 120}, {at + 300, at + 300 + rows[i]});
    test.Launch("adam", {at + 310, at + 320}, {at + 5'000, at + 5'500});
    if (reduces) {
      test.Launch("ncclDevKernel_AllReduce_Sum", {at + 330, at + 340},
                  {at + 6'000, at + 6'000 + static_cast<Ns>(i)});
    }
  }
  const Profile profile = test.Finish();
  auto contexts = BuildRankContexts(std::span(&profile, 1), {});
  EXPECT_TRUE(contexts);
  return ChangingWork(contexts->front());
}

TEST(ChangingWork, IsThatOfKernelsWithOtherShapes) {
  EXPECT_THAT(ChangingOf({1000, 2000, 1500, 3000}), ElementsAre(1000, 2000, 1500, 3000));
  EXPECT_THAT(ChangingOf({1000, 1000, 1500, 3000}, true), ElementsAre(1000, 1000, 1500, 3000));
}

TEST(ChangingWork, IsNoneWhereMostIterationsAreAlike) {
  EXPECT_THAT(ChangingOf({1000, 1000, 1000, 1000}), Each(0));
  EXPECT_THAT(ChangingOf({1000, 1000, 1000, 3000}, true), Each(0));
}

TEST(ChangingWork, IsThatOfOperatorsWhereNoDeviceWorks) {
  TestProfile test;
  for (int i = 0; i < 4; ++i) {
    const Ns at = i * 10'000, rows = 1000 + i * 500;
    test.Step(i, {at, at + 9'000});
    const std::string shapes = "[[" + std::to_string(rows) + ",8]]";
    test.Host(HostKind::kOp, "aten::linear", {at + 100, at + 200 + rows}, {}, shapes);
    test.Host(HostKind::kOp, "aten::mm", {at + 150, at + 150 + rows}, {}, shapes);
    test.Host(HostKind::kOp, "aten::add_", {at + 5'000, at + 5'500}, {}, "[[8]]");
    test.Op("aten::item", {at + 6'000, at + 6'100 + i});
  }
  const Profile profile = test.Finish();
  const auto contexts = BuildRankContexts(std::span(&profile, 1), {});
  ASSERT_TRUE(contexts);
  EXPECT_THAT(ChangingWork(contexts->front()), ElementsAre(1100, 1600, 2100, 2600));
}

}  // namespace
}  // namespace profgauge
