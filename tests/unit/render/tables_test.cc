// Tables of the page: the places of columns, the texts of rows, and the sentence about the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/table.h"
#include "render/html/table_columns.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/html/view_tables.h"
#include "report/labels.h"
#include "report/table_look.h"

namespace profgauge::render::html {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table OpsByShape(std::size_t rows) {
  Table table("ops_by_shape", "op", "Operators by input shapes", std::make_shared<StringPool>());
  Column& name = table.AddColumn({"name", "Operator", Unit::kText, ""});
  Column& type = table.AddColumn({"type", "Type", Unit::kText, ""});
  Column& calls = table.AddColumn({"calls", "Calls", Unit::kCount, ""});
  Column& self = table.AddColumn({"device_self", "Device self", Unit::kTime, ""});
  Column& shapes = table.AddColumn({"input_shapes", "Input shapes", Unit::kText, ""});
  for (std::size_t row = 0; row < rows; ++row) {
    name.AddText(table.strings().Intern("aten::mm"));
    type.AddText(table.strings().Intern("mm"));
    calls.AddInteger(static_cast<std::int64_t>(row));
    self.AddInteger(1'234'567);
    shapes.AddText(table.strings().Intern("[[32, 64], [64, 128]]"));
  }
  return table;
}

std::vector<std::string> IdsOf(const std::vector<const Column*>& columns) {
  std::vector<std::string> ids;
  for (const Column* column : columns) ids.push_back(column->id());
  return ids;
}

TEST(TableColumns, NamesAndGroupKeysComeFirst) {
  const Table table = OpsByShape(3);
  const ColumnChoice choice = ChooseColumns(table, table.Find("device_self"));
  EXPECT_THAT(IdsOf(choice.shown), ElementsAre("name", "input_shapes", "device_self", "calls"));
  EXPECT_THAT(IdsOf(choice.extra), ElementsAre("type"));
}

TEST(TableColumns, ShowsNoMoreThanFit) {
  Table table("unknown_table", "", "Wide", std::make_shared<StringPool>());
  for (int i = 0; i < 30; ++i) {
    table.AddColumn({"c" + std::to_string(i), "A column's title", Unit::kCount, ""}).AddInteger(1);
  }
  const ColumnChoice choice = ChooseColumns(table, nullptr);
  EXPECT_EQ(choice.shown.size() + choice.extra.size(), 30U);
  EXPECT_LE(choice.shown.size(), 9U);
  EXPECT_GE(choice.shown.size(), 5U);
}

TEST(TableColumns, ListedColumnsAreInTheCatalog) {
  for (const report::TableLook& look : report::TableLooks()) {
    for (const std::string_view id : look.page_columns) {
      EXPECT_FALSE(report::ColumnDoc(look.id, id).empty()) << look.id << "." << id;
    }
  }
}

TEST(TableView, LongTablesHaveShortRows) {
  const Table table = OpsByShape(400);
  TablePacker packer;
  const auto view = TableView(table, {kStaticRows, 1'000}, &packer);
  EXPECT_THAT(std::string(view.at("note").as_string()), HasSubstr("100 of 400 rows"));
  EXPECT_EQ(view.at("extra").as_string(), "type");
  EXPECT_EQ(view.at("columns").as_array().size(), 4U);
  EXPECT_FALSE(packer.Finish().empty());
}

TEST(TableView, SmallTablesNeedNoScripts) {
  const Table table = OpsByShape(3);
  TablePacker packer;
  const auto view = TableView(table, {kStaticRows, 1'000}, &packer);
  EXPECT_EQ(view.at("note").as_string(), "");
  EXPECT_EQ(view.at("columns").as_array().size(), 5U);
  // Scripts have the definitions once, for heads of all tables; without them the head has its own.
  EXPECT_EQ(view.at("columns").at(1).at("doc").as_string(), "");
  EXPECT_FALSE(packer.Finish().empty());
  const auto alone = TableView(table, {kStaticRows, 1'000}, nullptr);
  EXPECT_EQ(alone.at("columns").at(1).at("doc").as_string(), "Shapes of the inputs.");
}

TEST(TableView, NotesMatchTheFiles) {
  Table gaps("gaps", "gap", "Idle gaps", std::make_shared<StringPool>());
  Column& length = gaps.AddColumn({"duration", "Duration", Unit::kTime, ""});
  for (int row = 0; row < 1'500; ++row) length.AddInteger(row);
  const auto view = TableView(gaps, {kStaticRowsOfOthers, 300});
  EXPECT_THAT(std::string(view.at("note").as_string()), HasSubstr("--json writes 1\u202f000"));
}

TEST(TableView, IterationsHaveTheirRecordedName) {
  report::Report report;
  report.profile.iteration_source = {IterationsBy::kProfilerSteps};
  Table table("iterations", "iteration", "Iterations", std::make_shared<StringPool>());
  Column& index = table.AddColumn({"index", "Iteration", Unit::kCount, ""});
  Column& name = table.AddColumn({"name", "Name", Unit::kText, ""});
  for (int row = 0; row < 2; ++row) {
    index.AddInteger(row);
    name.AddText(table.strings().Intern(row == 0 ? "5" : "1"));
  }
  report.tables.push_back(table);
  const std::map<std::int64_t, std::string> labels = report::IterationLabels(report);
  ASSERT_EQ(labels.size(), 1U);
  EXPECT_EQ(labels.at(0), "ProfilerStep#5 (0)");
  TableLimits limits{kStaticRows, 0};
  limits.iterations = &labels;
  const auto rows = std::string(TableView(table, limits).at("rows").at("markup").as_string());
  EXPECT_THAT(rows, HasSubstr("title=\"0\">ProfilerStep#5 (0)"));
}

}  // namespace
}  // namespace profgauge::render::html
