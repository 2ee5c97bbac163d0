// Several runs as Markdown: verdicts, metrics × runs, the change of each pair, then each run.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/metric_id.h"
#include "render/markdown/markdown_sections.h"
#include "render/markdown/markdown_text.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/runs_table.h"
#include "render/shared/words.h"
#include "report/first_screen.h"

namespace profgauge::render {
namespace {

using report::Report;
using report::Runs;

/// Rows of a document that is read, not searched; the workbook has all.
constexpr std::size_t kMostMetrics = 40;

std::string NameOf(const Report& run) { return EscapeMarkdown(run.profile.name); }

std::string IterationOf(const Report& run) {
  const report::Metric* time = report::FindMetricById(run, metric::kIterationTimeMean);
  return time == nullptr || IsAbsent(time->quantity.value) ? "–" : time->quantity.text;
}

std::string VerdictTable(const Runs& runs) {
  std::string text = "| Run | Verdict | Iteration | Diagnosis |\n|---|---|--:|---|\n";
  for (const Report& run : runs.runs) {
    const StatusLook& look = LookOf(run.verdict.status);
    text += fmt::format("| {} | {} {} | {} | {} |\n", NameOf(run), look.sign, look.word,
                        EscapeMarkdown(IterationOf(run)),
                        MarkdownProse(report::Diagnose(run).text, true));
  }
  return text;
}

std::string MetricsTable(const Runs& runs) {
  std::string head = "| Metric |", line = "|---|";
  for (const Report& run : runs.runs) head += fmt::format(" {} |", NameOf(run)), line += "--:|";
  std::string text = fmt::format("{}\n{}\n", head, line);
  bool has_best = false;
  for (const RunsRow& row : RowsOfRuns(runs, false, kMostMetrics)) {
    text += fmt::format("| {}{} |", EscapeMarkdown(row.metric->title), row.is_limited ? " †" : "");
    for (std::size_t i = 0; i < runs.runs.size(); ++i) {
      has_best |= row.is_best[i];
      const std::string cell = EscapeMarkdown(RunsCell(row, i));
      text += row.is_best[i] ? fmt::format(" **{}** |", cell) : fmt::format(" {} |", cell);
    }
    text += "\n";
  }
  text += "\n† limited by the policy.";
  if (has_best) text += " Bold: the best run.";
  return text + "\n";
}

std::string PairsTable(const Runs& runs) {
  std::string text = "| Comparison | Change |\n|---|---|\n";
  for (const Runs::Pair& pair : runs.pairs) {
    if (!pair.report.comparison) continue;
    text += fmt::format("| {} against {} | {} |\n", NameOf(runs.runs[pair.current]),
                        NameOf(runs.runs[pair.base]),
                        EscapeMarkdown(ChangeSentence(*pair.report.comparison)));
  }
  return text;
}

}  // namespace

std::string RenderRunsMarkdown(const Runs& runs, std::size_t max_bytes) {
  std::vector<MarkdownSection> sections = {
      {"Verdicts", "# Runs side by side\n\n" + VerdictTable(runs)},
      {"Metrics", "## Metrics\n\n" + MetricsTable(runs)},
      {"Changes", "## Changes\n\n" + PairsTable(runs)}};
  for (const Report& run : runs.runs) {
    sections.push_back({run.profile.name, RenderSummary(run)});
  }
  return JoinSections(sections, max_bytes, "runs.html");
}

std::string RenderRunsSummary(const Runs& runs, std::size_t max_bytes) {
  const MarkdownSection sections[] = {
      {"Verdicts", "### Runs side by side\n\n" + VerdictTable(runs)},
      {"Changes", PairsTable(runs)}};
  return JoinSections(sections, max_bytes, "runs.html");
}

}  // namespace profgauge::render
