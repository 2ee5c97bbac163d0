// The escaper of pages. Text of a profile is untrusted: nothing of it reaches a page except through
// here.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace profgauge::render {

/// For text and for quoted attribute values. `<`, `>`, `&`, `"` and `'` become references; bytes
/// that are not UTF-8 and control characters that a page must not hold become U+FFFD, and what
/// would turn or break the line is shown as by Readable(). Tab and line feed stay. Not for scripts,
/// style sheets or addresses. O(bytes).
std::string EscapeHtml(std::string_view text);

}  // namespace profgauge::render
