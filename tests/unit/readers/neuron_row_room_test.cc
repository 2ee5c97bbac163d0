#include "readers/neuron/row_room.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace profgauge::readers::neuron {
namespace {

constexpr std::size_t kRows = 100'000;

// Adds kRows rows to a table that is the file from `begin` on.
std::vector<std::size_t> Fill(double begin, bool is_known) {
  RowRoom room;
  if (is_known) room.SetRead(begin);
  room.BeginTable();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(kRows);
    if (is_known) room.SetRead(begin + (1 - begin) * done);
    room.Add(rows) = i;
  }
  return rows;
}

TEST(RowRoom, EqualsNeedOfTheRest) {
  for (const double begin : {0.0, 0.3, 0.9}) {
    const auto rows = Fill(begin, true);
    EXPECT_LT(rows.capacity(), kRows * 105 / 100) << begin;
  }
}

TEST(RowRoom, KeepsTheRowsInOrder) {
  const auto rows = Fill(0.2, true);
  ASSERT_EQ(rows.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) ASSERT_EQ(rows[i], i);
}

TEST(RowRoom, DoublesWithoutFileSize) {
  const auto rows = Fill(0, false);
  ASSERT_EQ(rows.size(), kRows);
  EXPECT_EQ(rows.capacity(), std::size_t{1} << 17);
}

TEST(RowRoom, IgnoresFewRowsAndNewTables) {
  RowRoom room;
  room.SetRead(0.5);
  room.BeginTable();
  EXPECT_EQ(room.Expected(1 << 20), 0u);  // Nothing of the file is the table's yet.
  room.SetRead(0.6);
  EXPECT_EQ(room.Expected(10), 0u);
  EXPECT_NEAR(static_cast<double>(room.Expected(100'000)), 510'000, 10);
}

}  // namespace
}  // namespace profgauge::readers::neuron
