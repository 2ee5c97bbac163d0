#include "analysis/breakdown/changing_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/breakdown/iteration_stats.h"

namespace profgauge::analysis {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

using Lengths = std::vector<double>;
using Counts = std::vector<std::int64_t>;

// Every second step runs the optimizer: steady, each of its kind.
TEST(TypicalLengths, ComeFromEqualLaunchCounts) {
  const Lengths lengths = {100, 150, 101, 151, 99, 149};
  const Counts kernels = {20, 25, 20, 25, 20, 25};
  const Lengths typical = breakdown::TypicalLengths(lengths, kernels, {});
  EXPECT_THAT(typical, ElementsAre(100, 150, 100, 150, 100, 150));
  EXPECT_GT(*breakdown::Describe(lengths).robust_cv, 0.2);
  EXPECT_LT(*breakdown::Describe(breakdown::WithoutKinds(lengths, typical)).robust_cv, 0.02);
  EXPECT_EQ(breakdown::Describe(breakdown::WithoutKinds(lengths, typical)).median, 125);
}

// A slow one among those that launch as much stays one.
TEST(TypicalLengths, KeepOutliersOfAKind) {
  Lengths lengths;
  Counts kernels;
  for (int i = 0; i < 16; ++i) {
    const bool steps = i % 4 == 3;
    lengths.push_back(steps ? 150 + i % 3 : 100 + i % 3);
    kernels.push_back(steps ? 25 : 20);
  }
  lengths[5] *= 1.4;
  const auto alike =
      breakdown::WithoutKinds(lengths, breakdown::TypicalLengths(lengths, kernels, {}));
  EXPECT_EQ(breakdown::Describe(alike).outliers, 1);
  EXPECT_GT(breakdown::Describe(lengths).outliers, 1);
}

// Two alike, or counts that hardly repeat, may be chance.
TEST(TypicalLengths, FewOrManyKindsUseAll) {
  const Lengths lengths = {100, 150, 101, 151, 99};
  EXPECT_THAT(breakdown::TypicalLengths(lengths, Counts{20, 25, 20, 25, 20}, {}), Each(101));
  EXPECT_THAT(breakdown::TypicalLengths(lengths, Counts{1, 2, 3, 4, 5}, {}), Each(101));
  EXPECT_EQ(breakdown::WithoutKinds(lengths,
                                    breakdown::TypicalLengths(lengths, Counts{0, 0, 0, 0, 0}, {})),
            lengths);
  EXPECT_TRUE(breakdown::TypicalLengths({}, {}, {}).empty());
}

// Longer inputs take longer, which is no variance; a slow one stays slow.
TEST(TypicalLengths, FollowInputsOfChangingSize) {
  const std::vector<Ns> changing = {500, 900, 700, 300, 800, 600, 400, 1000};
  Lengths lengths;
  for (const Ns work : changing) lengths.push_back(100 + static_cast<double>(work));
  lengths[5] += 400;
  const Lengths typical = breakdown::TypicalLengths(lengths, Counts(8, 20), changing);
  EXPECT_EQ(typical[0], 600);
  EXPECT_EQ(typical[5], 700);
  const auto alike = breakdown::Describe(breakdown::WithoutKinds(lengths, typical));
  EXPECT_EQ(alike.outliers, 1);
  EXPECT_LT(*alike.robust_cv, 0.01);
}

// A host that is slower than the device makes them all as long.
TEST(TypicalLengths, HiddenWorkUsesAll) {
  const Lengths lengths = {1000, 1001, 999, 1000};
  EXPECT_THAT(
      breakdown::TypicalLengths(lengths, Counts(4, 20), std::vector<Ns>{100, 800, 300, 600}),
      Each(1000));
}

}  // namespace
}  // namespace profgauge::analysis
