// Text that is UTF-8, whatever bytes it came from.
#pragma once

#include <string>
#include <string_view>

namespace profgauge {

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace profgauge
