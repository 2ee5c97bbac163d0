// The Markdown documents, as GitHub would read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/text.h"
#include "documents.h"
#include "fixture.h"
#include "render/markdown/markdown_text.h"
#include "render/shared/renderer.h"

namespace profgauge::render {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Plain;
using ::testing::StartsWith;

std::string Document(const report::Report& report, std::size_t max_bytes = 0) {
  return RenderMarkdown(report, max_bytes);
}

TEST(MarkdownText, NothingBecomesMarkup) {
  struct Row {
    std::string_view in, out;
  };
  const Row kRows[] = {
      {"plain text", "plain text"},
      {"a|b", "a\\|b"},
      {"<b>&amp;", "&lt;b&gt;&amp;amp;"},
      {"*x* _y_ `z` [l](u) ~s~ $m$", "\\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) \\~s\\~ \\$m\\$"},
      {"@user #123 #x", "@&#8203;user \\#&#8203;123 \\#x"},
      {"two\nlines", "two lines"},
      {"- item", "\\- item"},
      {"12. item", "12\\. item"},
      {"12.5 ms", "12.5 ms"},
      {"-1.4 %", "-1.4 %"},
      {"---", "--\\-"},
      {"12", "12"},
      {"a - b", "a - b"},
      {"\xff\x1b", "\\\\xff\\\\x1b"},
      {"", ""},
  };
  for (const Row& row : kRows) EXPECT_EQ(EscapeMarkdown(row.in), row.out) << row.in;
}

TEST(MarkdownText, CodeSpans) {
  struct Row {
    std::string in;
    std::string_view cell, text;
  };
  const Row kRows[] = {
      {"aten::mm", "`aten::mm`", "`aten::mm`"},
      {"a|b", "`a\\|b`", "`a|b`"},
      {"a`b", "``a`b``", "``a`b``"},
      {"`a``", "``` `a`` ```", "``` `a`` ```"},
      {"{{x}}", "`{{x}}`", "`{{x}}`"},
      {"a\nb", "`a b`", "`a b`"},
      {" ", "–", "–"},
      {std::string(30, 'a') + std::string(31, 'b'),
       "`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb`",
       "`aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…bbbbbbbbbbbbbbbbbbbbbbbbbbbbb`"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(MarkdownCode(row.in, true), row.cell) << row.in;
    EXPECT_EQ(MarkdownCode(row.in, false), row.text) << row.in;
  }
}

TEST(MarkdownText, ProseKeepsCodeEscapesRest) {
  EXPECT_EQ(MarkdownProse("`a_b | c` is *not* known", true), "`a_b \\| c` is \\*not\\* known");
  EXPECT_EQ(MarkdownProse("one ` alone", true), "one \\` alone");
  EXPECT_EQ(MarkdownProse("`<img>` | <img>", false), "`<img>` \\| &lt;img&gt;");
}

TEST(MarkdownText, Bars) {
  EXPECT_EQ(MarkdownBar(0), "░░░░░░░░░░");
  EXPECT_EQ(MarkdownBar(1), "██████████");
  EXPECT_EQ(MarkdownBar(0.57), "█████▊░░░░");
  EXPECT_EQ(MarkdownBar(-1), "░░░░░░░░░░");
  EXPECT_EQ(MarkdownBar(7), "██████████");
}

TEST(MarkdownText, MarkersCannotEndTheirComment) {
  EXPECT_EQ(MarkerName("resnet50_ddp"), "resnet50_ddp");
  EXPECT_EQ(MarkerName("a --> <b>"), "a-b");
}

TEST(Markdown, TheSummary) {
  EXPECT_EQ(
      Plain(RenderSummary(testing::SampleReport())),
      R"(### ✗ **resnet50 &lt;&amp;&gt; "ddp": fails** · 2 errors, 1 missing · 1 measured and good
<!-- profgauge:resnet50-ddp -->

> **Data loss:** the file ends early; totals are lower bounds

The data loader holds up the GPU: 12.0 % of an iteration waits for data, limit 10 %

Fails for:
- GPU idle 31.4 % (limit 30 %)
- The data loader holds up the GPU (12.0 %)

recommended · baseline none
)");
}

TEST(Markdown, TheFullDocumentHasEverySection) {
  const std::string text = Document(testing::SampleReport());
  EXPECT_THAT(text, StartsWith("# ✗ FAIL · "));
  for (const char* head :
       {"## Limits", "## Findings", "## Iteration time breakdown", "## Operators", "## Kernels",
        "## Iterations", "## Metrics", "## Notes"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(head) + "\n"));
  }
  EXPECT_THAT(text, HasSubstr("not applicable `memory/small-batch`"));
}

TEST(Markdown, EveryRowHasItsCells) {
  const std::string text = Document(testing::SampleReport());
  std::size_t columns = 0;
  for (const std::string_view line : Lines(text)) {
    if (!line.starts_with('|')) {
      columns = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    }
    if (columns == 0) columns = bars;
    EXPECT_EQ(bars, columns) << line;
  }
}

TEST(Markdown, HostileNamesStayInTheirCells) {
  const std::string text = Document(testing::SampleReport());
  EXPECT_THAT(text, HasSubstr("| `</script><img src=x onerror=alert(1)>` |"));
  EXPECT_THAT(text, HasSubstr("| `a\\|b` |"));
  EXPECT_THAT(text, HasSubstr("| `{{x}} {{{y}}}` |"));
  EXPECT_THAT(text, HasSubstr("| `line one line two` |"));
  EXPECT_THAT(text, HasSubstr("| `` `code` *bold* @user #123 `` |"));
  EXPECT_THAT(text, Not(HasSubstr(std::string(61, 'k'))));
}

TEST(Markdown, CodeInMessagesIsCode) {
  report::Report report = testing::SampleReport();
  report.findings.front().message_parts = PartsOf("most in `a_b<c>|d`, not in <e>");
  const std::string text = Document(report);
  EXPECT_THAT(text, HasSubstr("| most in `a_b<c>\\|d`, not in &lt;e&gt; |"));
  EXPECT_THAT(text, HasSubstr("\nmost in `a_b<c>|d`, not in &lt;e&gt;\n"));
}

TEST(Markdown, LimitDropsLastSectionsWithNote) {
  const report::Report report = testing::SampleReport(50);
  const std::string whole = Document(report);
  std::size_t before = 0;
  for (const std::size_t limit : {1500u, 3000u, 6000u, 20000u}) {
    const std::string text = Document(report, limit);
    EXPECT_LE(text.size(), limit);
    EXPECT_GE(text.size(), before);
    before = text.size();
    if (text == whole) continue;
    const std::size_t cut = text.rfind("\n… ");
    ASSERT_NE(cut, std::string::npos) << limit;
    EXPECT_EQ(whole.substr(0, cut), text.substr(0, cut));
    EXPECT_THAT(text, EndsWith(". All are in the page (`--html`).\n"));
  }
  EXPECT_THAT(Document(report, 1500), HasSubstr("more sections are omitted to limit the size: "));
  EXPECT_EQ(Document(report, whole.size()), whole);
}

TEST(RenderMarkdown, FindingsWithoutEvidenceHaveNoTable) {
  report::Report report = testing::SampleReport();
  for (report::Finding& finding : report.findings) {
    finding.evidence.clear();
    finding.evidence_heads.clear();
  }
  EXPECT_THAT(Document(report), Not(HasSubstr("\n|\n")));
}

// It names no other file: nothing says that one was written.
TEST(RenderMarkdown, EvidenceSaysOfHowManyRows) {
  report::Report report = testing::SampleReport();
  for (report::Finding& finding : report.findings) {
    finding.evidence_heads = {"Start"};
    finding.evidence_units = {Unit::kTime};
    finding.evidence = {{std::int64_t{1}}, {std::int64_t{2}}};
    finding.evidence_of = 828;
  }
  EXPECT_THAT(Document(report), HasSubstr("\n2 of 828 rows are shown.\n"));
  EXPECT_THAT(Document(report), Not(HasSubstr("have all of them")));
}

TEST(RenderMarkdown, UnknownIterationsAreNotZero) {
  report::Report report = testing::SampleReport();
  report.profile.iterations_total = report.profile.iterations_selected = 0;
  EXPECT_THAT(Document(report), Not(HasSubstr("0 iterations")));
}

TEST(RenderMarkdown, EnvironmentAndProvenanceAreOneTable) {
  report::Report report = testing::SampleReport();
  report.profile.versions.clear();
  report.environment.clear();
  report.provenance = {{"input", "abc"}};
  EXPECT_THAT(Document(report), HasSubstr("|:--|:--|\n| input | abc |"));
}

}  // namespace
}  // namespace profgauge::render
