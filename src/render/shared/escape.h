// Escapes text for pages. Text from a profile is not trusted, so all of it must be escaped here.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace profgauge::render {

/// Escapes text and quoted attribute values. `<`, `>`, `&`, `"` and `'` become references. Invalid
/// UTF-8 and control characters that a page must not have become U+FFFD. Characters that reverse or
/// break the line are shown as by Readable(). Tabs and line feeds stay. Not for scripts, style
/// sheets or addresses. O(bytes).
std::string EscapeHtml(std::string_view text);

}  // namespace profgauge::render
