// One list of categories: the style sheet and the timeline's script take their colors from it.
#include "render/shared/looks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fixture.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"

namespace profgauge::render {
namespace {

bool IsColour(std::string_view text) {
  return (text.size() == 4 || text.size() == 7) && text.front() == '#' &&
         std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

TEST(Categories, EachHasSeparateWordsAndColors) {
  std::set<std::string_view> ids, titles, names, fills;
  for (std::size_t i = 0; i < kAllCategories; ++i) {
    const CategoryInfo& info = kCategoryInfo[i];
    const CategoryColours& colours = kCategoryColours[i];
    EXPECT_EQ(FindCategory(info.id), static_cast<Category>(i));
    EXPECT_FALSE(info.meaning.empty()) << info.id;
    EXPECT_TRUE(IsColour(colours.paint.fill) && IsColour(colours.paint.ink)) << info.id;
    EXPECT_TRUE(IsColour(colours.dark_fill)) << info.id;
    ids.insert(info.id), titles.insert(info.title);
    names.insert(colours.paint.name), fills.insert(colours.paint.fill);
  }
  for (const auto* set : {&ids, &titles, &names, &fills}) EXPECT_EQ(set->size(), kAllCategories);
  EXPECT_EQ(FindCategory("nothing"), std::nullopt);
}

double Luminance(std::string_view colour) {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double part = std::stoi(std::string(colour.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    const double linear = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    sum += linear * std::array{0.2126, 0.7152, 0.0722}[static_cast<std::size_t>(i)];
  }
  return sum;
}

double ContrastOf(std::string_view one, std::string_view other) {
  const double a = Luminance(one), b = Luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

TEST(Categories, PartsAreSeenOnLightAndDarkPaper) {
  std::vector<CategoryColours> all(kCategoryColours.begin(),
                                   kCategoryColours.begin() + kBreakdownCategories);
  all.insert(all.end(), {kCauseColours, kSavedColours});
  for (const CategoryColours& colours : all) {
    EXPECT_GE(ContrastOf(colours.paint.fill, "#ffffff"), 3) << colours.paint.name;
    EXPECT_GE(ContrastOf(colours.dark_fill, "#14171b"), 4) << colours.paint.name;
    const std::string ink = colours.paint.ink == "#fff" ? "#ffffff" : "#000000";
    EXPECT_GE(ContrastOf(colours.paint.fill, ink), 4.5) << colours.paint.name;
    EXPECT_GE(ContrastOf(colours.dark_fill, "#000000"), 4.5) << colours.paint.name;
  }
}

// The cause keeps the class of its category, by which legends find it.
TEST(Categories, TheCauseIsOneColorOfTheSamePart) {
  const Paint paint = CausePaintOf(Category::kDataLoader);
  EXPECT_EQ(paint.name, "k-dl cause");
  EXPECT_EQ(paint.fill, kCauseColours.paint.fill);
}

TEST(Categories, StyleSheetHasBothColors) {
  const std::string html = RenderHtml(testing::SampleReport());
  const std::size_t dark = html.find("prefers-color-scheme:dark");
  ASSERT_NE(dark, std::string::npos);
  for (const CategoryColours& colours : kCategoryColours) {
    const std::string name = "--" + std::string(colours.paint.name) + ":";
    EXPECT_LT(html.find(name + std::string(colours.paint.fill)), dark) << name;
    if (colours.dark_fill == colours.paint.fill) continue;
    EXPECT_NE(html.find(name + std::string(colours.dark_fill), dark), std::string::npos) << name;
    EXPECT_NE(html.find("." + std::string(colours.paint.name) + "{fill:var("), std::string::npos);
  }
  EXPECT_EQ(html.find("states */"), std::string::npos) << "a remark was not replaced";
  EXPECT_EQ(html.find("categories */"), std::string::npos) << "a remark was not replaced";
}

TEST(Categories, OtherSeriesHaveSeparateColors) {
  for (const Paint& paint : kNeutralPaints) {
    EXPECT_TRUE(IsColour(paint.fill) && IsColour(paint.ink)) << paint.name;
    for (const CategoryColours& colours : kCategoryColours) {
      EXPECT_NE(paint.fill, colours.paint.fill) << paint.name;
    }
  }
}

TEST(States, EachHasSignWordAndColors) {
  const std::string css = WithColours(std::string(EmbeddedTemplate("templates/report.css")));
  const std::size_t dark = css.find("prefers-color-scheme: dark");
  ASSERT_NE(dark, std::string::npos);
  for (const ToneColours& tone : kToneColours) {
    const bool is_mute = tone.name == "mute";
    const std::string ink = is_mute ? "--soft: " : fmt::format("--{}: ", tone.name);
    const std::string wash = is_mute ? "--raised: " : fmt::format("--{}-wash: ", tone.name);
    EXPECT_LT(css.find(ink + std::string(tone.ink)), dark) << tone.name;
    EXPECT_LT(css.find(wash + std::string(tone.wash)), dark) << tone.name;
    EXPECT_NE(css.find(ink + std::string(tone.dark_ink), dark), css.npos) << tone.name;
    EXPECT_NE(css.find(wash + std::string(tone.dark_wash), dark), css.npos) << tone.name;
  }
  for (const std::string_view name : report::kStateNames) {
    const State state = *report::FindState(name);
    EXPECT_EQ(report::NameOf(state), name);
    EXPECT_FALSE(LookOf(state).sign.empty()) << name;
    EXPECT_EQ(LookOf(state).word.empty(), name.empty()) << name;
  }
  EXPECT_EQ(LookOf(State::kLowConfidence).word, "low confidence");
  EXPECT_EQ(LookOf(Severity::kDataLoss).word, "data loss");
  EXPECT_EQ(VerdictWord(State::kNoVerdict), "NO VERDICT");
  EXPECT_EQ(report::FindState("some state"), std::nullopt);
}

TEST(Categories, SheetWithoutRemarksStays) {
  EXPECT_EQ(WithColours("b { color: red; }"), "b { color: red; }");
}

TEST(Categories, AssetsUseSharedCategoryColors) {
  for (const std::string_view path : EmbeddedTemplatePaths()) {
    if (!path.ends_with(".js") && !path.ends_with(".css")) continue;
    if (path.ends_with("timeline_colors.js")) continue;  // The palette for names shares hues.
    std::string text(EmbeddedTemplate(path));
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const CategoryColours& colours : kCategoryColours) {
      EXPECT_EQ(text.find(colours.paint.fill), std::string::npos) << path << colours.paint.fill;
    }
  }
}

}  // namespace
}  // namespace profgauge::render
