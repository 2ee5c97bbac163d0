// Colors of the categories, with fixed meaning everywhere: the Okabe-Ito palette for time
// categories, except its yellow, which is invisible on white paper: host work, waiting and
// unattributed time have 3 : 1 against light and dark paper. Ids, words and order are
// model/category.h's; all outputs and the timeline's script take their colors from here.
#pragma once

#include <array>
#include <boost/json/array.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "render/shared/paint.h"
#include "report/report.h"

namespace profgauge::render {

/// `paint.name` is the CSS class, and "--" before it the variable of the style sheet.
struct CategoryColours {
  Paint paint;
  std::string_view dark_fill;
};

/// By category.
inline constexpr std::array<CategoryColours, kAllCategories> kCategoryColours = {{
    {{"k-tc", "#009E73", "#000"}, "#009E73"},
    {{"k-kn", "#56B4E9", "#000"}, "#56B4E9"},
    {{"k-co", "#CC79A7", "#000"}, "#CC79A7"},
    {{"k-cp", "#0072B2", "#fff"}, "#0072B2"},
    {{"k-ms", "#5B5B5B", "#fff"}, "#8B8B8B"},
    {{"k-rt", "#E69F00", "#000"}, "#E69F00"},
    {{"k-dl", "#D55E00", "#000"}, "#D55E00"},
    {{"k-hc", "#A39200", "#000"}, "#F0E442"},
    {{"k-ot", "#949494", "#000"}, "#767676"},
    {{"k-an", "#D9D2F0", "#000"}, "#D9D2F0"},
    {{"k-py", "#CFE3D6", "#000"}, "#CFE3D6"},
    {{"k-wt", "#8580A8", "#000"}, "#8580A8"},
}};

constexpr const Paint& PaintOf(Category category) {
  return kCategoryColours[static_cast<std::size_t>(category)].paint;
}

/// Nothing happens: no category.
inline constexpr CategoryColours kIdleColours = {{"k-id", "#E3E3E3", "#000"}, "#3A3F46"};
inline constexpr const Paint& kIdlePaint = kIdleColours.paint;

/// For the timeline's script, in order: [id, title, [fill, ink], name of the variable].
boost::json::array CategoriesForScript(std::string_view accelerator);

}  // namespace profgauge::render
