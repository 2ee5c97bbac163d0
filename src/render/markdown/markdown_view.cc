// The views of the Markdown document's sections.

#include "render/markdown/markdown_view.h"

#include <fmt/format.h>
#include <boost/json.hpp>
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/format.h"
#include "base/readable.h"
#include "render/markdown/markdown_text.h"
#include "render/shared/change.h"
#include "render/shared/changed_values.h"
#include "render/shared/escape.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "report/diagnosis.h"
#include "report/labels.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

namespace json = boost::json;

std::string Time(std::int64_t ns) { return FormatDuration(static_cast<double>(ns)); }
std::string Delta(std::int64_t ns) { return ns == 0 ? "0" : DeltaText(ns); }

// The tree of changes. Indents are em spaces, because Markdown removes other spaces.
json::array StepsView(const report::Comparison& comparison) {
  std::int64_t largest = 1;
  for (const report::ComparisonStep& step : comparison.waterfall) {
    largest = std::max(largest, std::abs(step.delta));
  }
  json::array rows;
  for (const ChangeRow& row : ChangeTree(comparison, {0.02, 6})) {
    std::string indent;
    for (std::size_t i = 0; i < row.depth; ++i) indent += "\u2003";
    const report::ComparisonStep* step = row.step;
    json::value name(fmt::format("{} smaller", row.smaller));
    if (step != nullptr && row.depth == 0) name = json::value(StepTitle(*step, comparison));
    if (step != nullptr && row.depth > 0) name = MarkdownCell(step->name);
    const double share = static_cast<double>(std::abs(row.delta)) / static_cast<double>(largest);
    rows.push_back(
        json::object{{"indent", indent},
                     {"text", name.is_string() ? name : json::value("")},
                     {"code", name.is_string() ? MakeMarkup("") : name},
                     {"what", step == nullptr ? std::string_view() : ChangeWord(step->change)},
                     {"bar", MakeMarkup(MarkdownBar(share))},
                     {"sign", row.delta > 0 ? "▲" : "▼"},
                     {"delta", Delta(row.delta)},
                     {"count_effect", step == nullptr ? "" : Delta(step->count_effect)},
                     {"duration_effect", step == nullptr ? "" : Delta(step->duration_effect)},
                     {"significant", step != nullptr && step->significant ? "★" : ""}});
  }
  return rows;
}

json::object PairedView(const std::string& title, const report::PairedTable& table,
                        const std::string& accelerator) {
  json::array rows;
  for (const report::PairedWork& work : table.rows) {
    if (rows.size() == kMarkdownRows) break;
    if (work.delta == 0 && work.base_count == work.current_count) continue;
    rows.push_back(json::object{{"name", MarkdownCell(work.name)},
                                {"what", ChangeWord(work.change)},
                                {"base_count", PerIteration(work.base_count)},
                                {"current_count", PerIteration(work.current_count)},
                                {"base", Time(work.base)},
                                {"current", Time(work.current)},
                                {"delta", Delta(work.delta)},
                                {"count_effect", Delta(work.count_effect)},
                                {"duration_effect", Delta(work.duration_effect)},
                                {"significant", work.significant ? "★" : ""}});
  }
  return {{"title", title},
          {"time", table.measure == report::Measure::kHostTime
                       ? "host time"
                       : report::TextFor(accelerator, "{{ device.device }} time")},
          {"rows", std::move(rows)}};
}

json::array MetricsView(const report::Comparison& comparison) {
  json::array rows;
  for (const report::ComparedMetric& metric : comparison.metrics) {
    const ResultLook look = LookOfResult(metric);
    rows.push_back(json::object{{"result", fmt::format("{} {}", look.sign, look.word)},
                                {"title", metric.title},
                                {"base", metric.base.text},
                                {"current", metric.current.text},
                                {"change", metric.change.text},
                                {"interval", IntervalText(metric)},
                                {"limit", metric.limit},
                                {"note", metric.note}});
  }
  return rows;
}

/// Most rows of a document that people read. The page, the workbook and the JSON have all.
constexpr std::size_t kMostValues = 40;

