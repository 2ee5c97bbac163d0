// The Markdown document: sections made by templates, most important first, so that a size limit
// drops whole sections from the end.

#include "render/markdown/markdown.h"

#include <fmt/format.h>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "render/markdown/markdown_text.h"
#include "render/markdown/markdown_view.h"
#include "render/shared/change.h"
#include "render/shared/ending.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "report/diagnosis.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

constexpr TemplateFolder kDocuments{"templates/markdown/", ".md", EscapeMarkdown};

/// The text with exactly one empty line between paragraphs, none at its ends, and a final line end.
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

  /// Renders all sections.
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

  std::string Assembled(std::size_t max_bytes) const { return JoinSections(sections_, max_bytes); }

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

  // Adds the table of findings, then a section for each of the first findings, so that a size limit
  // drops single findings from the end.
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
  // A head with a verdict has the marker. A comparison without a verdict gets it here.
  if (text.find("<!-- profgauge") == text.npos) text += "\n<!-- profgauge -->\n";
  return text;
}

// The head has the marker, by which a CI job finds its earlier comment.
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

// Several runs as Markdown: verdicts, metrics × runs, the change of each pair, then each run.

namespace {

using report::Report;
using report::Runs;

/// Most rows of a document that people read. The workbook has all.
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
  std::vector<RunsRow> rows = RowsOfRuns(runs, false, 0);
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMostMetrics));
  for (const RunsRow& row : rows) {
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
  if (all > rows.size()) {
    text += fmt::format(" And {} more metrics, which the workbook lists.", all - rows.size());
  }
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
  return JoinSections(sections, max_bytes);
}

std::string RenderRunsSummary(const Runs& runs, std::size_t max_bytes) {
  const MarkdownSection sections[] = {
      {"Verdicts", "### Runs side by side\n\n" + VerdictTable(runs)},
      {"Changes", PairsTable(runs)}};
  return JoinSections(sections, max_bytes);
}

namespace {

// A document shows the most important parts; others open on a click.

/// Most names in the sentence about dropped sections, and its largest size in bytes.
constexpr std::size_t kNamed = 4, kReserve = 400;

}  // namespace

std::string JoinSections(std::span<const MarkdownSection> sections, std::size_t max_bytes) {
  std::string out;
  std::size_t index = 0;
  for (; index < sections.size(); ++index) {
    const std::string text = (out.empty() ? "" : "\n") + sections[index].text;
    const bool is_last = index + 1 == sections.size();
    const std::size_t needed = out.size() + text.size() + (is_last ? 0 : kReserve);
    if (index > 0 && max_bytes > 0 && needed > max_bytes) break;
    out += text;
  }
  if (index == sections.size()) return out;
  const std::size_t missing = sections.size() - index;
  out += fmt::format(
      "\n… {} omitted to limit the size: ",
      Counted(static_cast<std::int64_t>(missing), "more section is", "more sections are"));
  for (std::size_t i = index; i < std::min(index + kNamed, sections.size()); ++i) {
    out += (i == index ? "" : ", ") + EscapeMarkdown(ElideMiddle(sections[i].name, 40));
  }
  if (missing > kNamed) out += ", …";
  return out + ". All are in the page (`--html`).\n";
}

// The summary for a comment: the verdict on a line, the change of the time, and what to do, in at
// most 200 words.

namespace {

constexpr std::size_t kMostWords = 190;  // The rest is for the sources.
constexpr std::size_t kMostSteps = 3;

std::size_t WordsIn(std::string_view text) {
  std::size_t words = 0;
  bool is_inside = false;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    words += !is_blank && !is_inside ? 1 : 0;
    is_inside = !is_blank;
  }
  return words;
}

/// The name of the baseline's branch, "main", or "the baseline".
std::string NameOfBase(const report::Report& report) {
  constexpr std::string_view kHistory = "history:";
  const std::string source = report.baseline ? report.baseline->source : std::string();
  if (!source.starts_with(kHistory)) return "the baseline";
  return source.substr(kHistory.size(), source.rfind('~') - kHistory.size());
}

