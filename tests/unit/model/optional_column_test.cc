#include "model/optional_column.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "model/tables.h"

namespace profgauge {
namespace {

using testing::ElementsAre;

struct OfThread {
  ThreadId thread;
};
constexpr ThreadId kNoThread{};

TEST(OptionalColumn, EmptyColumnTakesNoMemory) {
  OptionalColumn<ThreadId> column;
  column.Append(std::span<const OfThread>(std::array<OfThread, 3>()), &OfThread::thread);
  column.Set(1, kNoThread);
  EXPECT_EQ(column.size(), 3U);
  EXPECT_EQ(column[2], kNoThread);
  EXPECT_TRUE(column.values().empty());
}

TEST(OptionalColumn, KeepsValuesFromFirstOn) {
  OptionalColumn<ThreadId> column;
  const std::array<OfThread, 3> rows = {OfThread{}, OfThread{ThreadId{5}}, OfThread{}};
  column.Append(std::span<const OfThread>(rows).first(1), &OfThread::thread);
  column.Append(std::span<const OfThread>(rows), &OfThread::thread);
  column.Append(std::span<const OfThread>(rows).first(1), &OfThread::thread);
  EXPECT_THAT(column.values(),
              ElementsAre(kNoThread, kNoThread, ThreadId{5}, kNoThread, kNoThread));
  column.Set(4, ThreadId{6});
  column.Set(2, kNoThread);
  EXPECT_THAT(column.values(),
              ElementsAre(kNoThread, kNoThread, kNoThread, kNoThread, ThreadId{6}));
}

TEST(OptionalColumn, IsOrderedLikeOtherColumns) {
  OptionalColumn<ThreadId> values, none;
  const std::array<OfThread, 3> rows = {OfThread{ThreadId{7}}, OfThread{ThreadId{8}},
                                        OfThread{ThreadId{9}}};
  values.Append(std::span<const OfThread>(rows), &OfThread::thread);
  none.Append(std::span<const OfThread>(std::array<OfThread, 3>()), &OfThread::thread);
  PermuteAll({}, values, none);
  EXPECT_EQ(none.size(), 3U);
  PermuteAll({2, 0}, values, none);
  EXPECT_THAT(values.values(), ElementsAre(ThreadId{9}, ThreadId{7}));
  EXPECT_EQ(values.size(), 2U);
  EXPECT_EQ(none.size(), 2U);
}

}  // namespace
}  // namespace profgauge
