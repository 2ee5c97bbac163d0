// Columns that widen as their values need hold the same as a vector.
#include "model/narrow_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/units.h"
#include "model/tables.h"

namespace profgauge {
namespace {

using ::testing::ElementsAreArray;

TEST(NarrowColumn, EqualsAVectorAtEveryWidth) {
  const std::vector<Ns> values = {0,
                                  -1,
                                  127,
                                  128,
                                  -128,
                                  32'767,
                                  32'768,
                                  1 << 20,
                                  Ns{1} << 31,
                                  3,
                                  -5,
                                  Ns{1} << 40,
                                  std::numeric_limits<Ns>::max()};
  for (std::size_t first = 0; first < values.size(); ++first) {
    NarrowColumn<Ns> column;
    std::vector<Ns> expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
      column.push_back(values[(first + i) % values.size()]);
      expected.push_back(values[(first + i) % values.size()]);
      ASSERT_THAT(column, ElementsAreArray(expected));
    }
    column.Set(first, 1);
    expected[first] = 1;
    EXPECT_THAT(column, ElementsAreArray(expected));
    column.Keep({3, 1});
    EXPECT_EQ(column.size(), 2U);
    EXPECT_EQ(column.front(), expected[3]);
    EXPECT_EQ(column.back(), expected[1]);
  }
}

TEST(NarrowColumn, AnIdOfNothingStaysOne) {
  NarrowColumn<ThreadId> column = {ThreadId{3}, ThreadId{}, ThreadId{70'000},
                                   ThreadId{0xffff'fffe}};
  EXPECT_EQ(column[0], ThreadId{3});
  EXPECT_FALSE(column[1].valid());
  EXPECT_EQ(column[2], ThreadId{70'000});
  EXPECT_EQ(column[3], ThreadId{0xffff'fffe});
  column.Set(0, {});
  EXPECT_FALSE(column[0].valid());
}

}  // namespace
}  // namespace profgauge
