#include "base/text.h"

#include <gtest/gtest.h>

#include "base/readable.h"

namespace profgauge {
namespace {

TEST(Text, PartsOfShortAndLongTexts) {
  for (const std::size_t size : {0, 3, 1'000, 1'024, 5'000}) {
    std::string text(size, '"');
    for (std::size_t at = 0; at + 5 <= size; at += 97)
      text.replace(at, 5, at % 2 == 0 ? "\"ts\":" : "\"ph\":");
    for (const std::string_view part : {"", "\"", "\"ts\"", "\"ph\":", "\"dur\""}) {
      for (std::size_t from = 0; from <= size + 1; from += size / 7 + 1) {
        EXPECT_EQ(FindPart(text, part, from), text.find(part, from)) << size << ' ' << part;
      }
      EXPECT_EQ(Contains(text, part), text.find(part) != text.npos);
    }
  }
}

TEST(Text, PrintableShowsControlCharacters) {
  struct Row {
    std::string_view in, out;
  };
  const Row kRows[] = {
      {"plain µs – ✓", "plain µs – ✓"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f"},
      {"\xff\xc0\xaf", "\\xff\\xc0\\xaf"},             // Not UTF-8, overlong.
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},             // A surrogate.
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},    // Beyond U+10FFFF.
      {"\xe2\x82", "\\xe2\\x82"},                      // Cut short.
      {"\u202eevil\u0085", "\\u{202e}evil\\u{0085}"},  // Bidirectional override, C1 control.
      {"\U0001F525", "\U0001F525"},
  };
  for (const Row& row : kRows) EXPECT_EQ(Printable(row.in), row.out);
}

TEST(Text, PrintableShortNeverCutsInsideACharacter) {
  EXPECT_EQ(PrintableShort("abcdef", 6), "abcdef");
  EXPECT_EQ(PrintableShort("abcdefg", 6), "abcdef…");
  EXPECT_EQ(PrintableShort("abcdeµg", 6), "abcde…");
  EXPECT_EQ(PrintableShort("ab\x01z", 4), "ab…");
}

TEST(Text, ReadableLeavesControlCharactersToTheFormat) {
  EXPECT_EQ(Readable("µs\n\x1b \x7f\xff\u202e\u061c"), "µs\n\x1b \\x7f\uFFFD\\u{202e}\\u{061c}");
  EXPECT_EQ(Readable(Readable("\u2069")), Readable("\u2069"));
}

TEST(Text, TrimAndLines) {
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim(" \n"), "");
  EXPECT_EQ(Lines(""), (std::vector<std::string_view>{}));
  EXPECT_EQ(Lines("a\n"), (std::vector<std::string_view>{"a"}));
  EXPECT_EQ(Lines("a\r\n\nb"), (std::vector<std::string_view>{"a", "", "b"}));
}

TEST(Text, Glob) {
  struct Row {
    std::string_view pattern, text;
    bool matches;
  };
  const Row kRows[] = {
      {"launch/*", "launch/many-tiny-kernels", true},
      {"launch/*", "launches/x", false},
      {"*", "", true},
      {"*/idle", "gpu/idle", true},
      {"*/idle", "gpu/idle-cause", false},
      {"a*b*c", "aXXbYYbZc", true},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"", "", true},
      {"", "a", false},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(GlobMatch(row.pattern, row.text), row.matches) << row.pattern << " " << row.text;
  }
}

}  // namespace
}  // namespace profgauge
