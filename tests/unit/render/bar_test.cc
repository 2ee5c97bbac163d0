#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "render/svg/svg.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Paint kBarPaint = {"s-1", "#4477AA", "#fff"};

TEST(SvgWaterfallBar, IsFromHereToThere) {
  const std::string bar = SvgWaterfallBar({kBarPaint, 0.2, 0.5, false, {}, {}}, 100, 24);
  EXPECT_THAT(bar, HasSubstr("<rect class=\"s-1\" fill=\"#4477AA\" x=\"20\" y=\"5\" width=\"30\" "
                             "height=\"14\"/>"));
  EXPECT_THAT(bar, HasSubstr("d=\"M20 0v24M50 0v24\"")) << "hairlines at both ends";
  EXPECT_THAT(bar, Not(HasSubstr("opacity")));
  EXPECT_THAT(bar, HasSubstr("aria-hidden"));
}

TEST(SvgWaterfallBar, ALineGoesOnToTheOtherEnd) {
  const std::string bar = SvgWaterfallBar({kBarPaint, 0.2, 0.5, true, 0.1, 7}, 100, 24);
  EXPECT_THAT(bar, HasSubstr("d=\"M10 12H20\""));
  EXPECT_THAT(bar, HasSubstr("opacity=\".55\""));
  EXPECT_THAT(bar, HasSubstr("d=\"M100 1V23\"")) << "the mark stays inside";
}

TEST(SvgStackedBar, PartsFollowEachOther) {
  const std::string bar = SvgStackedBar(
      {{kBarPaint, 0.4, "", "a"}, {kBarPaint, 0, "", "none"}, {kBarPaint, 0.6, "", "b"}}, 100, 20,
      "bar");
  EXPECT_THAT(bar, HasSubstr("x=\"0\" width=\"40\""));
  EXPECT_THAT(bar, HasSubstr("x=\"40\" width=\"60\""));
  EXPECT_THAT(bar, Not(HasSubstr("<title>none")));
  EXPECT_THAT(bar, HasSubstr("preserveAspectRatio=\"none\"")) << "as wide as the rows below it";
}

}  // namespace
}  // namespace profgauge::render