json::array ValuesView(const std::vector<const report::PairedValue*>& changed) {
  json::array rows;
  for (const report::PairedValue* value : changed) {
    if (rows.size() == kMostValues) {
      rows.push_back(
          json::object{{"title", fmt::format("and {} more: --html, --xlsx and --json list all",
                                             changed.size() - kMostValues)},
                       {"base", ""},
                       {"current", ""},
                       {"change", ""}});
      break;
    }
    rows.push_back(json::object{{"title", value->title},
                                {"base", value->base.text},
                                {"current", value->current.text},
                                {"change", value->change.text}});
  }
  return rows;
}

}  // namespace

boost::json::object MarkdownChangeView(const report::Report& report) {
  const report::Comparison& comparison = *report.comparison;
  json::array differences, paired;
  for (const report::Difference& difference : comparison.differences) {
    differences.push_back(json::object{{"property", PropertyTitle(difference.property, comparison)},
                                       {"base", PropertyText(difference.base)},
                                       {"current", PropertyText(difference.current)},
                                       {"blocks", difference.blocks}});
  }
  const auto add = [&](const std::string& title, const report::PairedTable& table) {
    const bool changed = std::any_of(table.rows.begin(), table.rows.end(),
                                     [](const report::PairedWork& w) { return w.delta != 0; });
    if (changed) paired.push_back(PairedView(title, table, comparison.accelerator));
  };
  add("Kernel changes", comparison.kernels);
  add("Operator changes", comparison.ops);
  json::array metrics = MetricsView(comparison);
  const bool has_metrics = !metrics.empty();
  json::array steps = StepsView(comparison);
  const bool has_steps = !steps.empty();
  const bool alone = IsComparisonAlone(report);
  const std::vector<const report::PairedValue*> changed = ChangedValues(comparison);
  const bool has_values = alone && !changed.empty();
  return {{"alone", alone},
          {"judged", JudgedText(report)},
          {"undecided", UndecidedText(report)},
          {"candidate", comparison.candidate},
          {"baseline", BaselineText(comparison)},
          {"several", comparison.current_runs > 1
                          ? fmt::format("{} candidate runs", comparison.current_runs)
                          : std::string()},
          {"comparable", comparison.comparable},
          {"timed", HasTimes(comparison)},
          {"base", Time(comparison.base)},
          {"current", Time(comparison.current)},
          {"delta", HasTimes(comparison) ? Delta(comparison.delta) : "–"},
          {"other_work", SpeedOf(comparison) == Speed::kOtherWork},
          {"sentence", ChangeSentence(comparison)},
          {"of_rank", OfRank(comparison)},
          {"has_significant", HasSignificant(comparison)},
          {"differences", std::move(differences)},
          // The full report of a check has the metrics in its table of limits.
          {"has_metrics", has_metrics && alone},
          {"metrics", std::move(metrics)},
          {"has_values", has_values},
          {"values", ValuesView(changed)},
          {"has_steps", has_steps},
          {"steps", std::move(steps)},
          {"paired", std::move(paired)}};
}

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string StatusText(State state) {
  return fmt::format("{} {}", LookOf(state).sign, LookOf(state).word);
}

// True for columns with names of things that run. Other texts are sentences or words.
bool IsCode(const Table& table, std::string_view column) {
  constexpr std::array<std::string_view, 11> kCode = {"name",  "op",    "call",  "before",
                                                      "after", "grid",  "block", "input_shapes",
                                                      "rule",  "dtype", "group"};
  const report::TableLook* look = report::FindTableLook(table.id());
  if (look != nullptr && look->names_are_words) return false;
  return std::find(kCode.begin(), kCode.end(), column) != kCode.end();
}

json::object Head(std::string_view title, bool is_text) {
  return {{"title", title}, {"rule", MakeMarkup(is_text ? ":--" : "--:")}};
}

json::object Cell(std::string text) { return {{"text", MakeMarkup(std::move(text))}}; }

std::string MoreText(std::size_t shown, std::size_t all, std::string_view what) {
  if (shown >= all) return {};
  return fmt::format("{} of {} {} are shown.", FormatCount(static_cast<std::int64_t>(shown)),
                     FormatCount(static_cast<std::int64_t>(all)), what);
}

