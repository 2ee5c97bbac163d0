// One report, many documents: verdict, counts and every number's text are the same in all of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <string>

#include "comparison_fixture.h"
#include "fixture.h"
#include "render/markdown/markdown_text.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/words.h"
#include "report/read_report.h"
#include "unzip.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

struct Documents {
  std::string json, html, markdown, summary, terminal;
  std::map<std::string, std::string> xlsx;
  std::set<std::string> cells;
};

Documents Draw(const report::Report& report) {
  Documents documents;
  documents.json = RenderJson(report);
  documents.html = RenderHtml(report);
  documents.markdown = RenderMarkdown(report);
  documents.summary = RenderSummary(report);
  TerminalOptions terminal;
  terminal.verbosity = 1;
  documents.terminal = RenderTerminal(report, terminal);
  documents.xlsx = testing::Unzip(RenderXlsx(report).value());
  for (const std::string& text : testing::SharedStrings(documents.xlsx)) {
    documents.cells.insert(text);
  }
  return documents;
}

class Agreement : public ::testing::Test {
 protected:
  const report::Report report_ = testing::SampleReport();
  const Documents documents_ = Draw(report_);
};

TEST_F(Agreement, OnTheVerdict) {
  EXPECT_EQ(json::parse(documents_.json).at("verdict").at("status"), "fail");
  EXPECT_THAT(documents_.html, HasSubstr("<title>✗ FAIL · "));
  EXPECT_EQ(documents_.markdown.find("# ✗ FAIL · "), 0u);
  EXPECT_EQ(documents_.summary.find("### ✗ **"), 0u);
  EXPECT_THAT(documents_.summary, HasSubstr(": fails**"));
  EXPECT_THAT(documents_.terminal, HasSubstr("\nFAIL  "));
  EXPECT_TRUE(documents_.cells.contains("✗ FAIL"));
}

TEST_F(Agreement, OnTheCounts) {
  const std::string counts = "2 errors, 1 missing · 1 measured and good";
  EXPECT_EQ(CountsText(report_.verdict), counts);
  EXPECT_THAT(documents_.markdown, HasSubstr("**" + counts + "**"));
  EXPECT_THAT(documents_.summary, HasSubstr(counts));
  EXPECT_THAT(documents_.terminal, HasSubstr("FAIL  " + counts + "\n"));
  EXPECT_TRUE(documents_.cells.contains(counts));
  const json::value document = json::parse(documents_.json);
  const json::value& json_counts = document.at("verdict").at("counts");
  EXPECT_EQ(json_counts.at("errors"), 2);
  EXPECT_EQ(json_counts.at("missing"), 1);
  EXPECT_EQ(json_counts.at("passed"), 1);
}

TEST_F(Agreement, OnEveryMetric) {
  const json::value document = json::parse(documents_.json);
  for (const report::Metric& metric : report_.metrics) {
    const json::object& written = document.at("metrics").at(metric.id).as_object();
    if (IsAbsent(metric.quantity.value)) {
      EXPECT_EQ(written.at("absent").as_string(), metric.quantity.absent_because);
      continue;
    }
    const std::string& text = metric.quantity.text;
    EXPECT_EQ(written.at("text").as_string(), text) << metric.id;
    EXPECT_TRUE(documents_.cells.contains(text)) << metric.id;
    EXPECT_THAT(documents_.markdown, HasSubstr("| `" + metric.id + "` | " + text + " |"));
    EXPECT_THAT(documents_.html, HasSubstr(text)) << metric.id;
  }
}

// The same words for the parts of an iteration wherever they are listed.
TEST_F(Agreement, OnTheNamesOfParts) {
  for (const report::BreakdownPart& part : report::Breakdown(report_)) {
    if (!(AsNumber(part.share->quantity.value, 0) > 0)) continue;
    EXPECT_THAT(documents_.html, HasSubstr(part.title));
    EXPECT_THAT(documents_.markdown, HasSubstr(part.title));
    EXPECT_THAT(documents_.terminal, HasSubstr(part.title));
    EXPECT_TRUE(documents_.cells.contains(part.title)) << part.title;
  }
}

TEST_F(Agreement, OnEveryLimit) {
  for (const report::GateRow& row : report_.gate) {
    EXPECT_THAT(documents_.markdown, HasSubstr("**" + row.measured.text + "** | " + row.limit));
    EXPECT_THAT(documents_.html, HasSubstr(row.limit));
    EXPECT_TRUE(documents_.cells.contains(row.limit));
    if (row.status == report::State::kSkipped) continue;  // the terminal gathers these by reason
    EXPECT_THAT(documents_.terminal, HasSubstr(row.measured.text));
    // "≤ 30 %" of an error is "error above 30 %" there.
    constexpr std::string_view kAtMost = "≤ ", kAtLeast = "≥ ";
    const bool is_most = row.limit.starts_with(kAtMost);
    ASSERT_TRUE(is_most || row.limit.starts_with(kAtLeast)) << row.limit;
    EXPECT_THAT(
        documents_.terminal,
        HasSubstr(fmt::format("({} {} {})", row.level == report::State::kWarn ? "warning" : "error",
                              is_most ? "above" : "below",
                              row.limit.substr((is_most ? kAtMost : kAtLeast).size()))));
  }
}

TEST_F(Agreement, ReportsReadBackAgree) {
  const auto read = report::ReadReport(documents_.json, "report.json");
  ASSERT_TRUE(read);
  const Documents again = Draw(*read);
  EXPECT_EQ(again.json, documents_.json);
  EXPECT_EQ(again.html, documents_.html);
  EXPECT_EQ(again.terminal, documents_.terminal);
  EXPECT_EQ(again.xlsx.at("xl/worksheets/sheet1.xml"),
            documents_.xlsx.at("xl/worksheets/sheet1.xml"));
}

}  // namespace
}  // namespace profgauge::render
