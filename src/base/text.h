// Small helpers for text that came from outside: made printable, trimmed, matched by glob.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge {

/// `text` with everything that could confuse or drive a terminal shown as \xNN (control characters,
/// bytes that are not UTF-8) or \u{NNNN} (C1 controls, bidirectional overrides, line separators).
std::string Printable(std::string_view text);

/// Printable, and cut to `max_bytes` with "…" at the end when it is longer; never inside a
/// character.
std::string PrintableShort(std::string_view text, std::size_t max_bytes = 80);

/// Length in bytes of the well-formed UTF-8 character at the start of `text`; 0 when there is none.
std::size_t Utf8Length(std::string_view text);

/// Without leading and trailing blanks, tabs and line ends.
std::string_view Trim(std::string_view text);

/// The lines of `text` without their ends (\n or \r\n). "a\n" is one line, "" is none.
std::vector<std::string_view> Lines(std::string_view text);

/// Whether `text` matches `pattern`, where `*` stands for any characters and `?` for one. Linear in
/// practice and never worse than pattern × text.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace profgauge
