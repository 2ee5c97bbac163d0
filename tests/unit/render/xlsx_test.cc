// The workbook, read back: numbers are numbers, text is text, and it is the same every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <ctime>
#include <string>

#include "fixture.h"
#include "render/shared/renderer.h"
#include "render/xlsx/xlsx_book.h"
#include "unzip.h"

namespace profgauge::render {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Book(const report::Report& report) {
  auto bytes = RenderXlsx(report);
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes ? *std::move(bytes) : std::string();
}

TEST(Xlsx, HasTheSheets) {
  const auto files = testing::Unzip(Book(testing::SampleReport()));
  const std::string workbook = files.at("xl/workbook.xml");
  std::size_t at = 0;
  for (const char* name : {"Summary", "Findings", "Checks", "Evidence", "Ops", "Kernels",
                           "Iterations", "Totals", "Metrics", "About"}) {
    const std::size_t found = workbook.find("<sheet name=\"" + std::string(name) + "\"");
    ASSERT_NE(found, std::string::npos) << name;
    EXPECT_GT(found, at) << name;
    at = found;
  }
  EXPECT_THAT(workbook, Not(HasSubstr("Baseline")));
  EXPECT_TRUE(files.contains("xl/charts/chart1.xml"));
  EXPECT_TRUE(files.contains("xl/charts/chart2.xml"));
  EXPECT_THAT(files.at("xl/charts/chart1.xml"), HasSubstr("percentStacked"));
  EXPECT_THAT(files.at("xl/charts/chart2.xml"), HasSubstr("lineChart"));
}

TEST(Xlsx, IterationChartHasTheirRows) {
  EXPECT_THAT(testing::Unzip(Book(testing::SampleReport())).at("xl/charts/chart2.xml"),
              HasSubstr("$2:$A$7<"));
}

// A single row is in About, with the heads of its columns.
TEST(Xlsx, TablesOfOneRowHaveNoSheet) {
  report::Report report = testing::SampleReport();
  const auto add = [&](std::int64_t rows) {
    report.tables.push_back(testing::MakeTable("streams", "stream", "Streams of work",
                                               {{"number", "Number", Unit::kCount, ""}}, {}));
    for (std::int64_t row = 0; row < rows; ++row) {
      report.tables.back().columns().front().AddInteger(4'711);
    }
    const auto files = testing::Unzip(Book(report));
    report.tables.pop_back();
    return std::pair(files.at("xl/workbook.xml"), testing::SharedStrings(files));
  };
  const auto [book_of_one, strings_of_one] = add(1);
  EXPECT_THAT(book_of_one, Not(HasSubstr("\"Streams\"")));
  EXPECT_THAT(strings_of_one, Contains("4\u202f711"));
  const auto [book_of_two, strings_of_two] = add(2);
  EXPECT_THAT(book_of_two, HasSubstr("\"Streams\""));
  EXPECT_THAT(strings_of_two, Not(Contains("4\u202f711")));
}

TEST(Xlsx, NumbersStayNumbersNamesText) {
  const auto files = testing::Unzip(Book(testing::SampleReport()));
  // Ops is the fifth sheet; its second row has 60 calls and 20.00002 ms on the device.
  const std::string& ops = files.at("xl/worksheets/sheet5.xml");
  EXPECT_THAT(ops, HasSubstr("<v>60</v>"));
  EXPECT_THAT(ops, HasSubstr("<v>20.00002</v>"));
  for (const auto& [name, text] : files) EXPECT_THAT(text, Not(HasSubstr("<f>=cmd"))) << name;
  const auto strings = testing::SharedStrings(files);
  for (const std::size_t i : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    EXPECT_THAT(strings, Contains(testing::HostileNames()[i]));
  }
  EXPECT_THAT(strings, Contains("bad \ufffd\ufffd utf-8 \ufffd"));
}

// 30 % below a limit of 60 % are points, not percent of anything.
TEST(Xlsx, MarginsOfSharesArePoints) {
  report::Report report = testing::SampleReport();
  report.gate.front().margin = {-0.3, Unit::kShare, "−30.0 points", ""};
  const auto files = testing::Unzip(Book(report));
  EXPECT_THAT(files.at("xl/worksheets/sheet1.xml"), HasSubstr("<v>-30</v>"));
  EXPECT_THAT(files.at("xl/styles.xml"), HasSubstr("#,##0.0&quot; points&quot;"));
}

TEST(Xlsx, TextThatACellCannotHold) {
  EXPECT_EQ(XlsxText("a\x01"
                     "b\nc"),
            "a\ufffd"
            "b\nc");
  EXPECT_EQ(XlsxText("_x0041_"), "_x005F_x0041_");
  EXPECT_EQ(XlsxText("_x00_"), "_x00_");
  EXPECT_EQ(XlsxText("\xff\xef\xbf\xbf"), "\ufffd\ufffd");
  const std::string cut = XlsxText(std::string(40'000, 'x'));
  EXPECT_LE(cut.size(), 32'767u + 2);
  EXPECT_TRUE(cut.ends_with("x…"));
}

TEST(Xlsx, ProseHasNoMarkdown) {
  EXPECT_EQ(XlsxProse("Set `a`."), "Set a.");
  EXPECT_EQ(XlsxAdvice(PointsOf("- first `a`\n  goes on\n- second")),
            "• first a goes on\n• second");
}

TEST(Xlsx, RowsOfATreeFold) {
  report::Report report = testing::SampleReport();
  report.tables.push_back(testing::MakeTable(
      "op_tree", "node", "Operators",
      {{"depth", "Depth", Unit::kCount, ""}, {"time", "Time", Unit::kTime, ""}}, {}));
  for (const std::int64_t depth : {0, 1, 9}) {
    report.tables.back().columns()[0].AddInteger(depth);
    report.tables.back().columns()[1].AddInteger(1);
  }
  const auto files = testing::Unzip(Book(report));
  std::string tree;
  for (const auto& [name, text] : files) {
    if (name.starts_with("xl/worksheets/") && text.find("outlineLevel=\"1\"") != std::string::npos)
      tree = text;
  }
  EXPECT_THAT(tree, HasSubstr("<row r=\"4\" spans=\"1:2\" outlineLevel=\"7\""));
  EXPECT_THAT(tree, HasSubstr("summaryBelow=\"0\""));
}

// Other sheets are of all iterations.
TEST(Xlsx, TreeNamesItsOnlyIteration) {
  report::Report report = testing::SampleReport();
  report.profile.iterations_selected = 6;
  report.tables.push_back(testing::MakeTable("op_tree", "node", "Operators",
                                             {{"iteration", "Iteration", Unit::kCount, ""}}, {}));
  Column& iteration = report.tables.back().columns().front();
  const std::string line = "only iteration 42, the one nearest the median";
  const auto strings = [&] { return testing::SharedStrings(testing::Unzip(Book(report))); };
  iteration.AddInteger(42);
  iteration.AddInteger(42);
  EXPECT_THAT(strings(), Contains(line));
  iteration.AddInteger(43);
  EXPECT_THAT(strings(), Not(Contains(line)));
}

TEST(Xlsx, Addresses) {
  EXPECT_EQ(XlsxAddress(0, 0), "$A$1");
  EXPECT_EQ(XlsxAddress(6, 25), "$Z$7");
  EXPECT_EQ(XlsxAddress(0, 26), "$AA$1");
  EXPECT_EQ(XlsxAddress(0, 701), "$ZZ$1");
}

TEST(Xlsx, CountsRowsBeyondASheet) {
  report::Report report = testing::SampleReport();
  report.tables.push_back(testing::MakeTable("launches", "launch", "Launches",
                                             {{"time", "Time", Unit::kTime, ""}}, {}));
  for (std::size_t i = 0; i < 2'005; ++i) {
    report.tables.back().columns().front().AddInteger(static_cast<std::int64_t>(i));
  }
  const auto strings = testing::SharedStrings(testing::Unzip(Book(report)));
  EXPECT_THAT(strings, Contains("1\u202f000 of 2\u202f005 rows, those with the highest “Time”"));
}

TEST(Xlsx, SameBytesInAnyZone) {
  const report::Report report = testing::SampleReport(20);
  const std::string bytes = Book(report);
  EXPECT_EQ(Book(testing::SampleReport(20)), bytes);
  ::setenv("TZ", "Asia/Tokyo", 1);
  ::tzset();
  EXPECT_EQ(Book(report), bytes);
  ::unsetenv("TZ");
  ::tzset();
  const std::string old = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    EXPECT_EQ(Book(report), bytes) << name;
  }
  std::setlocale(LC_ALL, old.c_str());
}

TEST(Xlsx, AnEmptyReportIsAWorkbookToo) { EXPECT_GT(Book(report::Report()).size(), 1000u); }

}  // namespace
}  // namespace profgauge::render
