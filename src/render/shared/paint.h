// A colour of a chart.
#pragma once

#include <string_view>

namespace profgauge::render {

/// A colour with a fixed meaning. `name` is the CSS class.
struct Paint {
  std::string_view name;
  std::string_view fill;  ///< "#009E73"
  std::string_view ink;   ///< Text on top of it: "#000" or "#fff".
};

}  // namespace profgauge::render
