// The look of tables is one list: no table of the catalog is missing, and all its names exist.
#include "report/table_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "report/report.h"

namespace profgauge::report {
namespace {

bool HasColumn(const analysis::TableSpec& spec, std::string_view id) {
  return std::any_of(spec.columns.begin(), spec.columns.end(),
                     [id](const ColumnSpec& column) { return column.id == id; });
}

// A sheet with two tables could not be read by programs.
TEST(TableLooks, EveryTableHasItsSheet) {
  std::set<std::string_view> sheets = {"Summary", "Findings",  "Checks",       "Evidence",
                                       "Totals",  "Metrics",   "About",        "Baseline",
                                       "Runs",    "Waterfall", "Side by side", "Comparisons"};
  for (const TableLook& look : TableLooks()) {
    EXPECT_TRUE(sheets.insert(look.sheet).second) << look.id << ": " << look.sheet;
    EXPECT_EQ(look.sheet.find_first_of("[]:*?/\\"), std::string_view::npos) << look.sheet;
  }
}

TEST(TableLooks, EveryTableHasOne) {
  for (const analysis::TableSpec& spec : analysis::TableCatalogue()) {
    const TableLook* look = FindTableLook(spec.id);
    ASSERT_NE(look, nullptr) << spec.id << ": a row in report/table_look.cc says how it is shown";
    EXPECT_FALSE(look->sheet.empty()) << spec.id;
    EXPECT_LE(look->sheet.size(), 31u) << spec.id << ": longer than a sheet's name may be";
    EXPECT_TRUE(look->not_in_markdown.empty() || look->markdown_columns.empty()) << spec.id;
  }
}

TEST(TableLooks, NameExistingTablesAndColumns) {
  std::set<std::string_view> seen;
  for (const TableLook& look : TableLooks()) {
    EXPECT_TRUE(seen.insert(look.id).second) << look.id << " twice";
    const analysis::TableSpec* spec = analysis::FindTable(look.id);
    ASSERT_NE(spec, nullptr) << look.id;
    EXPECT_TRUE(look.sheet_by.empty() || HasColumn(*spec, look.sheet_by)) << look.id;
    for (const std::string_view column : look.markdown_columns) {
      EXPECT_TRUE(HasColumn(*spec, column)) << look.id << "." << column;
    }
  }
}

TEST(TableLooks, NewerTablesKeepTheirOrder) {
  Table table("of_tomorrow", "", "Of tomorrow", std::make_shared<StringPool>());
  table.AddColumn({"time", "Time", Unit::kTime, ""});
  EXPECT_EQ(FindTableLook(table.id()), nullptr);
  EXPECT_EQ(HeaviestColumn(table), nullptr);
}

TEST(TableLooks, SortsByHeaviestPresentColumn) {
  Table table("kernels", "kernel_name", "Kernels", std::make_shared<StringPool>());
  table.AddColumn({"bytes", "Bytes", Unit::kBytes, ""});
  table.AddColumn({"time", "Time", Unit::kTime, ""});
  EXPECT_EQ(HeaviestColumn(table), table.Find("time"));
  table.Find("time")->MarkAbsent("not recorded");
  EXPECT_EQ(HeaviestColumn(table), table.Find("bytes"));
}

TEST(TableLooks, HideWhatIsNotOutside) {
  Table table("kernels", "kernel_name", "Kernels", std::make_shared<StringPool>());
  Column& time = table.AddColumn({"time", "Time", Unit::kTime, ""});
  Column& outside = table.AddColumn({"outside", "Outside", Unit::kTime, ""});
  time.AddInteger(0);
  outside.AddInteger(0);
  EXPECT_FALSE(IsHidden(time));
  EXPECT_TRUE(IsHidden(outside));
  time.AddInteger(7);
  outside.AddInteger(5);
  EXPECT_FALSE(IsHidden(outside));
}

TEST(TellingRows, ManyRowsByCost) {
  Table steps("rank_steps", "rank_step", "Ranks by iteration", std::make_shared<StringPool>());
  Column& rank = steps.AddColumn({"rank", "Rank", Unit::kCount, ""});
  Column& cost = steps.AddColumn({"late_cost", "Cost", Unit::kTime, ""});
  for (std::int64_t i = 0; i < 30'000; ++i) {
    rank.AddInteger(i);
    cost.AddInteger(i == 29'999 ? 5 : 0);
  }
  for (const std::vector<std::size_t>& rows : {RowsInJson(steps), TellingRows(steps, 10'000)}) {
    ASSERT_EQ(rows.size(), 10'000u);
    EXPECT_EQ(rows.front(), 0u);
    EXPECT_EQ(rows.back(), 29'999u);
  }
  EXPECT_EQ(TellingRows(steps, 40'000).size(), 30'000u);
}

TEST(RowsInWorkbook, AreAllOrTheLargest) {
  Table ops("ops_by_iteration", "op", "Ops by iteration", std::make_shared<StringPool>());
  Column& time = ops.AddColumn({"time", "Time", Unit::kTime, ""});
  const std::size_t most = FindTableLook("ops_by_iteration")->sheet_rows;
  for (std::size_t i = 0; i < most; ++i) time.AddInteger(1);
  EXPECT_EQ(RowsInWorkbook(ops), most) << "it can be summed and pivoted";
  EXPECT_EQ(CountRowsInJson(ops), RowsInJson(ops).size());
  time.AddInteger(1);
  EXPECT_EQ(RowsInWorkbook(ops), kXlsxTellingRows);
  while (ops.rows() < 12'000) time.AddInteger(1);
  EXPECT_EQ(CountRowsInJson(ops), RowsInJson(ops).size());
  EXPECT_LT(CountRowsInJson(ops), ops.rows());
}

TEST(RowsInWorkbook, AreTenThousandRanks) {
  Table ranks("ranks", "rank", "Ranks", std::make_shared<StringPool>());
  Column& cost = ranks.AddColumn({"late_cost", "Cost", Unit::kTime, ""});
  for (int i = 0; i < 12'000; ++i) cost.AddInteger(i);
  EXPECT_EQ(RowsInWorkbook(ranks), kXlsxRows);
}

TEST(RowsInWorkbook, AreFirstRowsOfOrderedTables) {
  Table tree("op_tree", "node", "Operator tree", std::make_shared<StringPool>());
  Column& time = tree.AddColumn({"time", "Time", Unit::kTime, ""});
  for (int i = 0; i < 9'000; ++i) time.AddInteger(i);
  EXPECT_EQ(RowsInWorkbook(tree), FindTableLook("op_tree")->sheet_rows);
}

}  // namespace
}  // namespace profgauge::report
