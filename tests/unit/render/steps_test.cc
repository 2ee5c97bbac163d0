#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "render/svg/svg_steps.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;

using Points = std::vector<std::pair<std::int64_t, double>>;

std::string CurveOf(const Points& points) {
  StepChart chart;
  chart.width = 1200;  // 1 000 pixels for the curve, from 70 on.
  chart.value_text = chart.time_text = [](double) { return std::string("x"); };
  StepSeries series;
  series.size = points.size();
  series.point = [&points](std::size_t i) { return points[i]; };
  chart.series = {series};
  return SvgSteps(chart);
}

// A value holds until the next one, however far it is: a spike inside of a pixel is no plateau.
TEST(SvgSteps, SpikeEndsInItsPixel) {
  // The curve is 204 high, from 10 on: 5 is at 10, 1 at 173.2.
  EXPECT_THAT(CurveOf({{0, 1}, {100'000, 5}, {100'001, 1}, {1'000'000, 1}}),
              HasSubstr("d=\"M70 173.2H170V10H170V173.2H1070\""));
  EXPECT_THAT(CurveOf({{0, 5}, {1, 1}, {1'000'000, 1}}), HasSubstr("d=\"M70 10H70V173.2H1070\""));
}

TEST(SvgSteps, PixelThatEndsAtItsTopHasOnePoint) {
  EXPECT_THAT(CurveOf({{0, 1}, {100'000, 2}, {100'001, 5}, {1'000'000, 5}}),
              HasSubstr("d=\"M70 173.2H170V10H1070\""));
}

}  // namespace
}  // namespace profgauge::render
