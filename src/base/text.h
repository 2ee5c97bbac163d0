// Small helpers for text that came from outside: made printable, trimmed, matched by glob.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace profgauge {

/// `text` with everything that could confuse or drive a terminal shown as \xNN (control characters,
/// bytes that are not UTF-8) or \u{NNNN} (C1 controls, bidirectional overrides, line separators).
/// Everything from outside passes through this before a terminal shows it. A text that passes twice
/// is the same: the escapes are plain ASCII.
std::string Printable(std::string_view text);

/// Printable, and cut to `max_bytes` with "…" at the end when it is longer; never inside a
/// character.
std::string PrintableShort(std::string_view text, std::size_t max_bytes = 80);

/// Length in bytes of the well-formed UTF-8 character at the start of `text`; 0 when there is none.
std::size_t Utf8Length(std::string_view text);

/// Length in characters. Text that is not UTF-8 counts its bytes.
/// Code points, not columns: combining marks and wide letters count one each.
std::size_t CharactersIn(std::string_view text);
/// `text` with blanks to `width` characters, after it or before.
std::string Padded(const std::string& text, std::size_t width, bool right = false);

/// The bytes that some programs write before UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view WithoutByteOrderMark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

/// text.find(part, from), which looks at each letter like the first one: of a part in quotes, at
/// every text of a long JSON document.
std::size_t FindPart(std::string_view text, std::string_view part, std::size_t from = 0);

/// Whether `part` occurs anywhere in `text`; whether any of `parts` does.
constexpr bool Contains(std::string_view text, std::string_view part) {
  if (std::is_constant_evaluated()) return text.find(part) != std::string_view::npos;
  return FindPart(text, part) != std::string_view::npos;
}
bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts);

/// A blank, a tab or part of a line end: JSON, YAML and expressions skip these.
constexpr bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Without leading and trailing blanks, tabs and line ends.
std::string_view Trim(std::string_view text);

/// The lines of `text` without their ends (\n or \r\n). "a\n" is one line, "" is none.
std::vector<std::string_view> Lines(std::string_view text);

/// Whether a pattern has a `*` or `?`.
constexpr bool IsGlob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

/// Whether `text` matches `pattern`, where `*` represents any characters and `?` for one. Linear in
/// practice and never worse than pattern × text.
bool GlobMatch(std::string_view pattern, std::string_view text);

// Text that is UTF-8, whatever bytes it came from.

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace profgauge
