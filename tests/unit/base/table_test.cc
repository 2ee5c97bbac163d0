#include "base/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace profgauge {
namespace {

TEST(Table, CellsKeepTheirTypeAndAbsence) {
  Table table("ops", "op", "Ops", std::make_shared<StringPool>());
  Column& name = table.AddColumn({"name", "Name", Unit::kText, ""});
  Column& time = table.AddColumn({"time", "Time", Unit::kTime, ""});
  Column& share = table.AddColumn({"share", "Share", Unit::kShare, ""});
  Column& eligible = table.AddColumn({"eligible", "Eligible", Unit::kBool, ""});
  name.AddText(table.strings().Intern("aten::mm"));
  time.AddInteger(5);
  share.AddReal(0.5);
  eligible.AddInteger(1);
  for (Column& column : table.columns()) column.AddAbsent();

  EXPECT_TRUE(table.CheckShape());
  EXPECT_EQ(table.At(0, "name"), Value(std::string("aten::mm")));
  EXPECT_EQ(table.At(0, "time"), Value(std::int64_t{5}));
  EXPECT_EQ(table.At(0, "share"), Value(0.5));
  EXPECT_EQ(table.At(0, "eligible"), Value(true));
  for (const Column& column : table.columns()) EXPECT_TRUE(IsAbsent(table.At(1, column)));
  EXPECT_TRUE(IsAbsent(table.At(0, "no_such_column")));
}

TEST(Table, NumbersKeepValuesAtEveryWidth) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  // Around the ends of each width, where a smallest number would be taken for absence.
  std::vector<std::int64_t> values = {0, -1};
  for (const std::int64_t end :
       {std::int64_t{127}, std::int64_t{32'767}, std::int64_t{2'147'483'647}}) {
    for (std::int64_t value = end - 1; value <= end + 2; ++value) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  values.insert(values.end(), {kMost, -kMost, 5});
  Table table("ops", "op", "Ops", std::make_shared<StringPool>());
  Column& column = table.AddColumn({"time", "Time", Unit::kTime, ""});
  column.Reserve(3);  // Too few: room is a matter of speed only.
  column.AddAbsent();
  for (std::size_t i = 0; i < values.size(); ++i) {
    column.AddInteger(values[i]);
    column.AddAbsent();
    for (std::size_t row = 0; row <= i; ++row) {
      ASSERT_EQ(column.IntegerAt(row * 2 + 1), values[row]) << "after " << values[i];
      ASSERT_TRUE(column.IsAbsentAt(row * 2));
    }
  }
  column.SetInteger(0, kMost);
  EXPECT_EQ(column.IntegerAt(0), kMost);
  EXPECT_EQ(column.size(), values.size() * 2 + 1);
}

TEST(Table, TextsKeepValuesBeyondFirstWidth) {
  Table table("ops", "op", "Ops", std::make_shared<StringPool>());
  Column& name = table.AddColumn({"name", "Name", Unit::kText, ""});
  for (int i = 0; i < 300; ++i) name.AddText(table.strings().Intern("op" + std::to_string(i)));
  name.SetText(7, table.strings().Intern("renamed"));
  name.AddText(StringId{});
  EXPECT_EQ(table.At(0, name), Value(std::string("op0")));
  EXPECT_EQ(table.At(7, name), Value(std::string("renamed")));
  EXPECT_EQ(table.At(299, name), Value(std::string("op299")));
  EXPECT_FALSE(name.TextAt(300).valid());
}

// A vector of tables that grows must move them: a table can hold gigabytes.
static_assert(std::is_nothrow_move_constructible_v<Table>);

}  // namespace
}  // namespace profgauge
