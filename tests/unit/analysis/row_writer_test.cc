#include "analysis/tables/row_writer.h"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace profgauge {
namespace {

Table MakeTable() {
  Table table("ops", "op", "Ops", std::make_shared<StringPool>());
  table.AddColumn({"name", "Name", Unit::kText, ""});
  table.AddColumn({"time", "Time", Unit::kTime, ""});
  table.AddColumn({"share", "Share", Unit::kShare, ""});
  return table;
}

TEST(RowWriter, BeginsTheNextRowAfterTheLastColumn) {
  Table table = MakeTable();
  RowWriter write(table);
  write.Text("aten::mm").Integer(5).Real(0.5);
  write.Text(table.strings().Intern("aten::add")).IntegerIf(true, 7).Share(1.0, 4.0);
  EXPECT_TRUE(table.CheckShape());
  EXPECT_EQ(table.At(0, "name"), Value(std::string("aten::mm")));
  EXPECT_EQ(table.At(0, "time"), Value(std::int64_t{5}));
  EXPECT_EQ(table.At(1, "name"), Value(std::string("aten::add")));
  EXPECT_EQ(table.At(1, "share"), Value(0.25));
}

TEST(RowWriter, LeavesAbsentWhatIsUnknown) {
  Table table = MakeTable();
  RowWriter write(table);
  write.Text("").Known(-1).KnownReal(-1);
  write.Text(StringId{}).IntegerIf(false, 3).Real(std::nullopt);
  write.Absent().Absent().Share(1.0, 0.0);
  ASSERT_EQ(table.rows(), 3U);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const Column& column : table.columns()) EXPECT_TRUE(IsAbsent(table.At(row, column)));
  }
}

// Cells that come in another order than their columns.
TEST(RowWriter, TakesNoCellOfAnotherType) {
  Table numbers = MakeTable(), texts = MakeTable(), reals = MakeTable();
  RowWriter number(numbers), text(texts), real(reals);
  EXPECT_THROW(number.Integer(5), std::logic_error);
  number.Absent().Absent();
  text.Absent();
  EXPECT_THROW(text.Text("aten::mm"), std::logic_error);
  text.Absent();
  real.Absent();
  EXPECT_THROW(real.Real(0.5), std::exception);
  EXPECT_THROW(real.Integer(5), std::exception);
}

}  // namespace
}  // namespace profgauge