/// The compared metric of the headline. If the verdict has missed limits, one of them, times first.
/// Otherwise the typical iteration or, without it, the first limit.
const report::ComparedMetric* HeadlineMetric(const report::Report& report) {
  if (!report.comparison) return nullptr;
  const auto weight = [&report](const report::ComparedMetric& metric) {
    const State decides = report.verdict.status == State::kFail ? State::kFail : State::kOpen;
    const bool is_missed = report.verdict.status != State::kPass && metric.result == decides &&
                           metric.level == State::kError;
    return (is_missed ? 2 : 0) + (metric.metric.starts_with("iteration.") ? 1 : 0);
  };
  const report::ComparedMetric* chosen = nullptr;
  for (const report::ComparedMetric& metric : report.comparison->metrics) {
    if (metric.limit.empty()) continue;
    if (chosen == nullptr || weight(metric) > weight(*chosen)) chosen = &metric;
  }
  return chosen;
}

/// True if the total of all iterations misses the limit although the typical iteration keeps it. A
/// total that is over the limit by chance is no miss.
bool MissesInTotal(const report::ComparedMetric& metric) {
  const bool is_missed = metric.result == State::kFail || metric.result == State::kOpen ||
                         metric.result == State::kAccepted;
  if (!is_missed || IsAbsent(metric.total_limit.value) || metric.change.unit != Unit::kShare) {
    return false;
  }
  const double limit = AsNumber(metric.total_limit.value, 0);
  return AsNumber(metric.change.value, 0) <= limit && AsNumber(metric.total.value, 0) > limit;
}

/// A change in words: "9.2 % slower", "12 % faster", "9.2 % slower in total". If the metric is no
/// time, its name and change.
std::string ChangeWords(const report::ComparedMetric& metric) {
  if (MissesInTotal(metric)) {
    const std::string& total = metric.total.text;
    return (total.starts_with('+') ? total.substr(1) : total) + " slower in total";
  }
  std::string text = metric.change.text;
  const bool is_time = metric.metric.find(".time") != std::string::npos ||
                       metric.metric.find(".period") != std::string::npos;
  if (!is_time) return metric.title + " " + text;
  constexpr std::string_view kMinus = "−";
  const std::string_view each = metric.title.ends_with(report::kPerSample) ? " per sample" : "";
  if (text.starts_with('+')) return fmt::format("{} slower{}", text.substr(1), each);
  if (text.starts_with(kMinus)) {
    return fmt::format("{} faster{}", text.substr(kMinus.size()), each);
  }
  return "not slower";
}

/// The words of the first line, and the sentences after it.
struct SummaryWords {
  std::string headline, rest;
  std::vector<std::string> texts;
};

std::string AgainstText(const report::Report& report) {
  const report::Comparison& comparison = *report.comparison;
  std::string text =
      fmt::format("{} against {} of {}", IterationsText(report.profile),
                  Counted(comparison.baseline_runs, "run", "runs"), NameOfBase(report));
  if (comparison.current_runs > 1) {
    text = Counted(comparison.current_runs, "profile", "profiles") + ", " + text;
  }
  if (report.baseline && report.baseline->state == "learning")
    text += " · " + report.baseline->mark;
  return text;
}

SummaryWords WordsWithoutBaseline(const report::Report& report) {
  const report::BaselineUse& use = *report.baseline;
  const std::string of = NameOfBase(report);
  if (use.state == "first" && report.verdict.status == State::kPass) {
    const std::string mark = use.mark.substr(0, use.mark.find(','));
    return {"first run, nothing was compared",
            FirstUpper(mark) + (use.learning_until.empty() ? "" : ", until " + use.learning_until),
            {}};
  }
  if (report.verdict.status != State::kNoVerdict) return {"", "", {}};
  if (use.state == "lost") {
    return {fmt::format("no verdict, the history of {} is empty or gone", of), "", {use.line}};
  }
  return {fmt::format("no verdict, no run of {} is comparable", of), "", {use.line}};
}

