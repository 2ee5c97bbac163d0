#include "render/shared/escape.h"

#include <algorithm>
#include <cstddef>

#include "base/readable.h"

namespace profgauge::render {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsForbiddenInHtml(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
}

}  // namespace

// Replaces invalid UTF-8 and control characters by U+FFFD, because a kernel's name may have any
// bytes, and one bad byte must not make the page invalid.
std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (length != 1) {
      out += Readable(text.substr(0, std::max<std::size_t>(1, length)));
      text.remove_prefix(std::max<std::size_t>(1, length));
      continue;
    }
    switch (text.front()) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (IsForbiddenInHtml(text.front())) {
          out += kReplacement;
        } else {
          out += text.front();
        }
    }
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace profgauge::render
