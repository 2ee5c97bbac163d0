#include "render/shared/template.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/metric_id.h"
#include "render/html/page_assets.h"
#include "render/html/trend.h"
#include "render/html/view.h"
#include "render/html/view_notes.h"
#include "render/html/view_parts.h"
#include "render/html/view_runs.h"
#include "render/markdown/markdown_view.h"
#include "render/shared/escape.h"
#include "template_check.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;
using testing::CheckTemplate;
using testing::MakeSchema;
using testing::SchemaReport;

// Templates of a test, by path, in place of those that are compiled in.
std::map<std::string, std::string, std::less<>> texts;
std::string_view TextOf(std::string_view path) {
  const auto found = texts.find(path);
  return found == texts.end() ? std::string_view() : found->second;
}
constexpr TemplateFolder kFolder{"html/", ".html", EscapeHtml, TextOf};

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
  texts = {{"html/part.html", "part {{title}}"}};
  std::set<std::string> seen;
  for (const auto& [text, out] : kRows) {
    texts["html/page.html"] = text;
    EXPECT_TRUE(CheckTemplate(kFolder, "page", MakeSchema(SampleView()), seen)) << text;
    EXPECT_EQ(RenderTemplate(kFolder, "page", SampleView()), out) << text;
  }
  EXPECT_EQ(seen, (std::set<std::string>{"html/page.html", "html/part.html"}));
}

TEST(CheckTemplate, ErrorsNameThePlace) {
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
  std::set<std::string> seen;
  for (const auto& [text, out] : kRows) {
    texts = {{"html/page.html", std::string(text)}};
    const Status page = CheckTemplate(kFolder, "page", MakeSchema(SampleView()), seen);
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(RenderDiagnostic(page.error(), text, false), out);
  }
}

TEST(MakeSchema, ListsHaveAllElementNames) {
  const json::value schema =
      MakeSchema({{"list", {{{"a", "1"}, {"inner", json::array()}}, {{"b", "2"}}}}});
  EXPECT_EQ(json::serialize(schema), R"({"list":[{"a":"1","inner":[],"b":"2"}]})");
}

// The templates that are compiled in: each page and section, with the view that it is drawn from.

report::Runs TwoRuns() {
  report::Runs runs;
  runs.runs = {SchemaReport(), SchemaReport()};
  runs.pairs.emplace_back(report::Runs::Pair{0, 1, {}}).report.comparison =
      SchemaReport().comparison;
  return runs;
}

report::Trend TwoRunsOfATrend() {
  report::Trend trend;
  trend.runs.resize(2);
  report::TrendSeries& series = trend.series.emplace_back();
  series.values.resize(2);
  series.changes.emplace_back().run = 1;
  return trend;
}

std::vector<std::pair<std::string_view, json::object>> Pages() {
  const html::Assets assets{"css", "js", "load"};
  const report::Runs runs = TwoRuns();
  json::object page = html::PageView(SchemaReport());
  html::AddFrame(assets, true, Tone::kGood, page);
  return {
      {"page", page},
      {"compare", page},
      {"run", html::PageView(SchemaReport())},
      {"compared", html::PageView(SchemaReport())},
      {"packed", html::PackedView(SchemaReport())},
      {"together", {{"together", html::TogetherView(runs)}}},
      {"runs", html::RunsView(runs, html::PartsOfPage(runs), assets, true)},
      {"trend", html::TrendView(std::vector{TwoRunsOfATrend()})},
      {"ending", html::EndingView({"x", 3, false, {{"x", "x", "x", {}, {"x"}}}}, assets, true)}};
}

/// A report whose sections of the document have all that they may have.
report::Report DocumentReport() {
  report::Report sample = SchemaReport();
  for (const report::State state : {report::State::kError, report::State::kBroken}) {
    sample.findings.push_back(sample.findings.front());
    sample.findings.back().status = state;
  }
  sample.metrics.emplace_back().id = metric::kBreakdownCpu.text();
  sample.metrics.back().quantity.value = 0.5;
  sample.metrics.emplace_back().quantity.absent_because = "x";
  return sample;
}

std::vector<std::pair<std::string_view, json::object>> Sections() {
  const report::Report sample = DocumentReport();
  report::Report compared = sample;
  report::ComparedMetric& metric = compared.comparison->metrics.front();
  metric.limit = metric.base.text = metric.title = "another";
  compared.import.assign(1, {});
  compared.import.front().severity = Severity::kDataLoss;
  compared.import.front().text = "x";
  std::vector<std::pair<std::string_view, json::object>> sections = {
      {"head", MarkdownHeadView(sample)},
      {"summary", MarkdownSummaryView(compared, "https://ci.example.org/7")},
      {"plan", MarkdownPlanView(sample)},
      {"gate", MarkdownGateView(sample)},
      {"change", MarkdownChangeView(sample)},
      {"breakdown", MarkdownBreakdownView(sample)},
      {"findings", MarkdownFindingsView(sample)},
      {"finding", MarkdownFindingView(sample.findings.front(), {})},
      {"table", MarkdownTableView(sample.tables.front(), {})},
      {"rules", MarkdownRulesView(sample)},
      {"metrics", MarkdownMetricsView(sample)},
      {"notes", MarkdownNotesView(sample)}};
  return sections;
}

TEST(Templates, UseOnlyNamesOfTheirViews) {
  std::set<std::string> seen;
  const auto check = [&](const TemplateFolder& folder, std::string_view name,
                         const json::value& view) {
    const Status checked = CheckTemplate(folder, name, MakeSchema(view), seen);
    EXPECT_TRUE(checked) << RenderDiagnostic(checked.error(), "", false);
  };
  for (const auto& [name, view] : Pages()) check(html::kPages, name, view);
  constexpr TemplateFolder kDocuments{"templates/markdown/", ".md", EscapeHtml};
  for (const auto& [name, view] : Sections()) check(kDocuments, name, view);
  for (const std::string_view path : EmbeddedTemplatePaths()) {
    const bool is_asset = path.ends_with(".js") || path.ends_with(".css");
    EXPECT_NE(seen.contains(std::string(path)), is_asset) << path;
    // It would end the element that contains the file; browsers hash a line end as LF.
    const std::string_view text = EmbeddedTemplate(path);
    EXPECT_EQ(text.find('\r'), text.npos) << path;
    if (is_asset) {
      EXPECT_EQ(text.find("</s"), text.npos) << path;
    }
  }
}

}  // namespace
}  // namespace profgauge::render
