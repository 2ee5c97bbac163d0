#include <gtest/gtest.h>

#include <string>

#include "render/svg/svg_overview.h"

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
  // 100 ns are 10 columns of 3 pixels, from the left edge; the other from the middle to the right.
  EXPECT_NE(svg.find("<path class=\"k-a\" fill=\"#111111\" d=\"M0 0v-15h10v15h90V0z\"/>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("<path class=\"k-b\" fill=\"#222222\" d=\"M0 0v-15h10v15h40v-15h50V0z\"/>"),
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

TEST(SvgOverview, AFewNarrowEventsAreLow) {
  OverviewChart chart = EmptyOverviewChart();
  chart.width = 180 + 30 + 300;
  chart.lanes = {{"", {}}};
  // 1 of every 10 ns: a tenth of each column, which is 1.5 of 15 pixels.
  for (Ns at = 1000; at < 2000; at += 10) chart.lanes[0].events.push_back({at, at + 1, 0, ""});
  const std::string svg = SvgOverview(chart);
  EXPECT_EQ(svg.find("v-15"), std::string::npos) << svg;
  EXPECT_NE(svg.find("v-2"), std::string::npos) << svg;
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