SummaryWords WordsOfOtherWork(const report::Report& report, const report::ComparedMetric& metric) {
  const report::Comparison& comparison = *report.comparison;
  const std::string of = NameOfBase(report);
  const std::string_view what = comparison.work == "less"     ? "an iteration does less than on {}"
                                : comparison.work == "inputs" ? "the inputs differ from those of {}"
                                : comparison.work == "collapsed"
                                    ? "the same kernels take implausibly less time than on {}"
                                    : "an iteration does other work than on {}";
  SummaryWords words{fmt::format("no verdict, {}", fmt::format(fmt::runtime(what), of)), "", {}};
  if (comparison.work == "inputs" || comparison.work == "collapsed") {
    words.texts.push_back(FirstUpper(std::string(report::WithoutId(metric.note))));
    return words;
  }
  words.texts.push_back(
      fmt::format("Gone: {}. New: {}. Times are not compared.",
                  comparison.work_gone.empty() ? "nothing" : comparison.work_gone,
                  comparison.work_come.empty() ? "nothing" : comparison.work_come));
  words.texts.emplace_back(
      "Are iterations marked differently, or skipped? If the work changed on purpose: "
      "`Profgauge-Accept: work: REASON`");
  return words;
}

// Adds what waivers do, and why one does nothing.
void AddWaiverTexts(const report::Report& report, SummaryWords& words) {
  for (const report::Remark& remark : report.remarks) {
    if (remark.id == "waiver") words.texts.push_back(FirstUpper(remark.text) + ".");
  }
}

SummaryWords WordsOfChange(const report::Report& report, const report::ComparedMetric& metric) {
  const report::Comparison& comparison = *report.comparison;
  const State status = report.verdict.status;
  const bool is_open_work =
      !comparison.work.empty() && comparison.work != "same" && comparison.work != "changed";
  if (status == State::kNoVerdict && is_open_work) return WordsOfOtherWork(report, metric);
  SummaryWords words;
  if (metric.result == State::kAccepted) {
    const auto one =
        std::ranges::find(report.verdict.accepted, metric.metric, &report::Accepted::what);
    words.headline = ChangeWords(metric) + ", accepted";
    // Removes "accepted " from texts such as "accepted by anna up to +10 %: …".
    if (one != report.verdict.accepted.end()) {
      words.rest = one->text.substr(std::min(one->text.size(), std::string("accepted ").size()));
    }
    words.texts.emplace_back("Later runs are compared with this level.");
    return words;
  }
  for (const report::GateRow& row : report.gate) {
    if (status != State::kPass || row.metric != metric.metric || row.status != State::kWaived) {
      continue;
    }
    words.headline = ChangeWords(metric) + ", waived";
    if (row.level == State::kError) {
      words.texts.emplace_back("Without the waiver this run fails.");
    }
    AddWaiverTexts(report, words);
    return words;
  }
  if (status == State::kFail && metric.result == State::kFail) {
    words.headline = ChangeWords(metric);
    if (comparison.current_runs > 1) {
      words.headline += fmt::format(", confirmed by {} profiles", comparison.current_runs);
    }
    words.texts.push_back(report::Diagnose(report).text);
    if (!report.verdict.accept_line.empty()) {
      words.texts.push_back(
          fmt::format("If this is meant, add to a commit message: {}", report.verdict.accept_line));
    }
    AddWaiverTexts(report, words);
    return words;
  }
  if (status == State::kNoVerdict && metric.result == State::kOpen) {
    words.headline =
        fmt::format("{} than {}, no verdict yet", ChangeWords(metric), NameOfBase(report));
    // Stalls, slow starts etc. do not mean a slow machine, so they keep their own advice.
    const std::vector<report::NoVerdict>& reasons = report.verdict.no_verdict;
    const bool is_chance = reasons.empty() || reasons.front().code == "gate/again" ||
                           reasons.front().code == "gate/learning" ||
                           reasons.front().code == "baseline/part-once";
    if (!report.verdict.again || report.verdict.needed == 0 || !is_chance) {
      words.texts.push_back(report::Diagnose(report).text);
      if (!reasons.empty() && !reasons.front().act.empty()) {
        words.texts.push_back(FirstUpper(reasons.front().act) + ".");
      }
      return words;
    }
    words.texts.push_back(fmt::format(
        "{} cannot rule out a slow machine. Record once more and judge all profiles: `profgauge "
        "check A B`.",
        comparison.current_runs == 1 ? "One profile" : "These profiles"));
    return words;
  }
  if (status == State::kPass) {
    const bool in_spite = report::PassesInSpiteOfTotal(metric);
    // An interval above 0 is a slowdown, even if the limit allows it.
    const bool is_slower = metric.change.unit == Unit::kShare && AsNumber(metric.low.value, 0) > 0;
    words.headline = metric.result == State::kImproved ? ChangeWords(metric)
                     : is_slower                       ? ChangeWords(metric) + ", within the limit"
                     : IsAbsent(metric.low.value) ||
                             AsNumber(metric.change.value, 0) <= report::kLeastShownChange
                         ? "not slower"
                         : "within the limit";
    if (in_spite) words.headline = "typical iteration " + words.headline;
    words.rest = AgainstText(report);
    std::string text;
    if (comparison.work == "same") {
      const report::Metric* kernels =
          report::FindMetricById(report, metric::kKernelCountPerIteration.text());
      if (kernels != nullptr && !IsAbsent(kernels->quantity.value)) {
        text = fmt::format("The same work: {} kernels per iteration. ", kernels->quantity.text);
      }
    }
    if (!IsAbsent(metric.sees.value)) {
      text += fmt::format("Finds slowdowns from {} nine times in ten.", metric.sees.text);
    }
    words.texts.push_back(std::move(text));
    for (const report::Remark& remark : report.remarks) {
      if (remark.id.starts_with(report::kSlowerPart))
        words.texts.push_back("Warning: " + remark.text);
      const bool is_left_out =
          remark.id == report::kPassedTotal || remark.id == report::kPassedOutside;
      if (is_left_out) words.texts.push_back(FirstUpper(remark.text) + ".");
    }
  }
  return words;
}

