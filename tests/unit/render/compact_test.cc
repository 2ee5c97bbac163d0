#include "render/html/compact.h"

#include <gtest/gtest.h>

#include <string>

namespace profgauge::render::html {
namespace {

TEST(CompactScript, LeavesOutWhatOnlyAuthorsRead) {
  EXPECT_EQ(CompactScript("// A heading.\n\nfor (const x of all) {\n  a = b + 1;  // why\n}\n"),
            "for(const x of all){\na=b+1;\n}\n");
}

TEST(CompactScript, TextsAndPatternsStayAsTheyAre) {
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

TEST(CompactStyle, LeavesOutWhatSeparatesNothing) {
  EXPECT_EQ(CompactStyle("/* Why */\n.a > b, .c :is(d, e) {\n  margin: 0 1px; content: \" x\";\n}\n"
                         "@media (min-width: 9px) and (print) {\n  .f { top: 0; }\n}\n"),
            ".a > b,.c :is(d,e){margin:0 1px;content:\" x\"}\n"
            "@media (min-width:9px) and (print){.f{top:0}\n}\n");
}

}  // namespace
}  // namespace profgauge::render::html
