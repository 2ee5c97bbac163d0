#include "base/table.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace profgauge
