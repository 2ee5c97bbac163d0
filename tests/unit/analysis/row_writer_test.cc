#include "analysis/catalog/row_writer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "analysis/catalog/shared_columns.h"

namespace profgauge::analysis {
namespace {

constexpr ColumnSpec kTaken[] = {{"name", "Name", Unit::kText, ""},
                                 {"time", "Time", Unit::kTime, ""}};
constexpr auto kOpCells = catalog::columns::Join(kTaken, {{"share", "Share", Unit::kShare, ""}});
using OpWriter = catalog::RowWriter<kOpCells>;

Table MakeTable(std::span<const ColumnSpec> of = kOpCells) {
  Table table("ops", "op", "Ops", std::make_shared<StringPool>());
  for (const ColumnSpec& column : of) table.AddColumn(column);
  return table;
}

template <class Name>
concept TakesInteger = requires(OpWriter& write, Name name, std::int64_t value) {
  write.Integer(name, value).Known(name, value).IntegerIf(name, true, value).Bool(name, true);
};
template <class Name>
concept TakesReal = requires(OpWriter& write, Name name, double value) {
  write.Real(name, value).KnownReal(name, value).Share(name, value, value);
};
template <class Name>
concept TakesText = requires(OpWriter& write, Name name, StringId text) {
  write.Text(name, text).Text(name, std::string());
};
template <class Name>
concept TakesAbsent = requires(OpWriter& write, Name name) {
  write.Absent(name, name);
};

static_assert(TakesText<catalog::Col<"name">> && TakesInteger<catalog::Col<"time">> &&
              TakesReal<catalog::Col<"share">>);
// Misspelt, or a column of another table.
static_assert(!TakesInteger<catalog::Col<"tim">> && !TakesInteger<catalog::Col<"times">>);
static_assert(!TakesText<catalog::Col<"Name">> && !TakesReal<catalog::Col<"kernel_time">>);
static_assert(TakesAbsent<catalog::Col<"time">> && !TakesAbsent<catalog::Col<"tim">>);
// A column of another type.
static_assert(!TakesReal<catalog::Col<"time">> && !TakesText<catalog::Col<"time">>);
static_assert(!TakesInteger<catalog::Col<"name">> && !TakesReal<catalog::Col<"name">>);
static_assert(!TakesInteger<catalog::Col<"share">> && !TakesText<catalog::Col<"share">>);

std::string Refusal(void (*write)(OpWriter& row)) {
  Table table = MakeTable();
  // Never destroyed, which asserts that the row is complete.
  alignas(OpWriter) std::byte place[sizeof(OpWriter)];
  try {
    write(*new (place) OpWriter(table));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "taken";
}

TEST(RowWriter, BeginsNextRowAfterLastColumn) {
  Table table = MakeTable();
  OpWriter write(table);
  write.Text("name"_col, "aten::mm").Integer("time"_col, 5).Real("share"_col, 0.5);
  write.Text("name"_col, table.strings().Intern("aten::add"))
      .IntegerIf("time"_col, true, 7)
      .Share("share"_col, 1.0, 4.0);
  EXPECT_TRUE(table.CheckShape());
  EXPECT_EQ(table.At(0, "name"), Value(std::string("aten::mm")));
  EXPECT_EQ(table.At(0, "time"), Value(std::int64_t{5}));
  EXPECT_EQ(table.At(1, "name"), Value(std::string("aten::add")));
  EXPECT_EQ(table.At(1, "share"), Value(0.25));
}

TEST(RowWriter, LeavesUnknownAbsent) {
  Table table = MakeTable();
  OpWriter write(table);
  write.Text("name"_col, "").Known("time"_col, -1).KnownReal("share"_col, -1);
  write.Text("name"_col, StringId{})
      .IntegerIf("time"_col, false, 3)
      .Real("share"_col, std::nullopt);
  write.Absent("name"_col, "time"_col).Share("share"_col, 1.0, 0.0);
  ASSERT_EQ(table.rows(), 3U);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const Column& column : table.columns()) EXPECT_TRUE(IsAbsent(table.At(row, column)));
  }
}

TEST(RowWriter, RefusesSkippedCells) {
  EXPECT_EQ(Refusal([](OpWriter& row) { row.Text("name"_col, "mm").Real("share"_col, 0.5); }),
            "table ops: a cell of column share where that of time comes");
  EXPECT_EQ(Refusal([](OpWriter& row) { row.Integer("time"_col, 5); }),
            "table ops: a cell of column time where that of name comes");
  EXPECT_EQ(Refusal([](OpWriter& row) {
              row.Text("name"_col, "mm").Integer("time"_col, 5).Text("name"_col, "add");
            }),
            "table ops: a cell of column name where that of share comes");
}

TEST(RowWriter, RefusesCellsOutOfOrder) {
  EXPECT_EQ(Refusal([](OpWriter& row) { row.Absent("name"_col, "share"_col, "time"_col); }),
            "table ops: a cell of column share where that of time comes");
  EXPECT_EQ(Refusal([](OpWriter& row) { row.Text("name"_col, "mm").Text("name"_col, "mm"); }),
            "table ops: a cell of column name where that of time comes");
}

TEST(RowWriter, TakesOnlyATableOfItsColumns) {
  Table fewer = MakeTable(kTaken);
  EXPECT_THROW(OpWriter{fewer}, std::logic_error);
  const ColumnSpec renamed[] = {kOpCells[0], {"times", "Times", Unit::kTime, ""}, kOpCells[2]};
  Table other = MakeTable(renamed);
  EXPECT_THROW(OpWriter{other}, std::logic_error);
}

}  // namespace
}  // namespace profgauge::analysis
