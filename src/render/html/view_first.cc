// The first screen: the bottleneck of the run, an iteration now and after the plan, the first
// steps.
#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg.h"
#include "report/first_screen.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kRowsFirst = kFirstSteps;
// Parts below this share of the bar have no width that one sees.
constexpr double kLeastInLegend = 0.005;
constexpr int kBarWidth = 1190, kBarHeight = 26;
// The part that a step removes, and the rest: no category's colors.
constexpr Paint kSavedPaint = {"k-id", "#E3E3E3", "#000"};
constexpr const Paint& kLeftPaint = kNeutralPaints.front();

struct FirstRow {
  std::string href, title, text, saves, after;
  std::optional<State> status;
};

json::object ViewOf(const FirstRow& row, const std::string& number) {
  const bool has_status = row.status && *row.status != State::kInfo;
  return {{"number", number},
          {"href", row.href},
          {"shows", row.href.starts_with("#f-")},
          {"status", StatusView(row.status.value_or(State::kInfo))},
          {"has_status", has_status},
          {"title", row.title},
          {"pieces", PiecesOf(row.text)},
          {"saves", row.saves},
          {"after", row.after}};
}

FirstRow RowOf(const report::Finding& finding) {
  const std::string advice = FirstAdvice(finding);
  return {"#" + AnchorOf(finding.rule),
          finding.title,
          advice.empty() ? finding.message : advice,
          finding.saves.text,
          "",
          finding.level};
}

std::string MissedText(const report::GateRow& row) {
  if (row.change.text.empty()) return fmt::format("{}, limit {}", row.measured.text, row.limit);
  return fmt::format("{}, {} against the baseline, limit {}", row.measured.text, row.change.text,
                     row.limit);
}

void AddMissed(const Report& report, State level, std::vector<FirstRow>& rows) {
  for (const report::GateRow& row : report.gate) {
    if (row.status != level) continue;
    rows.push_back(
        {"#gate", row.title.empty() ? row.metric : row.title, MissedText(row), "", "", row.status});
  }
}

// Changes and limits that leave the run without a verdict, each with what would decide it.
void AddUndecided(const Report& report, std::vector<FirstRow>& rows) {
  for (const report::GateRow& row : report.gate) {
    const bool is_undecided = row.status == State::kOpen || row.status == State::kLowConfidence;
    if (!is_undecided || row.level != State::kError || row.reason.empty()) continue;
    rows.push_back(
        {"#gate", row.title.empty() ? row.metric : row.title, row.reason, "", "", row.status});
  }
}

// Whether a finding says why the run fails.
bool HasErrorFinding(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&report](const report::Finding& finding) {
                       return report::HasFired(finding) && finding.level == State::kError &&
                              report::CauseOf(report, finding) == nullptr;
                     });
}

// Without a plan: limits whose miss no finding explains, then findings. If no finding fired: missed
// limits, then the largest possible savings.
//
//   a flaw of the profile leaves no verdict     only that
//   no verdict                                  undecided limits, findings with weight
//   fail, and no finding is an error            limits missed, findings with weight
//   anything else                               findings with weight
//   where that is empty                         limits missed, findings that may save something
std::vector<FirstRow> RowsOfFindings(const Report& report) {
  std::vector<FirstRow> rows;
  if (const report::Finding* flaw = FlawOfProfile(report)) return {RowOf(*flaw)};
  if (report.verdict.status == State::kNoVerdict) AddUndecided(report, rows);
  if (report.verdict.status == State::kFail && !HasErrorFinding(report)) {
    AddMissed(report, State::kError, rows);
  }
  for (const report::Finding* finding : FixFirst(report, true)) rows.push_back(RowOf(*finding));
  if (!rows.empty()) return rows;
  AddMissed(report, State::kError, rows);
  AddMissed(report, State::kWarn, rows);
  for (const report::Finding* finding : FixFirst(report, false)) rows.push_back(RowOf(*finding));
  return rows;
}

bool HasPlan(const Report& report) { return report.plan && !report.plan->steps.empty(); }

