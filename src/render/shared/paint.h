// Colors of charts.
#pragma once

#include <array>
#include <string_view>

namespace profgauge::render {

/// A color with a fixed meaning. `name` is the CSS class.
struct Paint {
  std::string_view name;
  std::string_view fill;  ///< "#009E73"
  std::string_view ink;   ///< Text on top of it: "#000" or "#fff".
};

/// For series without a separate meaning, distinguished by shape and word, too: none is a
/// category's color, each is seen on light paper and on dark.
inline constexpr std::array<Paint, 8> kNeutralPaints = {{
    {"s-1", "#4477AA", "#fff"},
    {"s-2", "#EE6677", "#000"},
    {"s-3", "#228833", "#fff"},
    {"s-4", "#AA9922", "#000"},
    {"s-5", "#33A3C4", "#000"},
    {"s-6", "#AA3377", "#fff"},
    {"s-7", "#888888", "#000"},
    {"s-8", "#EE7733", "#000"},
}};

}  // namespace profgauge::render