SummaryWords SummaryWordsOf(const report::Report& report, const report::ComparedMetric* metric) {
  SummaryWords words;
  if (metric != nullptr) words = WordsOfChange(report, *metric);
  if (words.headline.empty() && report.baseline && !report.comparison) {
    words = WordsWithoutBaseline(report);
  }
  if (!words.headline.empty()) return words;
  const State status = report.verdict.status;
  words.headline = status == State::kPass   ? "passes"
                   : status == State::kFail ? "fails"
                                            : "no verdict";
  words.rest = CountsText(report.verdict);
  words.texts = {BaselineWarning(report)};
  if (status != State::kPass) words.texts.push_back(report::Diagnose(report).text);
  return words;
}

/// The words of the summary for a comparison.
SummaryWords WordsOfComparison(const report::Report& report) {
  const report::Comparison& comparison = *report.comparison;
  SummaryWords words;
  words.rest = JudgedText(report);
  words.headline = fmt::format("{} against {}", comparison.candidate, BaselineText(comparison));
  words.texts.push_back(ChangeSentence(comparison) + ".");
  if (!comparison.comparable) {
    words.texts.emplace_back("The runs are not comparable: they differ in more than speed.");
  }
  return words;
}

/// The limits that a comparison without a verdict misses: "GPU idle time +4.2 points (…)".
std::vector<std::string> BeyondLimits(const report::Comparison& comparison) {
  std::vector<std::string> texts;
  for (const report::ComparedMetric& metric : comparison.metrics) {
    if (metric.result != State::kFail) continue;
    texts.push_back(
        fmt::format("{} {} (limit {})", metric.title, metric.change.text, metric.limit));
  }
  if (texts.size() > kMostReasons + 1) {
    const std::size_t more = texts.size() - kMostReasons;
    texts.resize(kMostReasons);
    texts.push_back(fmt::format("and {} more", more));
  }
  return texts;
}