// The reason of a limit's result; empty if its numbers show the reason.
std::string ReasonText(const report::GateRow& row) {
  const bool is_plain = std::find(report::kLevels.begin(), report::kLevels.end(), row.status) !=
                        report::kLevels.end();
  return is_plain && row.change.text.empty() ? std::string() : row.reason;
}

// Makes a web address a link. Other texts stay.
std::string LinkText(const std::string& address) {
  const bool is_web = address.starts_with("https://");
  if (!is_web || address.find_first_of(" <>\n\r\t") != std::string::npos) {
    return EscapeMarkdown(address);
  }
  return fmt::format("<{}>", Readable(address));
}

json::array PairList(const Pairs& pairs) {
  json::array list;
  for (const auto& [name, text] : pairs) {
    list.push_back(json::object{{"name", name}, {"text", text}});
  }
  return list;
}

// The columns of the table's look in its order; without a look, the first eight. Omits absent ones.
std::vector<const Column*> ChosenColumns(const Table& table) {
  std::vector<const Column*> columns;
  const auto add = [&](const Column* column) {
    if (column == nullptr || !column->absent_because().empty() || report::IsHidden(*column)) return;
    columns.push_back(column);
  };
  const report::TableLook* look = report::FindTableLook(table.id());
  if (look != nullptr && !look->markdown_columns.empty()) {
    for (const std::string_view id : look->markdown_columns) add(table.Find(id));
    return columns;
  }
  for (const Column& column : table.columns()) {
    if (columns.size() < 8) add(&column);
  }
  return columns;
}

json::array EvidenceRows(const report::Finding& finding, std::size_t rows,
                         const report::Labels& labels) {
  json::array list;
  for (std::size_t r = 0; r < std::min(rows, finding.evidence.size()); ++r) {
    json::array cells;
    for (std::size_t i = 0; i < finding.evidence[r].size(); ++i) {
      const Unit unit = i < finding.evidence_units.size() ? finding.evidence_units[i] : Unit::kText;
      const Value& value = finding.evidence[r][i];
      const std::string_view label = report::LabelOfCell(labels, finding.evidence_heads[i], value);
      const std::string text = label.empty() ? FormatValue(value, unit) : std::string(label);
      cells.push_back(Cell(unit == Unit::kText && !IsAbsent(value) ? MarkdownCode(text, true)
                                                                   : EscapeMarkdown(text)));
    }
    list.push_back(json::object{{"cells", std::move(cells)}});
  }
  return list;
}

}  // namespace

json::object MarkdownHeadView(const report::Report& report) {
  const report::VerdictInfo& verdict = report.verdict;
  json::array losses;
  for (const report::ImportCounter& counter : report.import) {
    if (counter.severity == Severity::kDataLoss)
      losses.push_back(json::object{{"text", counter.text}});
  }
  const report::ProfileInfo& profile = report.profile;
  const report::Diagnosis diagnosis = report::Diagnose(report);
  json::array reasons;
  for (const std::string& text : ReasonTexts(diagnosis, kMostReasons)) {
    reasons.push_back(json::object{{"text", MakeMarkup(MarkdownProse(text, false))}});
  }
  json::array accepted;
  for (const std::string& text : AcceptedTexts(report)) {
    accepted.push_back(json::object{{"text", MakeMarkup(MarkdownProse(text, false))}});
  }
  return {{"sign", LookOf(verdict.status).sign},
          {"word", VerdictWord(verdict.status)},
          {"name", profile.name},
          {"marker", MakeMarkup(MarkerName(profile.name))},
          {"counts", CountsText(verdict)},
          {"policy", SourcesText(report, true)},
          {"baseline", BaselineWarning(report)},
          {"diagnosis", MakeMarkup(MarkdownProse(diagnosis.text, false))},
          {"run", RunText(report)},
          {"framework", profile.framework},
          {"captured", profile.captured},
          {"selection", profile.selection},
          {"tool", report.tool},
          {"losses", std::move(losses)},
          {"accepted", std::move(accepted)},
          {"movement", MakeMarkup(MarkdownProse(MovementText(report), false))},
          {"loosened", MakeMarkup(MarkdownProse(LoosenedText(report), false))},
          {"reasons", std::move(reasons)}};
}

