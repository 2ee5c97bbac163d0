// Makes text of a profile readable: no character reverses or breaks a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// Returns the code point at the start of `text`, of `length` bytes, if it reverses or breaks the
/// line (C1 controls, line separators, direction marks); else 0.
std::uint32_t MisleadingCode(std::string_view text, std::size_t length);

/// Like ValidUtf8(), but shows a misleading character as Printable() does, e.g. `\u{202e}`. Control
/// characters below U+0020 stay: each format escapes them itself.
std::string Readable(std::string_view text);

}  // namespace profgauge