/// The limits on changes that only warn: "Peak memory allocated 2.00 GB → 16.0 GB (+700 %, limit
/// ≤ +5 %)".
std::vector<std::string> WarnedChanges(const report::Report& report) {
  std::vector<std::string> texts;
  for (const report::GateRow* row : GateByWeight(report)) {
    if (row->status != State::kWarn || row->change.text.empty()) continue;
    texts.push_back(fmt::format("{} {} → {} ({}, limit {})", row->title, row->baseline.text,
                                row->measured.text, row->change.text, row->limit));
  }
  return texts;
}

/// "2 other warnings and 3 more lines in the report."
std::string MoreInReport(std::int64_t warnings, bool are_other, std::int64_t lines) {
  std::vector<std::string> parts;
  if (warnings > 0) {
    parts.push_back(are_other ? Counted(warnings, "other warning", "other warnings")
                              : Counted(warnings, "warning", "warnings"));
  }
  if (lines > 0) parts.push_back(Counted(lines, "more line", "more lines"));
  return parts.empty() ? std::string()
                       : fmt::format("{} in the report.", fmt::join(parts, " and "));
}

json::array ChangeRows(const report::ComparedMetric* metric) {
  json::array rows;
  if (metric == nullptr || metric->base.text.empty()) return rows;
  std::string change = metric->change.text;
  if (!metric->low.text.empty() && !metric->high.text.empty()) {
    change += fmt::format(" ({})", RangeOfChange(*metric));
  }
  const bool is_time =
      !IsAbsent(metric->total.value) && !metric->title.ends_with(report::kPerSample);
  rows.push_back(json::object{{"title", is_time ? "Iteration, typical" : metric->title},
                              {"base", metric->base.text},
                              {"current", metric->current.text},
                              {"change", std::move(change)},
                              {"limit", metric->limit}});
  // The total has a row only if it decides: it has no two values, because means of both sides would
  // show another change (the judged sums exclude starts and take one run after the other).
  if (!MissesInTotal(*metric)) return rows;
  rows.push_back(json::object{{"title", "Iterations in total"},
                              {"base", ""},
                              {"current", ""},
                              {"change", metric->total.text},
                              {"limit", metric->total_limit.text}});
  return rows;
}

/// Adds lines while words are left, in their order, and counts the lines that do not fit.
class Budget {
 public:
  explicit Budget(std::size_t used) : used_(used) {}
  bool Take(std::string_view text) {
    const std::size_t words = WordsIn(text);
    if (text.empty()) return false;
    if (used_ + words > kMostWords) {
      ++left_out_;
      return false;
    }
    used_ += words;
    return true;
  }
  void LeaveOut(std::size_t lines) { left_out_ += lines; }
  std::size_t left_out() const { return left_out_; }

 private:
  std::size_t used_, left_out_ = 0;
};

std::string SafeLink(std::string_view link) {
  const bool is_good = (link.starts_with("https://") || link.starts_with("http://")) &&
                       link.find_first_of(" \t\r\n<>()\"'`") == link.npos && link.size() < 500;
  return is_good ? std::string(link) : std::string();
}

}  // namespace