json::object MarkdownGateView(const report::Report& report) {
  bool has_baseline = false, has_reason = false;
  for (const report::GateRow& row : report.gate) {
    has_baseline |= !row.baseline.text.empty();
    has_reason |= !ReasonText(row).empty();
  }
  json::array rows;
  for (const report::GateRow* row : GateByWeight(report)) {
    if (rows.size() == kMarkdownLimits) break;
    rows.push_back(json::object{{"status", StatusText(row->status)},
                                {"title", row->title},
                                {"metric", MarkdownCell(row->metric)},
                                {"measured", row->measured.text},
                                {"limit", row->limit},
                                {"margin", row->margin.text},
                                {"baseline", row->baseline.text},
                                {"change", row->change.text},
                                {"reason", MakeMarkup(MarkdownProse(ReasonText(*row), true))}});
  }
  std::string more = MoreText(rows.size(), report.gate.size(), "limits");
  return {{"rows", std::move(rows)},
          {"has_baseline", has_baseline},
          {"has_reason", has_reason},
          {"more", std::move(more)}};
}

json::object MarkdownBreakdownView(const report::Report& report) {
  const auto count = static_cast<double>(report::SummedIterations(report));
  json::array parts;
  double sum = 0;
  for (const report::BreakdownPart& part : report::Breakdown(report)) {
    const double share = AsNumber(part.share->quantity.value, 0);
    const bool has_time = part.time != nullptr && !IsAbsent(part.time->quantity.value);
    const double time = has_time ? AsNumber(part.time->quantity.value, 0) : 0;
    sum += time;
    parts.push_back(json::object{{"title", part.title},
                                 {"bar", MakeMarkup(MarkdownBar(share))},
                                 {"share", part.share->quantity.text},
                                 {"time", has_time ? part.time->quantity.text : "–"},
                                 {"per_iteration", has_time ? FormatDuration(time / count) : "–"}});
  }
  return {
      {"parts", std::move(parts)},
      {"each_head", report.profile.ranks > 1 ? "Per iteration, mean of ranks" : "Per iteration"},
      {"has_sum", sum > 0},
      {"sum_each", FormatDuration(sum / count)},
      {"sum", FormatDuration(sum)}};
}

/// The rule as code. A symptom is indented, because it is below its cause.
json::value FindingName(const report::Report& report, const report::Finding& finding) {
  const int depth = DepthOf(report, finding);
  if (depth == 0) return MarkdownCell(finding.rule);
  std::string lead;
  for (int i = 0; i < depth; ++i) lead += "↳ ";
  return MakeMarkup(lead + MarkdownCode(finding.rule, true));
}

json::object MarkdownPlanView(const report::Report& report) {
  const report::Plan plan = report.plan.value_or(report::Plan{});
  json::array rows;
  for (const report::PlanStep& step : plan.steps) {
    std::string rules;
    for (const std::string& rule : step.rules) {
      rules += (rules.empty() ? "" : " + ") + MarkdownCode(rule, false);
    }
    const State level = LevelOf(report, step);
    rows.push_back(json::object{{"number", static_cast<std::int64_t>(rows.size() + 1)},
                                {"time", step.time_text},
                                {"saves", PlanSavingText(plan, step)},
                                {"sign", level == State::kNone ? "" : LookOf(level).sign},
                                {"rule", MakeMarkup(std::move(rules))},
                                {"text", MakeMarkup(MarkdownProse(PlanStepText(step), false))}});
  }
  const std::string more = NotSimulatedText(plan);
  const std::string note = PlanNote(plan) + (more.empty() ? "" : " " + more + ".");
  return {{"start", plan.start.text},
          {"with_pauses", plan.with_pauses},
          {"end", PlanEndText(plan)},
          {"rows", std::move(rows)},
          {"first_calls", plan.first_calls.text},
          {"profiler", WithoutProfilerText(plan)},
          {"note", MakeMarkup(MarkdownProse(note, false))}};
}

