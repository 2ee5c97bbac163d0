// Escapes text for pages. Text from a profile is untrusted and must pass through here.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace profgauge::render {

/// Escapes text and quoted attribute values. `<`, `>`, `&`, `"` and `'` become references. Invalid
/// UTF-8 and control characters that are illegal in a page become U+FFFD. Characters that reverse
/// or break the line are shown as by Readable(). Tab and line feed stay. It is not for scripts,
/// style sheets or addresses. O(bytes).
std::string EscapeHtml(std::string_view text);

}  // namespace profgauge::render
