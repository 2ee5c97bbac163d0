#include "render/shared/template.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/errors.h"
#include "render/shared/escape.h"
#include "render/shared/template_check.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

// A folder of templates that lives as long as the test.
class Templates {
 public:
  Templates()
      : dir_(std::filesystem::path(::testing::TempDir()) /
             (std::string("profgauge_templates_") +
              ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_ / "html");
  }
  ~Templates() { std::filesystem::remove_all(dir_); }
  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(dir_ / "html" / (name + ".html"), std::ios::binary) << text;
  }
  TemplateFolder folder() const { return {"html", ".html", dir_.string(), EscapeHtml}; }

 private:
  std::filesystem::path dir_;
};

json::value SampleView() {
  return {{"title", "a <b>"},
          {"empty", ""},
          {"count", 3},
          {"yes", true},
          {"no", false},
          {"chart", MakeMarkup("<svg/>")},
          {"group", {{"inner", "in"}}},
          {"list",
           {{{"name", "x{{title}}"}, {"cells", {"1", "2"}}},
            {{"name", "y"}, {"cells", json::array()}}}},
          {"none", json::array()}};
}

struct TemplateCase {
  std::string_view text, out;
};

TEST(RenderTemplate, DrawsTheView) {
  constexpr TemplateCase kRows[] = {
      {"<{{title}}>", "<a &lt;b&gt;>"},
      {"{{{chart}}}", "<svg/>"},
      {"{{count}}", "3"},
      {"{{group.inner}} {{#group}}{{inner}} {{title}}{{/group}}", "in in a &lt;b&gt;"},
      {"{{#yes}}y{{/yes}}{{#no}}n{{/no}}{{^no}}N{{/no}}{{#empty}}e{{/empty}}{{^empty}}E{{/empty}}",
       "yNE"},
      {"{{#list}}{{name}}:{{#cells}}[{{.}}]{{/cells}}{{^cells}}-{{/cells}};{{/list}}",
       "x{{title}}:[1][2];y:-;"},
      {"{{^none}}nothing{{/none}}{{! a comment }}", "nothing"},
      {"{{> part}}", "part a &lt;b&gt;"},
  };
  const Templates templates;
  templates.Write("part", "part {{title}}");
  for (const auto& [text, out] : kRows) {
    templates.Write("page", text);
    const auto page =
        RenderTemplate(templates.folder(), "page", SampleView(), MakeSchema(SampleView()));
    ASSERT_TRUE(page) << text << ": " << page.error().message;
    EXPECT_EQ(*page, out) << text;
  }
}

TEST(RenderTemplate, ErrorsNameThePlace) {
  constexpr TemplateCase kRows[] = {
      {"a\n  {{titel}}",
       "error: the report has no `titel` here\n"
       " --> html/page.html:2:5\n"
       "  |\n"
       "2 |   {{titel}}\n"
       "  |     ^^^^^\n"
       "  help: did you mean `title`?   [template/unknown-name]\n"},
      {"{{#list}}{{nam}}{{/list}}",
       "error: the report has no `nam` here\n"
       " --> html/page.html:1:12\n"
       "  |\n"
       "1 | {{#list}}{{nam}}{{/list}}\n"
       "  |            ^^^\n"
       "  help: did you mean `name`?   [template/unknown-name]\n"},
      {"{{{title}}}",
       "error: `title` is text of the profile, expected `{{title}}`, which escapes it   "
       "[template/raw-text]\n"
       " --> html/page.html:1:4\n"
       "  |\n"
       "1 | {{{title}}}\n"
       "  |    ^^^^^\n"},
      {"{{&title}}",
       "error: `title` is text of the profile, expected `{{title}}`, which escapes it   "
       "[template/raw-text]\n"
       " --> html/page.html:1:4\n"
       "  |\n"
       "1 | {{&title}}\n"
       "  |    ^^^^^\n"},
      {"{{chart}}",
       "error: `chart` is markup, expected `{{{chart}}}`   [template/escaped-markup]\n"
       " --> html/page.html:1:3\n"
       "  |\n"
       "1 | {{chart}}\n"
       "  |   ^^^^^\n"},
      {"{{list}}",
       "error: `list` is a list, expected a section `{{#list}}`   [template/not-text]\n"
       " --> html/page.html:1:3\n"
       "  |\n"
       "1 | {{list}}\n"
       "  |   ^^^^\n"},
      {"{{#yes}}",
       "error: `yes` is opened but never closed   [template/unbalanced-section]\n"
       " --> html/page.html:1:4\n"
       "  |\n"
       "1 | {{#yes}}\n"
       "  |    ^^^\n"},
      {"{{/yes}}",
       "error: `yes` is closed but was never opened   [template/unbalanced-section]\n"
       " --> html/page.html:1:4\n"
       "  |\n"
       "1 | {{/yes}}\n"
       "  |    ^^^\n"},
      {"{{#yes}}{{/no}}",
       "error: expected `{{/yes}}` for line 1, found `{{/no}}`   [template/unbalanced-section]\n"
       " --> html/page.html:1:12\n"
       "  |\n"
       "1 | {{#yes}}{{/no}}\n"
       "  |            ^^\n"},
      {"{{title",
       "error: expected `}}`, found the end of the file   [template/unclosed-tag]\n"
       " --> html/page.html:1:1\n"
       "  |\n"
       "1 | {{title\n"
       "  | ^\n"},
      {"{{=<% %>=}}",
       "error: expected a name in the tag, found `=<% %>=`   [template/unsupported-tag]\n"
       " --> html/page.html:1:3\n"
       "  |\n"
       "1 | {{=<% %>=}}\n"
       "  |   ^^^^^^^\n"},
      {"{{> nowhere}}",
       "error: there is no template `nowhere`   [template/unknown-include]\n"
       " --> html/page.html:1:5\n"
       "  |\n"
       "1 | {{> nowhere}}\n"
       "  |     ^^^^^^^\n"},
      {"{{> page}}",
       "error: `page` includes itself, or files are nested deeper than 8   "
       "[template/include-depth]\n"
       " --> html/page.html:1:5\n"
       "  |\n"
       "1 | {{> page}}\n"
       "  |     ^^^^\n"},
  };
  const Templates templates;
  for (const auto& [text, out] : kRows) {
    templates.Write("page", text);
    const auto page =
        RenderTemplate(templates.folder(), "page", SampleView(), MakeSchema(SampleView()));
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().kind, ErrorKind::kConfig);
    EXPECT_EQ(RenderDiagnostic(page.error(), text, false), out);
  }
}

TEST(MakeSchema, ListsHaveAllElementNames) {
  const json::value schema =
      MakeSchema({{"list", {{{"a", "1"}, {"inner", json::array()}}, {{"b", "2"}}}}});
  EXPECT_EQ(json::serialize(schema), R"({"list":[{"a":"1","inner":[],"b":"2"}]})");
}

}  // namespace
}  // namespace profgauge::render
