#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "render/svg/svg.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Paint kBarPaint = {"s-1", "#4477AA", "#fff"};

TEST(SvgStackedBar, HatchesTheSaving) {
  const std::string plain =
      SvgStackedBar({{kBarPaint, 0.4, "4 ms", "4 ms", false}}, 100, 20, "bar");
  EXPECT_THAT(plain, Not(HasSubstr("hatch")));
  const std::string bar =
      SvgStackedBar({{kBarPaint, 0.4, "4 ms", "left", false}, {kBarPaint, 0.6, "", "saved", true}},
                    100, 20, "bar");
  // Dashes of a line as thick as the bar, from the end of the first part to that of the second.
  EXPECT_THAT(bar, HasSubstr("stroke-width=\"20\" stroke-dasharray=\"1 5\""));
  EXPECT_THAT(bar, HasSubstr("d=\"M40 10h60\""));
}

TEST(SvgStackedBar, MarksTheFloorInsideTheBar) {
  const auto bar = [](double mark) {
    return SvgStackedBar({{kBarPaint, 0.4, "", "left", false}}, 100, 20, "bar", Hover::kEachPart,
                         mark);
  };
  EXPECT_THAT(bar(0.25), HasSubstr("d=\"M25 0v20\""));
  EXPECT_THAT(bar(7), HasSubstr("d=\"M100 0v20\""));
}

}  // namespace
}  // namespace profgauge::render
