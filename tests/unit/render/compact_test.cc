#include "render/html/compact.h"

#include <gtest/gtest.h>

#include <string>

namespace profgauge::render::html {
namespace {

TEST(CompactScript, LeavesOutComments) {
  EXPECT_EQ(CompactScript("// A heading.\n\nfor (const x of all) {\n  a = b + 1;  // why\n}\n"),
            "for(const x of all){\na=b+1;\n}\n");
}

TEST(CompactScript, TextsAndPatternsStay) {
  for (const std::string line :
       {"a=' // no comment, it\\'s text '\n", "a=\" a + b \"\n",
        "a=`x , ${b ? ` , ${c} ` : '} '} , y`\n", "a=b.replace(/[/ ] , \\/ /g,' ')\n",
        "return / +/.test(a)\n", "a=b/c/d\n", "a=!/ x /.test(b)\n"}) {
    EXPECT_EQ(CompactScript(line), line);
  }
}

TEST(CompactScript, KeepsSignsAndWordsApart) {
  EXPECT_EQ(CompactScript("a = b - -c + +d"), "a=b- -c+ +d\n");
  EXPECT_EQ(CompactScript("async () => { await x; return y in z ? .5 : 1; }"),
            "async()=>{await x;return y in z?.5:1;}\n");
}

TEST(CompactStyle, LeavesOutNeedlessBlanks) {
  EXPECT_EQ(CompactStyle("/* Why */\n.a > b, .c :is(d, e) {\n  margin: 0 1px; content: \" x\";\n}\n"
                         "@media (min-width: 9px) and (print) {\n  .f { top: 0; }\n}\n"),
            ".a>b,.c :is(d,e){margin:0 1px;content:\" x\"}"
            "@media (min-width:9px) and (print){.f{top:0}}");
}

TEST(CompactMarkup, LeavesOutImpliedTags) {
  EXPECT_EQ(
      CompactMarkup("<table class=\"data\">\n<tr><th scope=\"row\">a</th><td>1</td></tr>\n<tr>"
                    "<td>2</td></tr>\n</table>\n<ul>\n<li>x</li>\n<li>y</li>\n</ul>"),
      "<table class=data>\n<tr><th>a<td>1<tr><td>2</table>\n<ul>\n<li>x<li>y</ul>");
  EXPECT_EQ(CompactMarkup("<dl><div><dt>a</dt><dd>b</dd></div></dl>\n\n\n<p>c</p>"),
            "<dl><div><dt>a<dd>b</div></dl>\n<p>c</p>");
}

TEST(CompactMarkup, KeepsQuotesThatAValueNeeds) {
  for (const std::string html :
       {"<p title=\"a b\">", "<p title=\"\">", "<p title=\"a=b\">", "<p title=\"it's\">",
        "<p title=\"<\">", "<p title=\"a>b\" class=c>", "<rect rx=\"2\"/>", "<a href=\"x/\">",
        "<p title='a b' data-x>"}) {
    EXPECT_EQ(CompactMarkup(html), html);
  }
  EXPECT_EQ(CompactMarkup("<rect width=\"1\"  rx=\"2\"/>"), "<rect width=1 rx=\"2\"/>");
}

TEST(CompactMarkup, TouchesNoScriptTextOrGenerator) {
  for (const std::string html :
       {"<script>if (a < b) c = \"</td><td>\";\n\n\n</script>", "<style>a[b=\"c\"] {}\n\n</style>",
        "<pre>a\n\n\n<b id=\"c\"></pre>", "<!-- <td id=\"a\"></td><td> -->",
        "<meta name=\"generator\" content=\"profgauge\">", "1 < 2 \"a\"", "<td>a</td> b", "<p",
        "<p class=\"a", "</"}) {
    EXPECT_EQ(CompactMarkup(html), html);
  }
}

}  // namespace
}  // namespace profgauge::render::html
