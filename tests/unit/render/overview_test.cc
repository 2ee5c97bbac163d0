#include <gtest/gtest.h>

#include <string>

#include "render/svg/svg_charts.h"

namespace profgauge::render {
namespace {

OverviewChart EmptyOverviewChart() {
  OverviewChart chart;
  chart.begin = 1000;
  chart.end = 2000;
  chart.paints = {{"k-a", "#111111", "#fff"}, {"k-b", "#222222", "#fff"}};
  chart.description = "what runs";
  return chart;
}

TEST(SvgOverview, DrawsLaneColorsInPlace) {
  OverviewChart chart = EmptyOverviewChart();
  chart.width = 180 + 30 + 300;  // 300 pixels for 1 000 ns.
  chart.lanes = {{"stream 7", {{900, 1100, 0, "first"}, {1500, 2500, 1, "second & last"}}}};
  const std::string svg = SvgOverview(chart);
  // 100 ns are 30 pixels, from the left edge; the other from the middle to the right one.
  EXPECT_NE(svg.find("<path class=\"k-a\" fill=\"#111111\" d=\"M180 22h30v15h-30z\"/>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<path class=\"k-b\" fill=\"#222222\" d=\"M330 22h150v15h-150z\"/>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find(">second &amp; last</text>"), std::string::npos) << svg;
  EXPECT_EQ(svg.find(">first<"), std::string::npos) << "no room for it";
  EXPECT_NE(svg.find(">stream 7</text>"), std::string::npos);
  EXPECT_EQ(svg.find("style="), std::string::npos);
}

TEST(SvgOverview, IsEmptyWithoutTimeOrLanes) {
  OverviewChart chart = EmptyOverviewChart();
  EXPECT_EQ(SvgOverview(chart), "");
  chart.lanes = {{"x", {{1000, 1100, 0, ""}}}};
  chart.end = chart.begin;
  EXPECT_EQ(SvgOverview(chart), "");
}

TEST(SvgOverview, StaysSmallHoweverManyEvents) {
  OverviewChart chart = EmptyOverviewChart();
  chart.end = 10'001'000;
  chart.lanes.emplace_back().name = "busy";
  for (Ns at = 1000; at < chart.end; at += 20) {
    chart.lanes[0].events.push_back({at, at + 10, at % 40 == 0 ? 1u : 0u, "kernel"});
  }
  EXPECT_LT(SvgOverview(chart).size(), 20'000U);
}

}  // namespace
}  // namespace profgauge::render
