// The first screen: the run's bottleneck, an iteration now, and the plan as a waterfall to the
// iteration after it.
#include "render/html/view_first.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metric_id.h"
#include "render/html/view.h"
#include "render/html/view_verdict.h"
#include "render/shared/looks.h"
#include "render/shared/report_text.h"
#include "render/shared/template.h"
#include "render/shared/words.h"
#include "render/svg/svg.h"
#include "report/diagnosis.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::Report;

constexpr std::size_t kRowsFirst = kFirstSteps;
constexpr double kLeastInLegend = 0.01;
constexpr double kLeastExplained = 0.1;  // A smaller unattributed part raises no question.
constexpr int kPictureWidth = 520, kPictureHeight = 24;
constexpr Paint kLeftPaint = {"left", "#16191D", "#fff"};
constexpr Paint kFirstCallsPaint = {"ink", "#444", "#fff"};  // First calls have no category.

// Rules about kernels that do not use matrix units.
constexpr std::array<std::string_view, 6> kOfOtherKernels = {
    "compute/unfused-elementwise", "compute/slow-elementwise",     "compute/layout-conversions",
    "compute/device-copies",       "tensorcore/eligible-not-used", "tensorcore/fp32-without-tf32"};

struct FirstRow {
  std::string href, title, text, saves, after, picture;
  std::optional<State> status;
};

// "48.2 to 59.0 ms (−33.2 %)" from "saves 48.2 to …", because the column's head says "saves".
std::string UnderSaves(const std::string& text) {
  constexpr std::string_view kVerb = "saves ";
  return text.starts_with(kVerb) ? text.substr(kVerb.size()) : text;
}

json::object ViewOf(const FirstRow& row, const std::string& number) {
  const bool has_status = row.status && *row.status != State::kInfo;
  return {{"number", number},
          {"href", row.href},
          {"picture", MakeMarkup(row.picture)},
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
          UnderSaves(finding.saves.text),
          "",
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
    rows.push_back({"#gate", row.title.empty() ? row.metric : row.title, MissedText(row), "", "",
                    "", row.status});
  }
}

// True if a finding explains why the run fails.
bool HasErrorFinding(const Report& report) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&report](const report::Finding& finding) {
                       return report::HasFired(finding) && finding.level == State::kError &&
                              report::CauseOf(report, finding) == nullptr;
                     });
}

