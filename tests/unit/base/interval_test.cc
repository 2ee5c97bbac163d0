#include "base/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace profgauge {

void PrintTo(const Span& span, std::ostream* out) {
  *out << '[' << span.start << ", " << span.end << ')';
}

namespace {

using Spans = std::vector<Span>;

TEST(Interval, MergesTouchingAndNested) {
  EXPECT_EQ(Merge({{33, 39}, {11, 22}, {15, 23}, {37, 38}, {35, 36}, {41, 42}}),
            (Spans{{11, 23}, {33, 39}, {41, 42}}));
  EXPECT_EQ(Merge({{1, 2}, {2, 3}}), (Spans{{1, 3}}));
  EXPECT_EQ(Merge({{5, 5}, {7, 6}}), Spans{});
  EXPECT_EQ(Merge({}), Spans{});
}

// As spans of several streams, one after another: few lists and many.
TEST(Interval, MergesListsThatFollowEachOther) {
  const auto by_start = [](const Span& a, const Span& b) { return a.start < b.start; };
  std::mt19937 random(7);
  for (const std::size_t lists : {1u, 2u, 3u, 5u, 64u, 65u, 200u}) {
    Spans all;
    for (std::size_t list = 0; list < lists; ++list) {
      Ns at = static_cast<Ns>(random() % 100);
      for (int i = 0; i < 20; ++i) {
        const Ns end = at + static_cast<Ns>(random() % 8);
        all.push_back({at, end});
        at = end + static_cast<Ns>(random() % 300);
      }
    }
    Spans sorted = all;
    std::sort(sorted.begin(), sorted.end(), by_start);
    const Spans merged = Merge(all);
    EXPECT_EQ(merged, Merge(sorted)) << lists;
    EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end(), by_start)) << lists;
  }
}

TEST(Interval, IntersectsAndSubtracts) {
  const Spans a = {{11, 22}, {33, 44}, {55, 66}};
  const Spans b = {{0, 1}, {10, 14}, {15, 16}, {19, 34}, {43, 46}};
  EXPECT_EQ(Subtract(a, b), (Spans{{14, 15}, {16, 19}, {34, 43}, {55, 66}}));
  EXPECT_EQ(Intersect(a, b), (Spans{{11, 14}, {15, 16}, {19, 22}, {33, 34}, {43, 44}}));
  EXPECT_EQ(OverlapLength(a, b), 3 + 1 + 3 + 1 + 1);
  EXPECT_EQ(Subtract(a, {}), a);
  EXPECT_EQ(Subtract(a, Spans{{0, 100}}), Spans{});
  EXPECT_EQ(Intersect(a, {}), Spans{});
}

TEST(Interval, OneLongSpanOverSeveral) {
  const Spans whole = {{0, 100}};
  const Spans parts = {{10, 20}, {30, 40}};
  EXPECT_EQ(Subtract(whole, parts), (Spans{{0, 10}, {20, 30}, {40, 100}}));
  EXPECT_EQ(Subtract(Spans{{0, 15}, {18, 35}, {38, 50}}, parts),
            (Spans{{0, 10}, {20, 30}, {40, 50}}));
}

TEST(Interval, ClipsToAWindow) {
  EXPECT_EQ(Clip(Spans{{0, 10}, {20, 30}}, {5, 25}), (Spans{{5, 10}, {20, 25}}));
  EXPECT_EQ(Clip(Spans{{0, 10}}, {5, 5}), Spans{});
  EXPECT_EQ(Length(Spans{{0, 10}, {20, 30}}), 20);
}

TEST(Interval, CollectorMergesAsItGoes) {
  SpanCollector collector;
  collector.Add(0, 10);
  collector.Add(2, 3);
  collector.Add(10, 5);
  collector.Add(40, 0);
  collector.Add(30, -1);
  collector.Add(20, 5);
  collector.Add(1, 2);  // Another thread starts over.
  EXPECT_EQ(collector.Take(), (Spans{{0, 15}, {20, 25}}));
  EXPECT_EQ(collector.Take(), Spans{});
}

// The sweeps against a picture of every nanosecond.
TEST(Interval, AgreesWithABitmapOnRandomSpans) {
  std::mt19937 random(7);
  constexpr Ns kEnd = 60;
  const auto draw = [&random] {
    Spans spans;
    for (int i = 0; i < 12; ++i) {
      const Ns start = static_cast<Ns>(random() % kEnd);
      spans.push_back({start, start + static_cast<Ns>(random() % 8)});
    }
    return spans;
  };
  const auto covers = [](const Spans& spans, Ns at) {
    for (const Span& span : spans) {
      if (span.start <= at && at < span.end) return true;
    }
    return false;
  };
  for (int round = 0; round < 500; ++round) {
    const Spans a = draw();
    const Spans b = draw();
    const Spans merged_a = Merge(a);
    const Spans merged_b = Merge(b);
    const Spans both = Intersect(merged_a, merged_b);
    const Spans only_a = Subtract(merged_a, merged_b);
    for (Ns at = 0; at < kEnd + 8; ++at) {
      ASSERT_EQ(covers(merged_a, at), covers(a, at));
      ASSERT_EQ(covers(both, at), covers(a, at) && covers(b, at));
      ASSERT_EQ(covers(only_a, at), covers(a, at) && !covers(b, at));
    }
    ASSERT_EQ(Length(both) + Length(only_a), Length(merged_a));
    ASSERT_EQ(OverlapLength(merged_a, merged_b), Length(both));
  }
}

}  // namespace
}  // namespace profgauge