std::vector<FirstRow> RowsOfPlan(const Report& report) {
  const report::Plan& plan = *report.plan;
  std::vector<FirstRow> rows;
  for (const report::PlanStep& step : plan.steps) {
    FirstRow& row = rows.emplace_back();
    row.title = step.title;
    if (step.rules.size() > 1) row.title += fmt::format(", with {}", step.rules[1]);
    row.text = PlanStepText(step, true);
    row.href = step.fired ? "#" + AnchorOf(step.rules.front()) : "";
    row.saves = PlanSavingText(plan, step);
    row.after = step.time_text;
    if (const State level = LevelOf(report, step); level != State::kNone) row.status = level;
  }
  return rows;
}

std::vector<FirstRow> FirstRows(const Report& report) {
  return HasPlan(report) ? RowsOfPlan(report) : RowsOfFindings(report);
}

// An iteration as it is: its parts.
json::object BarNow(const Report& report, json::array& legend) {
  std::vector<BarPart> parts;
  std::string description = "An iteration now:";
  for (const report::BreakdownPart& part : report::Breakdown(report)) {
    const double share = AsNumber(part.share->quantity.value, 0);
    if (!(share > 0)) continue;
    const std::string& text = part.share->quantity.text;
    const std::string title = fmt::format("{} {}", part.title, text);
    description += (parts.empty() ? " " : ", ") + title;
    parts.push_back({PaintOf(part.category), share, text, title});
    if (share < kLeastInLegend) continue;
    legend.push_back(
        json::object{{"swatch", MakeMarkup(SvgSwatch(PaintOf(part.category)))}, {"label", title}});
  }
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  return {
      {"name", "Now"},
      {"bar", MakeMarkup(parts.empty() ? std::string()
                                       : SvgStackedBar(parts, kBarWidth, kBarHeight, description))},
      {"time", mean == nullptr ? "" : mean->quantity.text}};
}

bool HasFloor(const report::Plan& plan) { return AsNumber(plan.floor.time.value, 0) > 0; }

// The text of the bars beside their legend.
std::string BarsNote(const Report& report) {
  std::string note;
  if (report.profile.ranks > 1) note = "Times: slowest rank. Parts: mean of the ranks.";
  if (HasPlan(report) && HasFloor(*report.plan)) {
    note +=
        fmt::format("{}Line: floor, {}.", note.empty() ? "" : " ", report.plan->floor.time.text);
  }
  return note;
}

// The same after all steps: the rest, then the part that each step removes, the last step's first.
//
//   now     |== kernels ==|= communication =|== idle ==|      100 ms
//   after   |== 60 ms left ==|// 2: -15 ms //|/ 1: -25 ms /|  hatched: saved
//
// Parts are clipped to the bar: rounded savings may sum to more than it.
json::object BarAfter(const report::Plan& plan) {
  // On the scale of the bar above it, which shows first calls, too.
  const double start = AsNumber(plan.start.value, 0) + AsNumber(plan.first_calls.value, 0);
  const auto share = [start](const report::Quantity& part) {
    return start > 0 ? std::clamp(AsNumber(part.value, 0) / start, 0.0, 1.0) : 0.0;
  };
  double free = 1 - share(plan.end);
  std::vector<BarPart> parts = {
      {kLeftPaint, share(plan.end), plan.end.text, fmt::format("{} are left", plan.end.text)}};
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    const report::PlanStep& step = plan.steps[i];
    const Value least = IsAbsent(step.saves.low) ? step.saves.value.value : step.saves.low;
    const double part = std::min(share({least, Unit::kTime, {}, {}}), free);
    free -= part;
    parts.push_back({kSavedPaint, part,
                     fmt::format("{}: −{}", i + 1, FormatValue(least, Unit::kTime)),
                     fmt::format("Step {} {}", i + 1, step.saves.text), true});
  }
  std::string description =
      fmt::format("{} of {} are left after the plan", plan.end.text, plan.start.text);
  std::optional<double> floor;
  if (HasFloor(plan)) {
    floor = share(plan.floor.time);
    description += fmt::format("; the floor is {}", plan.floor.time.text);
  }
  return {{"name", "After the plan"},
          {"bar", MakeMarkup(SvgStackedBar(parts, kBarWidth, kBarHeight, description,
                                           Hover::kEachPart, floor))},
          {"time", plan.end.text}};
}

