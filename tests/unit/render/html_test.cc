// The page as bytes: its allowed contents, its required texts, and that no name of a profile breaks
// out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/hashes.h"
#include "documents.h"
#include "fixture.h"
#include "profgauge/version.h"
#include "render/html/compact.h"
#include "render/html/view.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"
#include "report/build_plan.h"
#include "report/build_sections.h"
#include "template_check.h"
#include "timeline_fixture.h"

namespace profgauge::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Page;

std::string Between(const std::string& text, std::string_view from, std::string_view to) {
  const auto begin = text.find(from);
  if (begin == std::string::npos) return {};
  const auto end = text.find(to, begin + from.size());
  return text.substr(begin + from.size(), end - begin - from.size());
}

// The text that a reader sees: no tags, scripts or styles; references resolved.
std::string TextOf(std::string page) {
  RE2::GlobalReplace(&page, "(?s)<(script|style)>.*?</(script|style)>", "");
  RE2::GlobalReplace(&page, "<[^>]*>", " ");
  for (const auto& [reference, character] : std::vector<std::pair<std::string, std::string>>{
           {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}) {
    RE2::GlobalReplace(&page, reference, character);
  }
  return page;
}

TEST(RenderHtml, VerdictAndNumbersAreText) {
  const std::string text = TextOf(Page(testing::SampleReport()));
  for (const std::string_view must : {"FAIL",
                                      "2  errors",
                                      "resnet50 <&> \"ddp\"",
                                      "the file ends early; totals are lower bounds",
                                      "GPU idle",
                                      "31.4\u202f%",
                                      "≤ 30 %",
                                      "\u22121.4\u202f%",
                                      "Iteration time breakdown",
                                      "Kernels on Tensor Cores",
                                      "36.0\u202f%",
                                      "21.6\u202fms",
                                      "The data loader holds up the GPU",
                                      "saves at most 1.20\u202fms",
                                      "Raise num_workers",
                                      "needs memory events; record with profile_memory=True",
                                      "Tesla V100-SXM2-16GB",
                                      "events that end before they start; taken as zero length",
                                      "traceEvents[12], traceEvents[40]",
                                      "0123456789abcdef0123456789abcdef",
                                      "iterations 1 to 5 are steadier than the selection"}) {
    EXPECT_THAT(text, HasSubstr(must));
  }
}

// Without its scope a head is one of its column only in a row without data cells.
TEST(RenderHtml, HeadsStandInRowsOfHeads) {
  const std::string page = Page(testing::SampleReport());
  std::size_t heads = 0;
  for (std::size_t at = page.find("<thead>"); at != page.npos; at = page.find("<thead>", at + 1)) {
    ++heads;
    EXPECT_EQ(page.substr(at, page.find("</thead>", at) - at).find("<td"), std::string::npos);
  }
  EXPECT_GT(heads, 2u);
}

TEST(RenderHtml, NamesStayText) {
  std::string page = Page(testing::SampleReport());
  RE2::GlobalReplace(&page, "</summary>", "");  // long names fold after their beginning
  for (const std::string& name : testing::HostileNames()) {
    EXPECT_THAT(page, HasSubstr(">" + EscapeHtml(name)));
    EXPECT_THAT(TextOf(page), HasSubstr(ValidUtf8(name)));
  }
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_EQ(ValidUtf8(page), page);
}

TEST(RenderHtml, HoldsNothingThatItsPolicyForbids) {
  const std::string page = Page(testing::SampleReport());
  std::string markup = page;
  // Packed columns are data: no browser runs a type that it does not know.
  RE2::GlobalReplace(&markup,
                     "(?s)<(script|style)( type=application/x-profgauge-[a-z]+ id=[a-z-]+)?"
                     ">.*?</(script|style)>",
                     "");
  EXPECT_FALSE(RE2::PartialMatch(markup, R"(<[a-z][^>]*\sstyle\s*=)"));
  EXPECT_FALSE(RE2::PartialMatch(markup, R"(<[a-z][^>"]*("[^"]*"[^>"]*)*\son[a-z]+\s*=)"));
  EXPECT_FALSE(RE2::PartialMatch(markup, R"(<[a-z][^>]*\ssrc\s*=)"));
  EXPECT_THAT(markup, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(RenderHtml, PolicyNamesScriptAndStyle) {
  const std::string page = Page(testing::SampleReport());
  std::string policy = Between(page, "Content-Security-Policy\" content=\"", "\">");
  RE2::GlobalReplace(&policy, "&#39;", "'");
  // The script that it shows unpacks the others, which files beside a page hold as they are.
  const std::vector<File> files = RenderHtmlFiles(testing::SampleReport());
  const std::string& js = files[2].bytes;
  EXPECT_EQ(policy, "default-src 'none'; script-src '" +
                        CspHash(Between(page, "<script>", "</script>")) + "' '" +
                        CspHash(js.substr(js.find('\n') + 1)) + "'; style-src '" +
                        CspHash(Between(page, "<style>", "</style>")) +
                        "'; img-src data:; base-uri 'none'; form-action 'none'");
}

TEST(RenderHtmlFiles, LinksItsOwnStyleAndScript) {
  const std::vector<File> files = RenderHtmlFiles(testing::SampleReport());
  ASSERT_EQ(files.size(), 3u);
  const std::string& page = files[0].bytes;
  EXPECT_THAT(page, HasSubstr("<link rel=stylesheet href=report.css>"));
  EXPECT_THAT(page, HasSubstr("<script src=report.js></script>"));
  EXPECT_THAT(page, HasSubstr("script-src &#39;self&#39;; style-src &#39;self&#39;;"));
  EXPECT_THAT(page, Not(HasSubstr("<style")));
  EXPECT_EQ(files[1].name, "report.css");
  EXPECT_EQ(
      files[1].bytes,
      fmt::format("/* profgauge {} */\n", kVersion) +
          html::CompactStyle(WithColours(std::string(EmbeddedTemplate("templates/report.css")))));
  EXPECT_EQ(files[2].name, "report.js");
  const std::string& js = files[2].bytes;
  EXPECT_TRUE(js.starts_with(fmt::format("/* profgauge {} */\n'use strict';\n", kVersion)));
  EXPECT_TRUE(js.ends_with("start();\n"));
  EXPECT_THAT(js, Not(HasSubstr("\n ")));   // neither indentation
  EXPECT_THAT(js, Not(HasSubstr("\n//")));  // nor comments
}

TEST(RenderHtmlFiles, StyleAndScriptsKeepTheirBudget) {
  report::Report report = testing::SampleReport();
  EXPECT_LE(Between(Page(report), "<style>", "</style>").size(), 21'650U);
  const auto size = [](const report::Report& of) {
    const std::string page = Page(of);
    return Between(page, "id=c-scripts>", "</script>").size() +
           Between(page, "<script>", "</script>").size();
  };
  const std::size_t without = size(report);
  report.timeline = testing::TimelineMaker::Make(2, 10);
  const std::size_t without_memory = size(report);
  report.tables.push_back(testing::MakeTable("memory_curve", "", "Memory",
                                             {{"device", "Device", Unit::kText, ""}}, {}));
  constexpr std::size_t kBudget = 74 * 1024;  // The scope of the whole page, and its history.
  EXPECT_GT(without, 0U);
  EXPECT_GT(size(report), without_memory);  // so do those of memory
  EXPECT_GT(without_memory, without);       // its scripts come along only with a timeline
  EXPECT_LE(size(report), kBudget);
}

TEST(RenderHtml, SameReportSameBytes) {
  EXPECT_EQ(Page(testing::SampleReport(50)), Page(testing::SampleReport(50)));
}

TEST(RenderHtml, LongTablesCountOmittedRows) {
  const std::string page = Page(testing::SampleReport(300));
  EXPECT_THAT(page, HasSubstr("(100 of 309 rows, by GPU time)"));
  EXPECT_THAT(page, HasSubstr("kernel_0<"));
  EXPECT_THAT(page, Not(HasSubstr("kernel_150<")));
}

TEST(RenderHtml, BothLevelsAreOneRow) {
  using enum report::State;
  report::Report report;
  for (const auto& [level, status, limit, at] :
       {std::tuple(kWarn, kWarn, "≤ 15 %", 0.15), std::tuple(kError, kPass, "≤ 30 %", 0.3)}) {
    report::GateRow& row = report.gate.emplace_back();
    row.metric = "gpu.idle.mean";
    row.title = "GPU idle time";
    row.measured = {0.2, Unit::kShare, "20.0 %", ""};
    row.margin = {at - 0.2, Unit::kShare, "x", ""};
    row.limit = limit;
    row.level = level;
    row.status = status;
  }
  const std::string page = Page(report);
  EXPECT_THAT(page, HasSubstr(">error ≤ 30 %, warning ≤ 15 %<"));
  const std::size_t gate = page.find("id=gate");
  const std::string rows = page.substr(gate, page.find("</section>", gate) - gate);
  EXPECT_EQ(rows.find("gpu.idle.mean"), rows.rfind("gpu.idle.mean"));
  EXPECT_NE(rows.find("class=tick"), rows.rfind("class=tick"));  // One for each limit.
  report.gate.back().baseline.text = "x";  // Against a baseline they are distinguished.
  EXPECT_THAT(Page(report), Not(HasSubstr("error ≤ 30 %, warning")));
}

TEST(RenderHtml, PassingPageNamesLargestGain) {
  report::Report report;
  for (const auto& [rule, gain] : {std::pair("test/small", 1e6), std::pair("test/large", 5e6)}) {
    report::Finding& finding = report.findings.emplace_back();
    finding.rule = rule;
    finding.title = rule;
    finding.level = finding.status = report::State::kInfo;
    finding.saves = report::BuildSaving({rules::Basis::kSimulated, gain, {}, {}});
  }
  const std::string text = TextOf(Page(report));
  const std::size_t first = text.find("Look first");
  ASSERT_NE(first, std::string::npos);
  EXPECT_LT(text.find("test/large", first), text.find("test/small", first));
}

// Failures come before warnings.
TEST(RenderHtml, UnexplainedMissComesFirst) {
  report::Report report;
  report.verdict.status = report::State::kFail;
  report.verdict.errors = report.verdict.warnings = 1;
  report::GateRow& row = report.gate.emplace_back();
  row.metric = "iteration.time.median";
  row.title = "Median iteration time";
  row.measured.text = "4.61 ms";
  row.change.text = "+29.5 %";
  row.limit = "≤ +5.0 %";
  row.level = row.status = report::State::kError;
  report::Finding& finding = report.findings.emplace_back();
  finding.rule = finding.title = "test/coverage";
  finding.level = finding.status = report::State::kWarn;
  const std::string text = TextOf(Page(report));
  const std::size_t first = text.find("Fix first");
  ASSERT_NE(first, std::string::npos);
  const std::size_t limit =
      text.find("4.61 ms, +29.5 % against the baseline, limit ≤ +5.0 %", first);
  ASSERT_NE(limit, std::string::npos);
  EXPECT_LT(limit, text.find("test/coverage", first));
}

TEST(RenderHtml, DrawsAnEmptyReport) {
  const std::string text = TextOf(Page(report::Report{}));
  EXPECT_THAT(text, HasSubstr("The policy has no limits."));
  EXPECT_THAT(text, HasSubstr("The profile has no iteration to break down."));
}

// A list without an element in the schema would leave the names inside it unchecked.
void ExpectNoEmptyList(const boost::json::value& value, const std::string& path) {
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      ExpectNoEmptyList(member.value(), path + "." + std::string(member.key()));
    }
  } else if (const auto* list = value.if_array()) {
    EXPECT_FALSE(list->empty()) << path;
    for (const auto& element : *list) ExpectNoEmptyList(element, path + "[]");
  }
}

