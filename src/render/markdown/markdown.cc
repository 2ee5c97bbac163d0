// The Markdown document: sections from templates, in the order of their weight, so that a limit on
// the size can drop them from the bottom and never cuts one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>

#include "base/metric_id.h"
#include "render/markdown/markdown_sections.h"
#include "render/markdown/markdown_text.h"
#include "render/markdown/markdown_view.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/template.h"
#include "render/shared/template_check.h"
#include "render/shared/words.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

/// A report with one of everything, to check templates against.
const report::Report& MarkdownSchema() {
  static const report::Report report = [] {
    report::Report sample = SchemaReport();
    sample.findings.push_back(sample.findings.front());
    sample.findings.back().status = report::State::kError;
    sample.findings.push_back(sample.findings.front());
    sample.findings.back().status = report::State::kBroken;
    report::Metric part;
    part.id = metric::kBreakdownCpu.text();
    part.quantity.value = 0.5;
    sample.metrics.push_back(part);
    report::Metric absent;
    absent.quantity.absent_because = "x";
    sample.metrics.push_back(absent);
    return sample;
  }();
  return report;
}

class Document {
 public:
  Document(const report::Report& report, const MarkdownOptions& options)
      : report_(report),
        shape_(MarkdownShapeOf(options.full)),
        labels_(report::IterationLabels(report)),
        folder_{"markdown", ".md", options.templates_dir, EscapeMarkdown} {}

  /// Draws all sections. Errors: those of the templates.
  Status Draw() {
    const report::Report& sample = MarkdownSchema();
    if (IsComparisonAlone(report_)) return DrawChange(sample);
    PROFGAUGE_CHECK(Add("Verdict", "head", MarkdownHeadView(report_, shape_),
                        MarkdownHeadView(sample, shape_)));
    const bool has_plan = report_.plan && !report_.plan->steps.empty();
    PROFGAUGE_CHECK(Add("Plan", "plan", MarkdownPlanView(report_, shape_),
                        MarkdownPlanView(sample, shape_), has_plan));
    if (!shape_.is_full) {
      PROFGAUGE_CHECK(DrawChange(sample));
      PROFGAUGE_CHECK(DrawBreakdown(sample));
      is_folding_ = true;
    }
    PROFGAUGE_CHECK(Add("Limits", "gate", MarkdownGateView(report_, shape_),
                        MarkdownGateView(sample, shape_), !report_.gate.empty()));
    PROFGAUGE_CHECK(DrawFindings(sample));
    if (shape_.is_full) {
      PROFGAUGE_CHECK(DrawChange(sample));
      PROFGAUGE_CHECK(DrawBreakdown(sample));
    }
    PROFGAUGE_CHECK(DrawTables(sample));
    if (!shape_.is_full) return {};
    PROFGAUGE_CHECK(
        Add("Other rules", "rules", MarkdownRulesView(report_), MarkdownRulesView(sample)));
    PROFGAUGE_CHECK(
        Add("Metrics", "metrics", MarkdownMetricsView(report_), MarkdownMetricsView(sample)));
    return Add("Notes", "notes", MarkdownNotesView(report_), MarkdownNotesView(sample));
  }

  std::string Assembled(std::size_t max_bytes) const {
    return JoinSections(sections_, max_bytes, "report.html");
  }

 private:
  Status Add(std::string name, std::string_view file, json::object view, json::object schema,
             bool is_wanted = true) {
    view["h2"] = schema["h2"] = MakeMarkup(shape_.is_full ? "##" : "####");
    view["full"] = schema["full"] = shape_.is_full;
    const json::value values(std::move(view)), names(std::move(schema));
    if (!is_wanted) return CheckTemplate(folder_, file, names);
    PROFGAUGE_TRY(std::string text, RenderTemplate(folder_, file, values, names));
    text = Tidy(text);
    if (text != "\n") sections_.push_back({std::move(name), std::move(text), is_folding_});
    return {};
  }

  Status DrawChange(const report::Report& sample) {
    MarkdownShape full = shape_;
    full.is_full = true;  // The schema has all that either shape has.
    return Add("Change", "change", MarkdownChangeView(report_, shape_),
               MarkdownChangeView(sample, full), report_.comparison.has_value());
  }

  Status DrawBreakdown(const report::Report& sample) {
    return Add("Iteration time breakdown", "breakdown", MarkdownBreakdownView(report_, shape_),
               MarkdownBreakdownView(sample, shape_), !report::Breakdown(report_).empty());
  }

  // The table of findings, then a section for each of the first ones: a limit on the size drops
  // single findings from the last.
  Status DrawFindings(const report::Report& sample) {
    const auto fired = FiredFindings(report_);
    PROFGAUGE_CHECK(Add("Findings", "findings", MarkdownFindingsView(report_, shape_),
                        MarkdownFindingsView(sample, shape_), !fired.empty()));
    const json::object schema = MarkdownFindingView(sample.findings.front(), shape_, {});
    std::size_t shown = 0;
    for (const report::Finding* finding : fired) {
      if (shown++ == shape_.findings) break;
      PROFGAUGE_CHECK(Add("finding " + finding->rule, "finding",
                          MarkdownFindingView(*finding, shape_, labels_), schema));
    }
    return {};
  }

  Status DrawTables(const report::Report& sample) {
    const json::object schema = MarkdownTableView(sample.tables.front(), shape_, {});
    if (!shape_.is_full) {
      const Table* ops = report::FindTableById(report_, "ops");
      if (ops == nullptr || ops->rows() == 0) return {};
      return Add(ops->title(), "table", MarkdownTableView(*ops, shape_, labels_), schema);
    }
    for (const report::TableLook& look : report::TableLooks()) {
      const Table* table = report::FindTableById(report_, look.id);
      if (!look.not_in_markdown.empty() || table == nullptr || table->rows() == 0) continue;
      PROFGAUGE_CHECK(
          Add(table->title(), "table", MarkdownTableView(*table, shape_, labels_), schema));
    }
    return {};
  }

  /// One empty line between paragraphs, none at the ends, a line end at the end.
  static std::string Tidy(std::string_view text) {
    std::string out;
    int line_ends = 2;
    for (const char c : text) {
      line_ends = c == '\n' ? line_ends + 1 : 0;
      if (line_ends <= 2) out += c;
    }
    while (out.ends_with('\n')) out.pop_back();
    return out + "\n";
  }

  const report::Report& report_;
  MarkdownShape shape_;
  report::Labels labels_;
  TemplateFolder folder_;
  std::vector<MarkdownSection> sections_;
  bool is_folding_ = false;
};

}  // namespace

Result<std::string> RenderMarkdown(const report::Report& report, const MarkdownOptions& options) {
  Document document(report, options);
  PROFGAUGE_CHECK(document.Draw());
  std::string text = document.Assembled(options.max_bytes);
  // The head of a verdict has the mark; a single comparison, or a user's template, has not.
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