json::object MarkdownFindingsView(const report::Report& report) {
  const auto fired = FiredFindings(report);
  json::array rows;
  for (const report::Finding* finding : fired) {
    if (rows.size() == kMarkdownFindings) break;
    rows.push_back(json::object{
        {"status", StatusText(finding->status)},
        {"rule", FindingName(report, *finding)},
        {"metric", IsAbsent(finding->metric.value) ? "" : finding->metric.text},
        {"gain", finding->saves.text},
        {"message",
         MakeMarkup(finding->message.empty() ? MarkdownProse(finding->title, true)
                                             : MarkdownProse(finding->message_parts, true))}});
  }
  std::string more = MoreText(rows.size(), fired.size(), "findings");
  return {{"rows", std::move(rows)}, {"more", std::move(more)}};
}

/// A whole command as code, without the "- " that MarkdownAdvice() adds to each point.
std::string CommandText(const std::string& command) {
  if (command.empty()) return {};
  return MarkdownAdvice({{{TextPart::Kind::kCode, command, {}, Unit::kText, {}}}}).substr(2);
}

json::object MarkdownFindingView(const report::Finding& finding, const report::Labels& labels) {
  json::array heads;
  for (std::size_t i = 0; i < finding.evidence_heads.size(); ++i) {
    const bool is_text =
        i >= finding.evidence_units.size() || finding.evidence_units[i] == Unit::kText;
    heads.push_back(Head(finding.evidence_heads[i], is_text));
  }
  std::string explains;
  for (const std::string& rule : finding.explains) {
    explains += (explains.empty() ? "" : ", ") + MarkdownCode(rule, false);
  }
  json::array rows = EvidenceRows(finding, kMarkdownEvidence, labels);
  const std::size_t kept = finding.evidence.size();
  const auto all = static_cast<std::size_t>(std::max<std::int64_t>(finding.evidence_of, 0));
  std::string more = MoreText(rows.size(), std::max(all, kept), "rows");
  return {{"open", finding.status == State::kError},
          {"status", StatusText(finding.status)},
          {"title", MakeMarkup(EscapeMarkdownHtml(finding.title))},
          {"rule", MakeMarkup(MarkdownCode(finding.rule, false))},
          {"message", MakeMarkup(MarkdownProse(finding.message_parts, false))},
          {"gain", finding.saves.why.empty()
                       ? finding.saves.text
                       : fmt::format("{} · {}", finding.saves.text, finding.saves.why)},
          {"explains", MakeMarkup(std::move(explains))},
          {"advice", MakeMarkup(MarkdownAdvice(finding.advice_parts))},
          {"docs", MakeMarkup(LinkText(finding.docs))},
          {"next", MakeMarkup(CommandText(finding.next))},
          {"heads", std::move(heads)},
          {"has_rows", !rows.empty()},
          {"rows", std::move(rows)},
          {"more", std::move(more)}};
}

namespace {

// Notes above tables.
constexpr std::string_view kWithOutside =
    "This table has the whole profile; “outside” is the part outside the judged iterations.";
constexpr std::string_view kOfOwnThread =
    "Device work and kernels are those that the range's thread launched, not a backward thread.";

}  // namespace

json::object MarkdownTableView(const Table& table, const report::Labels& labels) {
  json::array heads, rows;
  const std::vector<const Column*> columns = ChosenColumns(table);
  for (const Column* column : columns) {
    heads.push_back(Head(column->title(), column->type() == CellType::kText));
  }
  const report::TableLook* look = report::FindTableLook(table.id());
  const bool has_context = look != nullptr && look->has_context;
  for (const std::size_t row : report::TellingRows(table, kMarkdownRows)) {
    if (has_context && AsNumber(table.At(row, look->sheet_by), 0) <= 0) continue;
    json::array cells;
    for (const Column* column : columns) {
      const Value value = table.At(row, *column);
      const std::string_view label = report::LabelOfCell(labels, column->title(), value);
      const std::string text =
          label.empty() ? FormatValue(value, column->unit()) : std::string(label);
      const bool is_code = !IsAbsent(value) && IsCode(table, column->id());
      cells.push_back(Cell(is_code ? MarkdownCode(text, true) : EscapeMarkdown(text)));
    }
    rows.push_back(json::object{{"cells", std::move(cells)}});
  }
  const bool has_outside = std::ranges::any_of(
      columns, [](const Column* column) { return report::IsOfOutside(column->id()); });
  return {{"title", table.title()},
          {"heads", std::move(heads)},
          {"note", table.id() == "ranges" ? kOfOwnThread
                   : has_outside          ? kWithOutside
                                          : std::string_view()},
          {"more", MoreText(rows.size(), table.rows(), "rows")},
          {"rows", std::move(rows)}};
}

