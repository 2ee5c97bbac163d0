#include "model/permute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace profgauge {
namespace {

/// Values of 0 to 99 in this many runs that are in order, of random lengths.
std::vector<int> InRuns(std::size_t runs, std::mt19937& random) {
  std::vector<int> values;
  for (std::size_t run = 0; run < runs; ++run) {
    for (int value = 0; value < 100; value += 1 + static_cast<int>(random() % 40)) {
      values.push_back(value);
    }
  }
  return values;
}

TEST(SortedRows, NoneIfAllIsSorted) {
  const std::vector<int> values = {1, 1, 2, 3};
  const auto less = [&](auto a, auto b) { return values[a] < values[b]; };
  EXPECT_TRUE(SortedRows(values.size(), less).empty());
  EXPECT_TRUE(SortedRows(0, less).empty());
}

// Few runs are merged as they are, many in pieces: equal values keep their order in both.
TEST(SortedRows, AreThoseOfAStableSort) {
  std::mt19937 random(7);
  for (const std::size_t runs : {2, 3, 5, 8, 100, 1023, 1024, 1025, 3000}) {
    const std::vector<int> values = InRuns(runs, random);
    const auto less = [&](auto a, auto b) { return values[a] < values[b]; };
    Permutation expected(values.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(), less);
    EXPECT_EQ(SortedRows(values.size(), less), expected) << runs;
  }
}

// Rows near to where they belong, and some that are far from it.
TEST(SortedRows, EqualAStableSort) {
  std::mt19937 random(7);
  for (const std::size_t apart : {1, 2, 40, 5000}) {
    std::vector<std::size_t> values(20'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = (i + random() % apart) / 2;
      if (random() % 1000 == 0) values[i] = random() % values.size();
    }
    const auto less = [&](auto a, auto b) { return values[a] < values[b]; };
    Permutation expected(values.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(), less);
    EXPECT_EQ(SortedRows(values.size(), less), expected) << apart;
  }
}

TEST(GroupedRows, AreAStableSortByKey) {
  std::mt19937 random(7);
  for (const std::int64_t apart : {1, 3, 64, 1 << 16}) {
    std::vector<std::int64_t> keys(5000);
    for (auto& key : keys) key = (static_cast<std::int64_t>(random() % 200) - 100) * apart;
    const auto key = [&](std::uint32_t row) { return keys[row]; };
    Permutation expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](auto a, auto b) { return keys[a] < keys[b]; });
    EXPECT_EQ(GroupedRows(keys.size(), key), expected) << apart;
  }
}

}  // namespace
}  // namespace profgauge
