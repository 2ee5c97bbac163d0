// Plain blanks between numbers and units: `grep '36.1 %'` finds them, and columns of awk are as
// they look. Pages need blanks at which no line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/format.h"

namespace profgauge {

inline std::string WithPlainBlanks(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(kNumberSpace);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += ' ';
    text.remove_prefix(at + kNumberSpace.size());
  }
}

}  // namespace profgauge
