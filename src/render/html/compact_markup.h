// A page without the parts that a browser adds by itself.
#pragma once

#include <string>
#include <string_view>

namespace profgauge::render::html {

/// White space between words of markup.
constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

/// The same document without quotes that an attribute's value does not need, end tags that HTML
/// lets out (of rows, cells and items of lists) and empty lines. Scripts and styles stay as they
/// are: their digests are known. `meta` does, too: its text names the tool.
std::string CompactMarkup(std::string_view html);

}  // namespace profgauge::render::html
