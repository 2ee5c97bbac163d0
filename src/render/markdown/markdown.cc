// The Markdown document: sections from templates, in the order of their weight, so that a limit on
// the size can drop them from the bottom and never cuts one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>

#include "render/markdown/markdown_sections.h"
#include "render/markdown/markdown_text.h"
#include "render/markdown/markdown_view.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

constexpr TemplateFolder kDocuments{"templates/markdown/", ".md", EscapeMarkdown};

/// One empty line between paragraphs, none at the ends, a line end at the end.
std::string Tidy(std::string_view text) {
  std::string out;
  int line_ends = 2;
  for (const char c : text) {
    line_ends = c == '\n' ? line_ends + 1 : 0;
    if (line_ends <= 2) out += c;
  }
  while (out.ends_with('\n')) out.pop_back();
  return out + "\n";
}

class Document {
 public:
  explicit Document(const report::Report& report)
      : report_(report), labels_(report::IterationLabels(report)) {}

  /// Draws all sections.
  void Draw() {
    if (IsComparisonAlone(report_)) return DrawChange();
    Add("Verdict", "head", MarkdownHeadView(report_));
    const bool has_plan = report_.plan && !report_.plan->steps.empty();
    if (has_plan) Add("Plan", "plan", MarkdownPlanView(report_));
    if (!report_.gate.empty()) Add("Limits", "gate", MarkdownGateView(report_));
    DrawFindings();
    DrawChange();
    DrawBreakdown();
    DrawTables();
    Add("Notes", "notes", MarkdownNotesView(report_));
    Add("Other rules", "rules", MarkdownRulesView(report_));
    Add("Metrics", "metrics", MarkdownMetricsView(report_));
  }

  std::string Assembled(std::size_t max_bytes) const {
    return JoinSections(sections_, max_bytes, "report.html");
  }

 private:
  void Add(std::string name, std::string_view file, const json::object& view) {
    std::string text = Tidy(RenderTemplate(kDocuments, file, view));
    if (text != "\n") sections_.push_back({std::move(name), std::move(text)});
  }

  void DrawChange() {
    if (report_.comparison) Add("Change", "change", MarkdownChangeView(report_));
  }

  void DrawBreakdown() {
    if (report::Breakdown(report_).empty()) return;
    Add("Iteration time breakdown", "breakdown", MarkdownBreakdownView(report_));
  }

  // The table of findings, then a section for each of the first ones: a limit on the size drops
  // single findings from the last.
  void DrawFindings() {
    const auto fired = FiredFindings(report_);
    if (!fired.empty()) Add("Findings", "findings", MarkdownFindingsView(report_));
    std::size_t shown = 0;
    for (const report::Finding* finding : fired) {
      if (shown++ == kMarkdownFindings) break;
      Add("finding " + finding->rule, "finding", MarkdownFindingView(*finding, labels_));
    }
  }

  void DrawTables() {
    const auto draw = [&](const Table& table) {
      Add(table.title(), "table", MarkdownTableView(table, labels_));
    };
    for (const report::TableLook& look : report::TableLooks()) {
      const Table* table = report::FindTableById(report_, look.id);
      if (look.not_in_markdown.empty() && table != nullptr && table->rows() > 0) draw(*table);
    }
  }

  const report::Report& report_;
  report::Labels labels_;
  std::vector<MarkdownSection> sections_;
};

}  // namespace

std::string RenderSummary(const report::Report& report, const std::string& link) {
  return Tidy(RenderTemplate(kDocuments, "summary", MarkdownSummaryView(report, link)));
}

std::string RenderMarkdown(const report::Report& report, std::size_t max_bytes) {
  Document document(report);
  document.Draw();
  std::string text = document.Assembled(max_bytes);
  // The head of a verdict has the mark; a single comparison has not.
  if (text.find("<!-- profgauge") == text.npos) text += "\n<!-- profgauge -->\n";
  return text;
}

// The head has the mark by which a CI job finds its earlier comment.
std::string RenderMarkdown(const Ending& ending, std::size_t max_bytes) {
  const report::State state = StateOf(ending);
  const std::string_view sign = state == State::kNotJudged ? "!" : LookOf(state).sign;
  std::string out = fmt::format("### {} {} · {}\n<!-- profgauge:{} -->\n", sign, VerdictWord(state),
                                EscapeMarkdown(ElideMiddle(ending.name, 80)),
                                MarkerName(ElideMiddle(ending.name, 80)));
  for (std::size_t i = 0; i < ending.errors.size(); ++i) {
    const EndingError& error = ending.errors[i];
    std::string text = fmt::format("\n**error:** {} ({})\n", MarkdownProse(error.message, false),
                                   MarkdownCode(error.code, false));
    if (!error.where.empty()) text += fmt::format("\n- at {}\n", MarkdownCode(error.where, false));
    for (const std::string& note : error.notes) {
      text += fmt::format("- {}\n", MarkdownProse(note, false));
    }
    const std::string rest =
        fmt::format("\n… {} omitted to limit the size.\n",
                    Counted(static_cast<std::int64_t>(ending.errors.size() - i), "more error is",
                            "more errors are"));
    if (max_bytes > 0 && out.size() + text.size() + rest.size() > max_bytes) return out + rest;
    out += text;
  }
  return out;
}

}  // namespace profgauge::render
