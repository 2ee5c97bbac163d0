// Ranges of addresses over time: the chart, and the page's view of the table of SBUF.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "render/html/view.h"
#include "render/svg/svg_blocks.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Paint kBlockPaint = {"k-a", "#111111", "#fff"};

BlockChart EmptyBlockChart() {
  BlockChart chart;
  chart.width = 90 + 34 + 100;  // 100 pixels for the time,
  chart.height = 10 + 26 + 50;  // 50 for the addresses.
  chart.description = "what is \"where\"";
  return chart;
}

TEST(SvgBlocks, DrawsBlocksAtTimeAndAddress) {
  BlockChart chart = EmptyBlockChart();
  chart.begin = 1000;
  chart.end = 2000;
  chart.blocks = {{1000, 1500, 0, 100, kBlockPaint, "first"},
                  {1600, 2000, 150, 50, kBlockPaint, "<second> & last"}};
  const std::string svg = SvgBlocks(chart);
  EXPECT_THAT(svg, HasSubstr("<rect class=\"k-a\" fill=\"#111111\" x=\"90\" y=\"35\" width=\"50\" "
                             "height=\"25\"><title>first</title></rect>"));
  EXPECT_THAT(svg, HasSubstr("x=\"150\" y=\"10\" width=\"40\" height=\"12.5\">"
                             "<title>&lt;second&gt; &amp; last</title>"));
  EXPECT_THAT(svg, HasSubstr("role=\"img\""));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"what is &quot;where&quot;\""));
  EXPECT_THAT(svg, HasSubstr(">150</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("style=")));
}

TEST(SvgBlocks, KeepsTheSmallestInSight) {
  BlockChart chart = EmptyBlockChart();
  chart.end = 1'000'000;
  chart.blocks = {{0, 1'000'000, 0, 1'000'000, kBlockPaint, "all"},
                  {0, 1, 0, 1, kBlockPaint, "tiny"}};
  EXPECT_THAT(SvgBlocks(chart), HasSubstr("width=\"1\" height=\"1\"><title>tiny</title>"));
}

TEST(SvgBlocks, IsEmptyWithoutBlocksOrTime) {
  BlockChart chart = EmptyBlockChart();
  chart.end = 10;
  EXPECT_EQ(SvgBlocks(chart), "");
  chart.begin = chart.end = 5;
  chart.blocks = {{5, 5, 0, 100, kBlockPaint, "no time"}};
  EXPECT_EQ(SvgBlocks(chart), "");
}

struct Allocation {
  std::int64_t partition = 0, bytes = 0;
  std::string_view tensor, queue, opcode;
};

boost::json::object ViewOfAllocations(const std::vector<Allocation>& rows) {
  auto strings = std::make_shared<StringPool>();
  Table table("sbuf_allocations", "", "SBUF allocations", strings);
  Column& core = table.AddColumn({"core", "", Unit::kCount, ""});
  Column& partition = table.AddColumn({"partition", "", Unit::kCount, ""});
  Column& address = table.AddColumn({"address", "", Unit::kCount, ""});
  Column& bytes = table.AddColumn({"bytes", "", Unit::kBytes, ""});
  Column& start = table.AddColumn({"start", "", Unit::kTime, ""});
  Column& end = table.AddColumn({"end", "", Unit::kTime, ""});
  Column& tensor = table.AddColumn({"tensor", "", Unit::kText, ""});
  Column& queue = table.AddColumn({"queue", "", Unit::kText, ""});
  Column& opcode = table.AddColumn({"opcode", "", Unit::kText, ""});
  for (const Allocation& row : rows) {
    core.AddInteger(0);
    partition.AddInteger(row.partition);
    address.AddInteger(0);
    bytes.AddInteger(row.bytes);
    start.AddInteger(0);
    end.AddInteger(100);
    tensor.AddText(strings->Intern(row.tensor));
    queue.AddText(strings->Intern(row.queue));
    opcode.AddText(strings->Intern(row.opcode));
  }
  boost::json::object view;
  html::AddSbufCharts(table, false, view);
  return view;
}

TEST(SbufCharts, HasPartitionsWithLegends) {
  const auto view = ViewOfAllocations(
      {{32, 8, "w", "qSync", ""}, {0, 8, "t", "qSpillSave", ""}, {0, 4, "", "", "MATMUL"}});
  const auto& charts = view.at("charts").as_array();
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].at("name"), "SBUF · core 0 · partition 0");
  EXPECT_EQ(charts[1].at("name"), "SBUF · core 0 · partition 32");
  ASSERT_EQ(charts[0].at("legend").as_array().size(), 2U);
  EXPECT_EQ(charts[0].at("legend").at(0).at("label"), "by an instruction");
  EXPECT_EQ(charts[0].at("legend").at(1).at("label"), "spilled or reloaded by DMA");
  EXPECT_EQ(charts[1].at("legend").at(0).at("label"), "loaded by DMA");
  EXPECT_THAT(boost::json::serialize(charts[0]), HasSubstr(": 2 allocations by time and address"));
  EXPECT_THAT(std::string(view.at("charts_note").as_string()), Not(HasSubstr("largest")));
}

TEST(SbufCharts, DrawsLargestWithNote) {
  std::vector<Allocation> rows(401, Allocation{0, 4096, "", "", "MATMUL"});
  rows[7].bytes = 16;
  rows[7].tensor = "smallest";
  const auto view = ViewOfAllocations(rows);
  const std::string text = boost::json::serialize(view);
  EXPECT_THAT(text, HasSubstr("Shows the 400 largest of 401 rows."));
  EXPECT_THAT(text, HasSubstr(": 400 allocations by time and address"));
  EXPECT_THAT(text, Not(HasSubstr("smallest")));
}

}  // namespace
}  // namespace profgauge::render
