#include "base/readable.h"

#include <fmt/format.h>

#include "base/text.h"

namespace profgauge {

// All misleading characters have two or three bytes.
std::uint32_t MisleadingCode(std::string_view text, std::size_t length) {
  if (length != 2 && length != 3) return 0;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  std::uint32_t code = byte(0) & (length == 2 ? 0x1fU : 0x0fU);
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3fU);
  const bool is_misleading = (code >= 0x80 && code < 0xa0) ||       // C1 controls.
                             (code >= 0x2028 && code <= 0x202e) ||  // Separators, overrides.
                             (code >= 0x2066 && code <= 0x2069) ||  // Isolates.
                             code == 0x061c || code == 0x200e || code == 0x200f || code == 0xfeff;
  return is_misleading ? code : 0;
}

std::string Readable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    if (const std::uint32_t code = MisleadingCode(text, length); code != 0) {
      out += fmt::format("\\u{{{:04x}}}", code);
    } else if (text.front() == 0x7f) {  // JSON has no special escape for it.
      out += "\\x7f";
    } else {
      out += length == 0 ? "\ufffd" : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace profgauge
