// Areas over time: what is painted is what the numbers say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "render/svg/svg_coverage.h"
#include "render/svg/svg_outline.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Paint kWork = {"k-w", "#111111", "#fff"}, kWait = {"k-t", "#222222", "#fff"};

int SumOf(const std::vector<int>& edges) { return std::accumulate(edges.begin(), edges.end(), 0); }

TEST(StackOutlines, CarriesWhatRoundingLeaves) {
  const std::vector<std::vector<double>> half = {std::vector<double>(8, 0.5)};
  EXPECT_NEAR(SumOf(StackOutlines(half, 3)[0]), 12, 1);
  const std::vector<std::vector<double>> little = {std::vector<double>(1000, 0.001)};
  EXPECT_NEAR(SumOf(StackOutlines(little, 30)[0]), 30, 1);
}

TEST(StackOutlines, EveryEdgeHasItsAreaAndNoneIsAboveTheNext) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const std::size_t count = 1 + random() % 900;
    std::vector<std::vector<double>> heights(4, std::vector<double>(count));
    for (std::size_t x = 0; x < count; ++x) {
      double rest = 1;
      for (auto& part : heights) {
        part[x] = rest * static_cast<double>(random() % 1000) / 1000;
        rest -= part[x];
      }
    }
    const auto edges = StackOutlines(heights, 30);
    double sum = 0;
    for (std::size_t part = 0; part < heights.size(); ++part) {
      sum += std::accumulate(heights[part].begin(), heights[part].end(), 0.0);
      EXPECT_NEAR(SumOf(edges[part]), 30 * sum, 30) << part;
      for (std::size_t x = 0; x < count && part > 0; ++x) {
        EXPECT_LE(edges[part - 1][x], edges[part][x]);
      }
    }
  }
}

TEST(OutlinePath, JoinsEqualColumns) {
  EXPECT_EQ(OutlinePath(std::vector<int>{0, 12, 12, 10}), "M0 0h1v-12h2v2h1V0z");
  EXPECT_EQ(OutlinePath(std::vector<int>{3}, 0.5), "M0 0v-1.5h1V0z");
  EXPECT_EQ(OutlinePath(std::vector<int>{0, 0}), "");
}

CoverageChart HalfBusy(std::size_t columns) {
  CoverageChart chart;
  chart.length = 2000;
  chart.columns = 100;
  chart.description = "a <strip>";
  CoverageRow row;
  row.name = "slowest: 5";
  row.begin = 500;
  row.length = 1000;
  row.upper.id = "gpu";
  row.upper.number = "50 %";
  row.upper.share = 0.5;
  row.upper.parts = {{kWork, false, std::vector<double>(columns, 0.5)}};
  row.lower.id = "idle";
  row.lower.parts = {{kWait, true, std::vector<double>(columns, 0.5)}};
  chart.rows = {row, row};
  return chart;
}

TEST(SvgCoverage, DrawsOutlinesOnTheirGround) {
  const std::string svg = SvgCoverage(HalfBusy(50));
  EXPECT_THAT(svg, HasSubstr("data-lane=\"gpu\" data-rank=\"0\" data-share=\"0.5000\""));
  // From a quarter to three quarters of 100 pixels, after the names.
  EXPECT_THAT(svg, HasSubstr("x=\"175\" y=\"22\" width=\"50\" height=\"30\"/>"));
  EXPECT_THAT(svg, HasSubstr("<g transform=\"translate(175 52)scale(1 1)\"><path class=\"k-w\" "
                             "fill=\"#111111\" d=\"M0 0v-15h50V0z\"/>"));
  EXPECT_THAT(svg, HasSubstr("class=\"stripes\"")) << "waiting is told without colors";
  EXPECT_THAT(svg, HasSubstr("a &lt;strip&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("style=")));
}

TEST(SvgCoverage, LeavesOutGroundThatWasNotObserved) {
  CoverageChart chart = HalfBusy(50);
  chart.rows[0].blank = {{600, 700}};
  const std::string svg = SvgCoverage(chart);
  EXPECT_THAT(svg, HasSubstr("x=\"175\" y=\"22\" width=\"5\" height=\"30\"/>"));
  EXPECT_THAT(svg, HasSubstr("x=\"185\" y=\"22\" width=\"40\" height=\"30\"/>"));
}

TEST(SvgCoverage, JoinsALowerLaneWithTheNextUpperOne) {
  CoverageChart chart = HalfBusy(50);
  chart.joins = {{0, 500, 1000}};
  EXPECT_THAT(SvgCoverage(chart), HasSubstr("d=\"M175 71L200 83\""));
}

TEST(SvgCoverage, IsEmptyWithoutRowsAndTime) {
  EXPECT_EQ(SvgCoverage(CoverageChart()), "");
  CoverageChart chart = HalfBusy(50);
  chart.length = 0;
  EXPECT_EQ(SvgCoverage(chart), "");
}

TEST(SvgCoverage, WidensColumnsWhereItWouldBeTooLarge) {
  CoverageChart chart = HalfBusy(0);
  chart.columns = 940;
  chart.rows.push_back(chart.rows[0]);
  std::mt19937 random(3);
  for (CoverageRow& row : chart.rows) {
    row.begin = 0;
    row.length = 2000;
    for (CoverageLane* lane : {&row.upper, &row.lower}) {
      lane->parts.assign(5, {kWork, false, {}});
      for (CoveragePart& part : lane->parts) {
        for (int x = 0; x < 940; ++x) {
          part.heights.push_back(static_cast<double>(random() % 200) / 1000);
        }
      }
    }
  }
  EXPECT_LT(SvgCoverage(chart).size(), 45'000U);
}

}  // namespace
}  // namespace profgauge::render
