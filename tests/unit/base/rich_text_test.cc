#include "base/rich_text.h"

#include <gtest/gtest.h>

namespace profgauge {
namespace {

std::string Shown(const RichText& parts) {
  std::string out;
  for (const TextPart& part : parts) {
    out += std::string(TextPartName(part.kind)) + "(" + part.text + ")";
  }
  return out;
}

TEST(RichText, SplitsIntoTextAndCode) {
  EXPECT_EQ(Shown(PartsOf("set `a` and `b`.")), "text(set )code(a)text( and )code(b)text(.)");
  EXPECT_EQ(Shown(PartsOf("one ` alone")), "text(one ` alone)");
  EXPECT_EQ(Shown(PartsOf("")), "");
  EXPECT_EQ(TextOf(PartsOf("set `a` and `b`.")), "set `a` and `b`.");
}

TEST(RichText, PointsContinueWithoutDash) {
  const std::vector<RichText> points = PointsOf("- first `a`\n  goes on\n\n- second\n");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(Shown(points[0]), "text(first )code(a)text( goes on)");
  EXPECT_EQ(Shown(points[1]), "text(second)");
}

TEST(RichText, EqualKindsAreOnePart) {
  RichText parts;
  AddPart(parts, TextPart::Kind::kText, "a");
  AddPart(parts, TextPart::Kind::kText, "b");
  AddPart(parts, TextPart::Kind::kCode, "");
  EXPECT_EQ(Shown(parts), "text(ab)");
}

}  // namespace
}  // namespace profgauge
