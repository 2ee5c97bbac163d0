// How tables are shown is one list: no table of the catalogue is missing, and all that the list
// names is there.
#include "report/table_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/analysis.h"

namespace profgauge::report {
namespace {

bool HasColumn(const TableSpec& spec, std::string_view id) {
  return std::any_of(spec.columns.begin(), spec.columns.end(),
                     [id](const ColumnSpec& column) { return column.id == id; });
}

TEST(TableLooks, EveryTableOfTheCatalogueHasOne) {
  for (const TableSpec& spec : TableCatalogue()) {
    const TableLook* look = FindTableLook(spec.id);
    ASSERT_NE(look, nullptr) << spec.id << ": a row in report/table_look.cc says how it is shown";
    EXPECT_FALSE(look->sheet.empty()) << spec.id;
    EXPECT_LE(look->sheet.size(), 31u) << spec.id << ": longer than a sheet's name may be";
    EXPECT_TRUE(look->not_in_markdown.empty() || look->markdown_columns.empty()) << spec.id;
  }
}

TEST(TableLooks, NameTablesAndColumnsThatThereAre) {
  std::set<std::string_view> seen;
  for (const TableLook& look : TableLooks()) {
    EXPECT_TRUE(seen.insert(look.id).second) << look.id << " twice";
    const TableSpec* spec = FindTable(look.id);
    ASSERT_NE(spec, nullptr) << look.id;
    EXPECT_TRUE(look.sheet_by.empty() || HasColumn(*spec, look.sheet_by)) << look.id;
    for (const std::string_view column : look.markdown_columns) {
      EXPECT_TRUE(HasColumn(*spec, column)) << look.id << "." << column;
    }
  }
}

TEST(TableLooks, ATableOfANewerVersionKeepsItsOrder) {
  Table table("of_tomorrow", "", "Of tomorrow", std::make_shared<StringPool>());
  table.AddColumn({"time", "Time", Unit::kTime, ""});
  EXPECT_EQ(FindTableLook(table.id()), nullptr);
  EXPECT_EQ(HeaviestColumn(table), nullptr);
}

TEST(TableLooks, RowsAreSortedByTheHeaviestColumnThatIsThere) {
  Table table("kernels", "kernel_name", "Kernels", std::make_shared<StringPool>());
  table.AddColumn({"bytes", "Bytes", Unit::kBytes, ""});
  table.AddColumn({"time", "Time", Unit::kTime, ""});
  EXPECT_EQ(HeaviestColumn(table), table.Find("time"));
  table.Find("time")->MarkAbsent("not recorded");
  EXPECT_EQ(HeaviestColumn(table), table.Find("bytes"));
}

}  // namespace
}  // namespace profgauge::report
