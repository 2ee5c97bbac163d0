// The typed constants of rules/knowledge/thresholds.yaml, and its rows as data.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "base/units.h"
#include "knowledge/quantity.h"
#include "knowledge/thresholds.h"
#include "knowledge/tunable.h"

namespace profgauge::knowledge {
namespace {

template <class A, class B>
constexpr bool kCompare = requires(A a, B b) {
  a < b;
};

TEST(Quantity, KindsDoNotMix) {
  static_assert(kCompare<Ns, Time> && kCompare<double, Ratio> && kCompare<std::size_t, Count>);
  static_assert(!kCompare<Time, Ratio> && !kCompare<Time, Count> && !kCompare<Ratio, Count>);
  static_assert(!kCompare<Ns, Ratio> && !kCompare<std::size_t, Ratio>);
  static_assert(!std::is_convertible_v<Time, Ns> && !std::is_convertible_v<Ns, Time>);
  static_assert(!std::is_convertible_v<Ratio, double> && !std::is_convertible_v<double, Ratio>);
  static_assert(!std::is_convertible_v<Count, int> && !std::is_convertible_v<int, Count>);
  static_assert(!std::is_convertible_v<Time, Ratio> && !std::is_convertible_v<Count, Ratio>);
}

TEST(Quantity, RatiosOfWholeNumbersAreExact) {
  constexpr Ratio kThird{1, 3};
  EXPECT_TRUE(3 == kThird.Of(9));
  EXPECT_TRUE(3 > kThird.Of(8));
  EXPECT_TRUE(3 < kThird.Of(10));
  EXPECT_EQ(kThird.WholeOf(std::int64_t{11}), 3);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(kMost / 3 == kThird.Of(kMost));  // No overflow.
  EXPECT_EQ((Ratio{5, 100}.value()), 0.05);
  EXPECT_TRUE((Ratio{1, 2} == Ratio{2, 4}));
  EXPECT_TRUE((Ratio{1, 3} < Ratio{2, 5}));
}

TEST(Quantity, CountsCompareWhateverTheSign) {
  EXPECT_TRUE(-1 < Count(3));
  EXPECT_TRUE(std::uint64_t{4} > Count(3));
  EXPECT_EQ(2 * Count(3), 6);
  EXPECT_TRUE(Ns{29} < Time(30));
  EXPECT_EQ(Ns{100} - Time(30), 70);
}

TEST(Thresholds, EachRowIsWhole) {
  std::string before;
  ASSERT_GT(Thresholds().size(), 50U);
  for (const ThresholdRow& row : Thresholds()) {
    EXPECT_LT(before, row.id);
    before = row.id;
    EXPECT_FALSE(row.means.empty() || row.evidence.empty() || row.used_by.empty()) << row.id;
    EXPECT_TRUE(row.means.ends_with('.')) << row.id;
    EXPECT_GT(row.value, 0) << row.id;
    EXPECT_EQ(FindThreshold(row.id), &row);
    if (!row.tunable) continue;
    EXPECT_TRUE(row.least <= row.value && row.value <= row.most) << row.id;
  }
  EXPECT_EQ(FindThreshold("no.such"), nullptr);
}

TEST(Thresholds, AreSetAndReadBack) {
  for (const ThresholdRow& row : Thresholds()) {
    if (!row.tunable) continue;
    TunableThresholds all;
    EXPECT_EQ(row.get(all), row.value) << row.id;
    EXPECT_FALSE(row.IsChanged(all));
    row.set(all, row.most);
    EXPECT_EQ(row.get(all), row.most) << row.id;
    EXPECT_EQ(row.IsChanged(all), row.most != row.value);
    row.set(all, row.value);
    EXPECT_EQ(all, TunableThresholds{}) << row.id;
  }
  const ThresholdRow* share = FindThreshold("findings.small_gain_share");
  ASSERT_NE(share, nullptr);
  TunableThresholds all;
  share->set(all, 0.015);
  EXPECT_EQ(all.findings_small_gain_share.value(), 0.015);
}

}  // namespace
}  // namespace profgauge::knowledge
