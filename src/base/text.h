// Helpers for text from outside: makes it printable, trims it, matches globs.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace profgauge {

/// Returns `text` with everything that could confuse or control a terminal as \xNN (control
/// characters, bytes that are not UTF-8) or \u{NNNN} (C1 controls, bidirectional overrides, line
/// separators). All text from outside passes through this before a terminal shows it. Applying it
/// twice changes nothing more: the escapes are plain ASCII.
std::string Printable(std::string_view text);

/// Printable(), cut to `max_bytes` with "…" at the end if it is longer; never inside a character.
std::string PrintableShort(std::string_view text, std::size_t max_bytes = 80);

/// Length in bytes of the well-formed UTF-8 character at the start of `text`; 0 if there is none.
std::size_t Utf8Length(std::string_view text);

/// Returns the length in code points, not in columns: combining marks and wide letters count one
/// each. For text that is not UTF-8, counts bytes.
std::size_t CharactersIn(std::string_view text);
/// `text` padded with blanks to `width` characters, after it or (`right`) before it.
std::string Padded(const std::string& text, std::size_t width, bool right = false);

/// The bytes that some programs write before UTF-8 text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view WithoutByteOrderMark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

/// Like text.find(part, from), which stops at each occurrence of the part's first letter, e.g. at
/// every quote of a long JSON document. Long texts are searched with memmem() instead.
std::size_t FindPart(std::string_view text, std::string_view part, std::size_t from = 0);

/// True if `part` occurs in `text`.
constexpr bool Contains(std::string_view text, std::string_view part) {
  if (std::is_constant_evaluated()) return text.find(part) != std::string_view::npos;
  return FindPart(text, part) != std::string_view::npos;
}
bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts);

/// A blank, a tab or part of a line end: JSON, YAML and expressions skip these.
constexpr bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// `text` without leading and trailing blanks, tabs and line ends.
std::string_view Trim(std::string_view text);

/// The lines of `text` without their ends (\n or \r\n). "a\n" is one line, "" is none.
std::vector<std::string_view> Lines(std::string_view text);

/// True if a pattern has a `*` or `?`.
constexpr bool IsGlob(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

/// True if `text` matches `pattern`, in which `*` matches any characters and `?` one. Mostly
/// linear, at worst O(pattern × text).
bool GlobMatch(std::string_view pattern, std::string_view text);

// Makes valid UTF-8 from any bytes.

/// `text` with every byte that is not UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace profgauge
