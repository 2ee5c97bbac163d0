#include "base/text.h"

#include <fmt/format.h>
#include <cstring>

#include <algorithm>
#include <cstdint>

#include "base/readable.h"

namespace profgauge {
namespace {

/// REQUIRES: Utf8Length(text) == length, and length > 0.
std::uint32_t Decode(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  if (length == 1) return byte(0);
  std::uint32_t code = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3fU);
  return code;
}

}  // namespace

// Decides by the first byte. Also 0 for overlong encodings and for halves of surrogate pairs.
//
//   first byte   00..7F   80..C1   C2..DF   E0..EF   F0..F4   F5..FF
//   length       1        0        2        3        4        0
std::size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2   ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const std::uint32_t code = Decode(text, length);
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return overlong || surrogate || code > 0x10ffff ? 0 : length;
}

// A tab becomes `\x09`, a byte that is not UTF-8 e.g. `\xff`, and U+202E, which would reverse the
// text, `\u{202e}`.
std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7f) {
      out += fmt::format("\\x{:02x}", first);
      text.remove_prefix(1);
      continue;
    }
    if (const std::uint32_t code = MisleadingCode(text, length); code != 0) {
      out += fmt::format("\\u{{{:04x}}}", code);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string PrintableShort(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(text));
    const std::string shown = Printable(text.substr(0, length));
    if (out.size() + shown.size() > max_bytes) return out + "\u2026";
    out += shown;
    text.remove_prefix(length);
  }
  return out;
}

std::size_t FindPart(std::string_view text, std::string_view part, std::size_t from) {
  constexpr std::size_t kWorthATable = 1024;  // For shorter texts, memmem()'s setup does not pay.
  if (text.size() < kWorthATable || from > text.size()) return text.find(part, from);
  const void* const found =
      memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? text.npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [text](std::string_view part) { return Contains(text, part); });
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// After a mismatch, only the last `*` takes one more character: everything that earlier ones could
// take, the last one can take too. "a*b*c" on "axbybzc":
//
//   a matches; 1st * takes "x"; b; 2nd * tries "", "y", "yb", "ybz"; c matches the end
bool GlobMatch(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t p = 0, t = 0, star = kNone, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::size_t CharactersIn(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    text.remove_prefix(length == 0 ? 1 : length);
    ++count;
  }
  return count;
}

std::string Padded(const std::string& text, std::size_t width, bool right) {
  const std::size_t length = CharactersIn(text);
  const std::string spaces(length < width ? width - length : 0, ' ');
  return right ? spaces + text : text + spaces;
}

std::string ValidUtf8(std::string_view text) {
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8Length(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace profgauge
