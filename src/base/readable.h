// Text of a profile in outputs that people read: nothing turns a line around or breaks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace profgauge {

/// The code of the character at the start of `text`, of `length` bytes, where it turns or breaks
/// the line that it stands in, else 0: C1 controls, line separators, marks of direction.
std::uint32_t MisleadingCode(std::string_view text, std::size_t length);

/// As ValidUtf8(), but a misleading character is shown as Printable() shows it, `\u{202e}`. Control
/// characters below U+0020 stay, for which each format has a way of its own.
std::string Readable(std::string_view text);

}  // namespace profgauge