json::object MarkdownSummaryView(const report::Report& report, std::string_view link) {
  const bool is_alone = IsComparisonAlone(report);
  const State status = report.verdict.status;
  const report::ComparedMetric* metric = HeadlineMetric(report);
  SummaryWords words = is_alone ? WordsOfComparison(report) : SummaryWordsOf(report, metric);
  const std::string headline =
      is_alone ? words.headline : report.profile.name + ": " + words.headline;
  const auto is_told = [&](std::string_view text) {
    return std::ranges::find(words.texts, text) != words.texts.end();
  };
  std::string sources =
      is_alone ? std::string() : SourcesText(report, is_told(BaselineWarning(report)));
  if (sources.empty() && !is_alone) sources = RunText(report);
  const std::string loosened = LoosenedText(report);
  Budget budget(WordsIn(headline) + WordsIn(words.rest) + WordsIn(sources) + WordsIn(loosened) +
                45);
  const auto markup = [](std::string_view text) {
    return json::object{{"text", MakeMarkup(MarkdownProse(text, false))}};
  };
  json::array losses, texts, reasons, steps;
  for (const report::ImportCounter& counter : report.import) {
    if (counter.severity != Severity::kDataLoss) continue;
    if (losses.size() == 2) {
      budget.LeaveOut(1);
    } else if (budget.Take(counter.text)) {
      losses.push_back(json::object{{"text", counter.text}});
    }
  }
  for (const std::string& text : words.texts) {
    if (budget.Take(text)) texts.push_back(markup(text));
  }
  for (const std::string& text : AcceptedTexts(report)) {
    const bool is_said = text.find(words.rest) != text.npos && !words.rest.empty();
    if (!is_said && budget.Take(text)) texts.push_back(markup("✓ " + text));
  }
  if (const std::string moved = MovementText(report); !moved.empty()) {
    const std::string text = "Moved " + moved;
    if (budget.Take(text)) texts.push_back(markup(text));
  }
  // A passed run needs no explanation: of its warnings, those about a change are news.
  const bool explains = !is_alone && status != State::kPass;
  std::vector<std::string> why;
  if (is_alone) why = BeyondLimits(*report.comparison);
  if (explains) why = ReasonTexts(report::Diagnose(report), kMostReasons);
  if (!is_alone && status == State::kPass) why = WarnedChanges(report);
  const std::int64_t untold =
      is_alone || status != State::kPass ? 0 : report.verdict.warnings - std::ssize(why);
  for (const std::string& text : why) {
    const bool is_said = (explains && metric != nullptr && text.starts_with(metric->title)) ||
                         is_told(report::WithoutId(text));
    if (!is_said && budget.Take(text)) reasons.push_back(markup(text));
  }
  const std::size_t most = explains && report.plan ? report.plan->steps.size() : 0;
  for (std::size_t i = 0; i < most; ++i) {
    const report::PlanStep& step = report.plan->steps[i];
    const std::string text = PlanActionText(step);
    const std::string line =
        fmt::format("{}: {}", step.saves.text, text.empty() ? step.title : text);
    if (i == kMostSteps || !budget.Take(line)) {
      budget.LeaveOut(most - i - (i == kMostSteps ? 0 : 1));
      break;
    }
    steps.push_back(json::object{{"number", static_cast<std::int64_t>(i + 1)},
                                 {"text", MakeMarkup(MarkdownProse(line, false))}});
  }
  const std::string fix =
      steps.empty() ? "" : fmt::format("Fix first ({} per iteration):", report.plan->start.text);
  const std::string_view head = is_alone                 ? "Beyond the limit:"
                                : status == State::kFail ? "Fails for:"
                                : status == State::kPass ? "Warns of:"
                                                         : "Not judged:";
  std::string_view sign = LookOf(status).sign;
  if (is_alone && JudgedText(report).empty())
    sign = metric == nullptr ? "±" : LookOfResult(*metric).sign;
  json::array rows = ChangeRows(metric);
  const bool has_rows = !rows.empty();
  std::string safe_link = SafeLink(link);
  const bool has_both = !safe_link.empty() && !sources.empty();
  return {
      {"sign", sign},
      {"headline", headline},
      {"rest", words.rest},
      {"marker", MakeMarkup(is_alone ? std::string() : MarkerName(report.profile.name))},
      {"loosened", MakeMarkup(MarkdownProse(loosened, false))},
      {"there", NameOfBase(report) == "the baseline" ? "baseline" : NameOfBase(report)},
      {"rows", std::move(rows)},
      {"has_rows", has_rows},
      {"losses", std::move(losses)},
      {"texts", std::move(texts)},
      {"why", reasons.empty() ? std::string_view() : head},
      {"reasons", std::move(reasons)},
      {"fix", fix},
      {"steps", std::move(steps)},
      {"more", MoreInReport(untold, !why.empty(), static_cast<std::int64_t>(budget.left_out()))},
      {"has_both", has_both},
      {"sources", sources},
      {"link", MakeMarkup(std::move(safe_link))}};
}

}  // namespace profgauge::render
