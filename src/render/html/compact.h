// Our own scripts and style sheet without the parts that only their authors read.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// Without comments, indentation, and blanks beside signs. Lines stay lines, so that a place in the
/// page's script can be found in its file. A string, template or pattern ends in the line that it
/// begins in.
std::string CompactScript(std::string_view js);

/// Without comments, indentation, and blanks that separate nothing. No string of it holds a brace,
/// semicolon or comment.
std::string CompactStyle(std::string_view css);

}  // namespace profgauge::render::html
