#include "render/shared/escape.h"

#include <gtest/gtest.h>

namespace profgauge::render {
namespace {

TEST(EscapeHtml, LeavesNothingThatAPageWouldRead) {
  struct Row {
    std::string_view in, out;
  };
  constexpr Row kRows[] = {
      {"", ""},
      {"plain 12 µs", "plain 12 µs"},
      {"</script><img src=x onerror=alert(1)>",
       "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"},
      {"\"a\" & 'b'", "&quot;a&quot; &amp; &#39;b&#39;"},
      {"tab\tline\n", "tab\tline\n"},
      {"bell\x07 del\x7f", "bell\uFFFD del\uFFFD"},
      {"\xff\xfe", "\uFFFD\uFFFD"},
      {"cut \xe2\x82", "cut \uFFFD\uFFFD"},              // a euro sign without its end
      {"\xc0\xbc", "\uFFFD\uFFFD"},                      // overlong `<`
      {"\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},            // a surrogate
      {"\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // beyond U+10FFFF
      {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
      {"\u202eevil\u2028\u009b", "\\u{202e}evil\\u{2028}\\u{009b}"},
  };
  for (const auto& [in, out] : kRows) EXPECT_EQ(EscapeHtml(in), out);
  EXPECT_EQ(EscapeHtml(std::string_view("nul\0", 4)), "nul\uFFFD");
}

}  // namespace
}  // namespace profgauge::render