// The rows if there is no plan: missed limits that no finding explains, then findings. If no
// finding fired: missed limits, then the largest possible savings.
//
//   a flaw of the profile leaves no verdict     only that
//   fail, and no finding is an error            limits missed, findings with weight
//   anything else                               findings with weight
//   where that is empty                         limits missed, findings that may save something
std::vector<FirstRow> RowsOfFindings(const Report& report) {
  std::vector<FirstRow> rows;
  if (const report::Finding* flaw = FlawOfProfile(report)) return {RowOf(*flaw)};
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

double TimeOf(const report::Quantity& quantity) { return AsNumber(quantity.value, 0); }

// The end of the axis of all pictures: the time of an iteration now, with its first calls.
double NowOf(const Report& report) {
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  const double recorded = mean == nullptr ? 0 : AsNumber(mean->quantity.value, 0);
  if (!HasPlan(report)) return recorded;
  return std::max(recorded, TimeOf(report.plan->start) + TimeOf(report.plan->first_calls));
}

std::string Picture(const WaterfallBar& bar) {
  return SvgWaterfallBar(bar, kPictureWidth, kPictureHeight);
}

// A bar from the time before the step to the time after it, by the least saving. A line extends to
// the time by the largest saving.
std::string PictureOf(const report::PlanStep& step, double before, double now) {
  WaterfallBar bar;
  bar.paint = kSavedColours.paint;
  bar.pale = !step.fired;
  bar.to = before / now;
  bar.from = TimeOf(step.time) / now;
  if (!IsAbsent(step.saves.low)) {
    bar.reaches = bar.from;
    bar.from = (before - AsNumber(step.saves.low, 0)) / now;
  }
  return Picture(bar);
}

std::vector<FirstRow> RowsOfPlan(const Report& report) {
  const report::Plan& plan = *report.plan;
  std::vector<FirstRow> rows;
  const double now = NowOf(report);
  double before = TimeOf(plan.start);
  for (const report::PlanStep& step : plan.steps) {
    FirstRow& row = rows.emplace_back();
    row.title = step.title;
    for (std::size_t i = 1; i < step.rules.size(); ++i) {
      const auto found = std::ranges::find(report.findings, step.rules[i], &report::Finding::rule);
      if (found != report.findings.end()) row.title += "; " + found->title;
    }
    row.text = PlanStepText(step, true);
    row.href = step.fired ? "#" + AnchorOf(step.rules.front()) : "";
    row.saves = UnderSaves(PlanSavingText(plan, step));
    row.after = step.time_text;
    // A picture shows only a simulated saving.
    if (step.saves.basis == rules::Basis::kSimulated && now > 0) {
      row.picture = PictureOf(step, before, now);
    }
    before = TimeOf(step.time);
    if (const State level = LevelOf(report, step); level != State::kNone) row.status = level;
  }
  if (!plan.not_simulated.empty()) {
    rows.push_back({"#" + AnchorOf(plan.not_simulated_rule),
                    plan.not_simulated,
                    "Not simulated, so no step of the plan.",
                    UnderSaves(plan.not_simulated_saves),
                    "",
                    "",
                    {}});
  }
  return rows;
}

std::vector<FirstRow> FirstRows(const Report& report) {
  return HasPlan(report) ? RowsOfPlan(report) : RowsOfFindings(report);
}

// The parts of an iteration that the headline names. For slow kernels, these are the parts of its
// finding, or else the larger part of kernel time.
std::vector<Category> CausesIn(const Report& report) {
  const report::Diagnosis diagnosis = report::Diagnose(report);
  const std::string& bottleneck = diagnosis.bottleneck;
  if (bottleneck == "input-bound") return {Category::kDataLoader};
  if (bottleneck == "launch-bound" || bottleneck == "host-bound") {
    std::vector<Category> causes = {Category::kRuntime, Category::kCpu};
    // The device waits for a host of which little was recorded, so other time is a cause, too.
    const double of_host =
        MetricOr(report, metric::kBreakdownRuntime, 0) + MetricOr(report, metric::kBreakdownCpu, 0);
    if (MetricOr(report, metric::kBreakdownOther, 0) > of_host) causes.push_back(Category::kOther);
    return causes;
  }
  if (bottleneck == "communication-bound") return {Category::kCommunication};
  if (bottleneck == "straggler") return {Category::kWait, Category::kCommunication};
  if (bottleneck == "copy-bound") return {Category::kMemcpy};
  if (bottleneck != "compute-bound" && bottleneck != "memory-bound" &&
      bottleneck != "slow-kernels") {
    return {};
  }
  const std::string rule = diagnosis.finding.substr(0, diagnosis.finding.find('@'));
  if (std::ranges::find(kOfOtherKernels, rule) != kOfOtherKernels.end()) {
    return {Category::kOtherKernel};
  }
  const double on_units = MetricOr(report, metric::kBreakdownTensorCoreKernel, 0);
  const bool mostly = on_units > MetricOr(report, metric::kBreakdownOtherKernel, 0);
  return {mostly ? Category::kTensorCoreKernel : Category::kOtherKernel};
}

Paint PaintFor(Category category, const std::vector<Category>& causes) {
  return std::ranges::find(causes, category) == causes.end() ? PaintOf(category)
                                                             : CausePaintOf(category);
}

std::string NowNote(const Report& report, const std::vector<Category>& causes) {
  std::string note =
      report.profile.ranks > 1 ? "Time: slowest rank. Parts: time of all ranks." : "";
  const bool is_of_host = std::ranges::find(causes, Category::kCpu) != causes.end();
  if (is_of_host && MetricOr(report, metric::kBreakdownOther, 0) > kLeastExplained) {
    note += note.empty() ? "" : " ";
    note += "Unattributed: nothing is recorded on device and host, so the device idles then, too.";
  }
  return note;
}

// The parts of a present iteration.
json::object NowView(const Report& report) {
  const std::vector<Category> causes = CausesIn(report);
  std::vector<BarPart> parts;
  json::array legend;
  std::string description = "An iteration now:";
  // The bar has the same axis as the rows below it.
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  std::string note = NowNote(report, causes);
  std::string time = mean == nullptr ? "" : mean->quantity.text;
  if (HasPlan(report) && report.plan->with_pauses) {
    note += fmt::format("{}An iteration takes {}, the rest is the pause after it.",
                        note.empty() ? "" : " ", time);
    time = FormatDuration(NowOf(report));
  }
  const double recorded = mean == nullptr ? 0 : AsNumber(mean->quantity.value, 0);
  const double scale = recorded > 0 && NowOf(report) > 0 ? recorded / NowOf(report) : 1;
  for (const report::BreakdownPart& part : report::Breakdown(report)) {
    const double share = AsNumber(part.share->quantity.value, 0);
    if (!(share > 0)) continue;
    const std::string title = fmt::format("{} {}", part.title, part.share->quantity.text);
    description += (parts.empty() ? " " : ", ") + title;
    const Paint paint = PaintFor(part.category, causes);
    parts.push_back({paint, share * scale, "", title});
    if (share < kLeastInLegend) continue;
    const bool is_cause = std::ranges::find(causes, part.category) != causes.end();
    legend.push_back(json::object{{"swatch", MakeMarkup(SvgSwatch(paint))},
                                  {"label", title},
                                  {"look", is_cause ? "hot" : ""}});
  }
  return {{"known", !parts.empty()},
          {"legend", std::move(legend)},
          {"bar", MakeMarkup(parts.empty() ? std::string()
                                           : SvgStackedBar(parts, kPictureWidth, kPictureHeight,
                                                           description))},
          {"time", std::move(time)},
          {"note", std::move(note)}};
}

bool HasFloor(const report::Plan& plan) { return AsNumber(plan.floor.time.value, 0) > 0; }

// The time of first calls, which no step of the plan changes.
json::object FirstCallsView(const Report& report) {
  const bool known = HasPlan(report) && !report.plan->first_calls.text.empty();
  const double now = NowOf(report), start = known ? TimeOf(report.plan->start) : 0;
  return {{"known", known},
          {"picture",
           MakeMarkup(known && now > 0 ? Picture({kFirstCallsPaint, start / now, 1, false, {}, {}})
                                       : std::string())},
          {"time", known ? report.plan->first_calls.text : ""},
          {"after", known ? report.plan->start.text : ""}};
}

json::object AfterView(const Report& report) {
  const bool known = HasPlan(report);
  const report::Plan plan = known ? *report.plan : report::Plan();
  const double now = NowOf(report);
  WaterfallBar bar;
  bar.paint = kLeftPaint;
  bar.to = now > 0 ? TimeOf(plan.end) / now : 0;
  if (known && now > 0 && !IsAbsent(plan.steps.back().high)) {
    bar.reaches = AsNumber(plan.steps.back().high, 0) / now;
  }
  if (HasFloor(plan) && now > 0) bar.mark = TimeOf(plan.floor.time) / now;
  std::string text = "simulated, one step after the other";
  if (plan.with_pauses)
    text = fmt::format("of {} with the pauses between; {}", plan.start.text, text);
  if (!plan.first_calls.text.empty()) {
    text = fmt::format("of {} without first calls; {}", plan.start.text, text);
  }
  if (HasFloor(plan)) text += fmt::format("; line: floor, {}", plan.floor.time.text);
  return {{"known", known},
          {"picture", MakeMarkup(now > 0 && known ? Picture(bar) : std::string())},
          {"text", std::move(text)},
          {"saves", known ? PlanSavedText(plan) : ""},
          {"after", PlanEndText(plan)}};
}

// The main number of the screen.
json::object HeroView(const Report& report) {
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  const bool is_whole = report.profile.iteration_source.by == IterationsBy::kUndivided;
  std::string more = report.plan ? WithoutProfilerText(*report.plan) : "";
  const report::Metric* period = FindMetric(report, metric::kIterationPeriodMean);
  if (period != nullptr && HasTimeBetween(report)) {
    more +=
        fmt::format("{}{} from start to start", more.empty() ? "" : "; ", period->quantity.text);
  }
  return {{"known", mean != nullptr},
          {"number", NumberView(mean == nullptr ? report::Quantity() : mean->quantity)},
          {"of", is_whole ? "one iteration: no iterations are marked" : "per iteration"},
          {"more", more}};
}

// One line about the profile itself, and how many more there are.
json::object HygieneView(const Report& report) {
  std::vector<std::string> lines;
  const std::vector<std::string> told = ReasonTexts(report::Diagnose(report), kMostReasonsOfPage);
  if (std::string text = QualityText(report.recording, told); !text.empty()) lines.push_back(text);
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
          {"text", PiecesOf(lines.empty() ? "" : lines.front())},
          {"more", more == 0 ? ""
                             : fmt::format("and {}", Counted(static_cast<std::int64_t>(more),
                                                             "more note", "more notes"))}};
}