TEST(PageView, SchemaListsHaveElements) {
  ExpectNoEmptyList(testing::MakeSchema(html::PageView(testing::SchemaReport())), "");
}

// Whatever a report holds, its view has the names that templates may use.
void ExpectNames(const boost::json::value& schema, const boost::json::value& view,
                 const std::string& path) {
  if (const auto* object = schema.if_object()) {
    ASSERT_TRUE(view.is_object()) << path;
    for (const auto& member : *object) {
      const auto* found = view.as_object().if_contains(member.key());
      ASSERT_NE(found, nullptr) << path << "." << member.key();
      ExpectNames(member.value(), *found, path + "." + std::string(member.key()));
    }
  } else if (const auto* list = schema.if_array()) {
    ASSERT_TRUE(view.is_array()) << path;
    for (const auto& element : view.as_array()) ExpectNames(list->front(), element, path + "[]");
  }
}

TEST(PageView, EveryViewHasSchemaNames) {
  const auto schema = testing::MakeSchema(html::PageView(testing::SchemaReport()));
  ExpectNames(schema, html::PageView(report::Report{}), "empty");
  ExpectNames(schema, html::PageView(testing::SampleReport()), "sample");
}

TEST(RenderHtml, UnknownIterationsAreNotZero) {
  report::Report report = testing::SampleReport();
  report.profile.iterations_total = report.profile.iterations_selected = 0;
  const std::string page = Page(report);
  EXPECT_THAT(page, HasSubstr("iterations unknown"));
  EXPECT_THAT(page, Not(HasSubstr("Iterations recorded")));
}

// The report says how many there are; the page draws them and counts none by itself.
TEST(RenderHtml, MarksTheReportsOutliers) {
  for (const std::int64_t count : {0, 1, 2}) {
    report::Report report = testing::SampleReport();
    std::erase_if(report.metrics,
                  [](const report::Metric& metric) { return metric.id == "iteration.outliers"; });
    testing::AddMetric(report, "iteration.outliers", "Outliers", count, Unit::kCount);
    const std::string page = Page(report);
    std::int64_t marked = 0;
    for (std::size_t at = 0; (at = page.find(", an outlier", at)) != std::string::npos; ++at) {
      ++marked;
    }
    EXPECT_EQ(marked, count);
  }
}

}  // namespace
}  // namespace profgauge::render
