// A stable name for an alert: 16 hex digits of XXH64 over its id.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render {

std::string Fingerprint(std::string_view id);

/// `text` with bytes that are not UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace profgauge::render