// Why there is no plan, and the meaning of savings without one.
std::string BoundsNote(const Report& report, bool has_saves) {
  const report::Metric* mean = FindMetric(report, metric::kIterationTimeMean);
  if (mean == nullptr || IsAbsent(mean->quantity.value)) {
    if (report.profile.format == "times") return {};
    return "Savings are unknown: the profile has no times of iterations.";
  }
  std::string note = has_saves ? "Each saving is without the other rows." : "";
  if (report.plan && !report.plan->absent_because.empty()) {
    note += fmt::format("{}No plan: {}.", has_saves ? " " : "", report.plan->absent_because);
  }
  return note;
}

std::string TitleOf(const Report& report) {
  if (HasPlan(report)) return "Plan";
  return report.verdict.errors + report.verdict.warnings > 0 ? "Fix first" : "Look first";
}

}  // namespace

bool HasFirstRows(const Report& report) { return !FirstRows(report).empty(); }

Paint PaintIn(const Report& report, Category category) {
  return PaintFor(category, CausesIn(report));
}

boost::json::object FirstView(const Report& report) {
  const bool has_plan = HasPlan(report);
  const std::vector<FirstRow> all = FirstRows(report);
  json::array rows;
  bool has_saves = false;
  const std::size_t shown = has_plan ? all.size() : std::min(all.size(), kRowsFirst);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_step = has_plan && i < report.plan->steps.size();
    json::object row = ViewOf(all[i], is_step || !has_plan ? fmt::to_string(i + 1) : "");
    row["is_step"] = is_step;
    rows.push_back(std::move(row));
    has_saves = has_saves || !all[i].saves.empty();
  }
  json::object now = NowView(report);
  const bool has_now = now["known"].as_bool();
  const std::string text = report::Diagnose(report).text;
  const std::size_t colon = std::min(text.find(": "), text.size());
  const std::size_t more = all.size() - shown;
  const std::string note = has_plan ? PlanNote(*report.plan) : BoundsNote(report, has_saves);
  return {{"lead", text.substr(0, colon)},
          {"pieces", PiecesOf(text.substr(colon))},
          {"hero", HeroView(report)},
          {"has_now", has_now},
          {"now", std::move(now)},
          {"first_calls", FirstCallsView(report)},
          {"after", AfterView(report)},
          {"title", TitleOf(report)},
          {"has_rows", !rows.empty()},
          {"has_table", !rows.empty() || has_now},
          {"has_saves", has_saves},
          {"has_plan", has_plan},
          {"rows", std::move(rows)},
          {"more", more == 0 ? std::string()
                             : fmt::format("and {} more finding{}", more, more == 1 ? "" : "s")},
          {"has_note", more > 0 || !note.empty()},
          {"note", PiecesOf(note)},
          {"hygiene", HygieneView(report)}};
}

}  // namespace profgauge::render::html