json::object MarkdownRulesView(const report::Report& report) {
  json::array waived, others, broken;
  std::int64_t good = 0, not_found = 0;
  for (const report::Finding& finding : report.findings) {
    json::object row{{"rule", MarkdownCell(finding.rule)},
                     {"title", finding.title},
                     {"reason", MakeMarkup(MarkdownProse(finding.reason, false))}};
    if (finding.status == State::kWaived)
      waived.push_back(std::move(row));
    else if (finding.status == State::kNotApplicable)
      others.push_back(std::move(row));
    else if (finding.status == State::kBroken)
      broken.push_back(std::move(row));
    else if (finding.status == State::kGood)
      ++good;
    else if (finding.status == State::kNotFound)
      ++not_found;
  }
  return {{"waived", std::move(waived)},
          {"not_applicable", std::move(others)},
          {"broken", std::move(broken)},
          {"good", good == 0 ? std::string() : Counted(good, "rule", "rules")},
          {"not_found", not_found == 0 ? std::string() : Counted(not_found, "rule", "rules")}};
}

json::object MarkdownMetricsView(const report::Report& report) {
  json::array present, absent;
  for (const report::Metric& metric : report.metrics) {
    json::object row{{"id", MarkdownCell(metric.id)},
                     {"text", metric.quantity.text},
                     {"definition", metric.definition},
                     {"note", metric.note},
                     {"reason", MakeMarkup(MarkdownProse(metric.quantity.absent_because, true))}};
    (IsAbsent(metric.quantity.value) ? absent : present).push_back(std::move(row));
  }
  return {{"present", std::move(present)}, {"absent", std::move(absent)}};
}

json::object MarkdownNotesView(const report::Report& report) {
  json::array remarks, counters, tables;
  for (const report::Remark& remark : report.remarks) {
    remarks.push_back(json::object{{"text", remark.text}});
  }
  for (const report::ImportCounter& counter : report.import) {
    std::string text = counter.text;
    // The example names unused hardware counters; for other counters, it is a place in a file.
    const bool is_named = counter.name == "hardware_counters_unread" && !counter.examples.empty();
    if (is_named) text += ": " + Printable(counter.examples.front());
    counters.push_back(
        json::object{{"severity", LookOf(counter.severity).word},
                     {"count", FormatCount(static_cast<std::int64_t>(counter.count))},
                     {"text", std::move(text)}});
  }
  for (const auto& [id, reason] : report.absent_tables) {
    tables.push_back(json::object{{"id", MarkdownCell(id)},
                                  {"reason", MakeMarkup(MarkdownProse(reason, false))}});
  }
  Pairs facts = report.profile.versions;
  facts.insert(facts.end(), report.environment.begin(), report.environment.end());
  for (auto& fact : ListedProvenance(report)) facts.push_back(std::move(fact));
  json::array quality;
  for (const CertificateCheck* check : ChecksByWeight(report.recording)) {
    if (check->state != CheckState::kLost && check->state != CheckState::kDoubt) continue;
    quality.push_back(json::object{{"word", StateText(check->state)}, {"text", FoundText(*check)}});
  }
  return {{"remarks", std::move(remarks)},
          {"has_quality", !report.recording.checks.empty()},
          {"trust", TrustText(report.recording.trust)},
          {"quality", std::move(quality)},
          {"import", std::move(counters)},
          {"absent_tables", std::move(tables)},
          {"environment", PairList(facts)}};
}

}  // namespace profgauge::render