// "Fails: GPU idle time 43.4 % (limit ≤ 30 %) · …": limits that no row above names.
std::string LimitsMissed(const Report& report) {
  std::string text;
  std::size_t count = 0;
  for (const report::GateRow& row : report.gate) {
    if (row.status != State::kError) continue;
    if (++count > kRowsFirst) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ",
                        row.title.empty() ? row.metric : row.title, MissedText(row));
  }
  if (count > kRowsFirst) text += fmt::format(" · and {} more", count - kRowsFirst);
  return text;
}

// The one line about the profile itself, and how many more there are.
json::object HygieneView(const Report& report) {
  std::vector<std::string> lines;
  if (std::string text = QualityText(report.recording); !text.empty()) lines.push_back(text);
  for (const report::Remark& remark : report.remarks) {
    const bool is_said = std::ranges::any_of(lines, [&remark](const std::string& line) {
      return line.find(remark.text) != std::string::npos;
    });
    if (!is_said) lines.push_back(remark.text);
  }
  for (const report::Finding* finding : FixFirst(report, true)) {
    if (report::IsAboutProfile(*finding)) lines.push_back(finding->title);
  }
  const std::size_t more = lines.empty() ? 0 : lines.size() - 1;
  const bool has_section = !report.recording.checks.empty() || !report.remarks.empty();
  return {{"known", !lines.empty()},
          {"href", has_section ? "#quality" : "#findings"},
          {"text", lines.empty() ? "" : lines.front()},
          {"more", more == 0 ? ""
                             : fmt::format("and {}", Counted(static_cast<std::int64_t>(more),
                                                             "more note", "more notes"))}};
}

// Why there is no plan, and what the savings are without one.
std::string BoundsNote(const Report& report, bool has_saves) {
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  if (mean == nullptr || IsAbsent(mean->quantity.value)) {
    return "Savings are unknown: the profile has no times of iterations.";
  }
  if (!has_saves) return {};
  std::string note = "Each saving is without the other rows.";
  if (report.plan && !report.plan->absent_because.empty()) {
    note += fmt::format(" No plan: {}.", report.plan->absent_because);
  }
  return note;
}

std::string TitleOf(const Report& report) {
  if (HasPlan(report)) {
    return fmt::format("Plan: {} → {} per iteration", report.plan->start.text,
                       report.plan->end.text);
  }
  return report.verdict.errors + report.verdict.warnings > 0 ? "Fix first" : "Look first";
}

}  // namespace

bool HasFirstRows(const Report& report) { return !FirstRows(report).empty(); }

boost::json::object FirstView(const Report& report) {
  const bool has_plan = HasPlan(report);
  const std::vector<FirstRow> all = FirstRows(report);
  json::array rows, bars, legend;
  bool has_saves = false;
  const std::size_t shown = has_plan ? all.size() : std::min(all.size(), kRowsFirst);
  for (std::size_t i = 0; i < shown; ++i) {
    rows.push_back(ViewOf(all[i], fmt::format("{}.", i + 1)));
    has_saves = has_saves || !all[i].saves.empty();
  }
  bars.push_back(BarNow(report, legend));
  if (has_plan) bars.push_back(BarAfter(*report.plan));
  const std::string text = report::Diagnose(report).text;
  const std::size_t colon = std::min(text.find(": "), text.size());
  const std::size_t more = all.size() - shown;
  std::string note = has_plan ? PlanNote(*report.plan) : BoundsNote(report, has_saves);
  return {{"lead", text.substr(0, colon)},
          {"pieces", PiecesOf(text.substr(colon))},
          {"has_bars", !legend.empty()},
          {"bars", std::move(bars)},
          {"legend", std::move(legend)},
          {"bars_note", BarsNote(report)},
          {"title", TitleOf(report)},
          {"has_rows", !rows.empty()},
          {"has_saves", has_saves},
          {"has_after", has_plan},
          {"rows", std::move(rows)},
          {"more", more == 0 ? std::string()
                             : fmt::format("and {} more finding{}", more, more == 1 ? "" : "s")},
          {"missed", has_plan ? LimitsMissed(report) : ""},
          {"has_note", more > 0 || !note.empty()},
          {"note", std::move(note)},
          {"hygiene", HygieneView(report)}};
}

}  // namespace profgauge::render::html
