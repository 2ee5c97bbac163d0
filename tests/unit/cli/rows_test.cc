// Rows of results in each format.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/rows/row_writer.h"

namespace profgauge::cli {
namespace {

std::string Rows(RowFormat format) {
  const auto writer = MakeRowWriter({{"name", Unit::kText},
                                     {"time", Unit::kTime},
                                     {"share", Unit::kShare},
                                     {"is", Unit::kBool},
                                     {"x", std::nullopt}},
                                    {format, "select 1"});
  writer->Add(std::vector<Cell>{std::string("=a,\t\"b\"\n|"), std::int64_t{4'270'000}, 0.25,
                                std::int64_t{1}, 0.1});
  writer->Add(std::vector<Cell>{std::string("\x1b[2J"), Cell(), Cell(), std::int64_t{0},
                                std::numeric_limits<double>::infinity()});
  writer->Finish(true, std::vector<std::string>{"a note"});
  return writer->Take();
}

TEST(RowWriter, TableIsForPeople) {
  EXPECT_EQ(Rows(RowFormat::kTable),
            "name                time   share   is    x\n"
            "=a,\\x09\"b\"\\x0a|  4.27 ms  25.0 %  yes  0.1\n"
            "\\x1b[2J                –       –   no\n"
            "… more than 2 rows\n");
}

TEST(RowWriter, CsvHasNoFormula) {
  EXPECT_EQ(Rows(RowFormat::kCsv),
            "name,time,share,is,x\n"
            "\"'=a,\t\"\"b\"\"\n|\",4270000,0.25,true,0.1\n"
            "\x1b[2J,,,false,\n");
}

TEST(RowWriter, TsvEscapes) {
  EXPECT_EQ(Rows(RowFormat::kTsv),
            "name\ttime\tshare\tis\tx\n"
            "=a,\\t\"b\"\\n|\t4270000\t0.25\ttrue\t0.1\n"
            "\x1b[2J\t\t\tfalse\t\n");
}

TEST(RowWriter, JsonLines) {
  EXPECT_EQ(Rows(RowFormat::kJsonLines),
            "{\"name\": \"=a,\\t\\\"b\\\"\\n|\", \"time\": 4270000, \"share\": 0.25, \"is\": true, "
            "\"x\": 0.1}\n"
            "{\"name\": \"\\u001b[2J\", \"time\": null, \"share\": null, \"is\": false, \"x\": "
            "null}\n");
}

TEST(RowWriter, JsonCountsOmittedRows) {
  const std::string text = Rows(RowFormat::kJson);
  EXPECT_NE(text.find("\"truncated\": true,\n  \"notes\": [\"a note\"]\n}\n"), text.npos) << text;
  EXPECT_NE(text.find("{\"name\": \"x\", \"unit\": null, \"type\": null}"), text.npos);
}

TEST(RowWriter, MarkdownCellsStayInTheirCells) {
  const std::string text = Rows(RowFormat::kMarkdown);
  EXPECT_EQ(text.substr(0, text.find('\n', text.find('\n') + 1)),
            "| name | time | share | is | x |\n|---|---|---|---|---|");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

}  // namespace
}  // namespace profgauge::cli
