// The report on a terminal: the measured run, the parts of its time, the findings, and the verdict
// last:
//
//   resnet50_ddp   kineto · 8 ranks · 117 of 120 iterations · 343 ms/iteration
//
//     iteration   Tensor Core kernels 38.2 %  Other kernels 17.9 %  Unattributed 12.5 %
//
//     error  comm/exposed-allreduce  31.4 %                    saves at most 39.0 ms/iteration
//     error  gpu.idle.mean           31.4 %  (error above 30 %)
//     note   2 rules do not apply: needs memory events; record with profile_memory=True
//
//   FAIL  2 errors, 21 passed, 2 not applicable
//
// Nothing is cut: text that does not fit the width goes to separate lines below.

#include "render/terminal/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "render/shared/change.h"
#include "render/shared/looks.h"
#include "render/shared/renderer.h"
#include "render/shared/report_text.h"
#include "render/shared/words.h"
#include "report/diagnosis.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

/// The sentence about the bottleneck, and the reasons for the verdict.
std::string DiagnosisText(const report::Report& report, std::size_t width, bool color) {
  std::string out;
  const report::Diagnosis diagnosis = report::Diagnose(report);
  for (const std::string& line : Wrapped(Printable(diagnosis.text), width - 2)) {
    if (!line.empty()) out += "  " + Painted(line, Ink::kBold, color) + "\n";
  }
  if (!out.empty()) out += "\n";
  std::string lead = fmt::format("  {:<12}", ReasonsLabel(report, diagnosis));
  for (const std::string& reason : ReasonTexts(diagnosis, kMostReasons)) {
    for (const std::string& line : Wrapped(Printable(reason), width - lead.size())) {
      out += std::exchange(lead, std::string(lead.size(), ' ')) + line + "\n";
    }
  }
  return diagnosis.reasons.empty() ? out : out + "\n";
}

std::string BreakdownText(const report::Report& report, std::size_t width) {
  constexpr double kLeastShown = 1e-4;  // Smaller parts are in reports only.
  std::vector<std::string> parts;
  for (const report::BreakdownPart& part : report::Breakdown(report)) {
    if (AsNumber(part.share->quantity.value, 0) < kLeastShown) continue;
    parts.push_back(fmt::format("{} {}", part.title, part.share->quantity.text));
  }
  if (parts.empty()) return {};
  if (report.profile.ranks > 1) parts.front() = "all ranks: " + parts.front();
  return Flowed("  iteration   ", parts, width) + "\n";
}

std::string ChangeText(const report::Report& report, std::size_t width) {
  if (!report.comparison || !HasTimes(*report.comparison)) return {};
  const report::Comparison& comparison = *report.comparison;
  if (!comparison.comparable) return {};
  if (SpeedOf(comparison) == Speed::kOtherWork) {
    std::vector<std::string> parts = {
        fmt::format("different work than {}", Printable(BaselineText(comparison)))};
    if (std::string work = WorkText(comparison); !work.empty()) parts.push_back(Printable(work));
    parts.emplace_back("times are not compared");
    return Flowed("  change      ", parts, width) + "\n";
  }
  std::vector<std::string> parts = {fmt::format("{}/iteration against {}", TotalChange(comparison),
                                                Printable(BaselineText(comparison)))};
  for (const report::ComparisonStep& step : comparison.waterfall) {
    if (step.parent != -1 || step.delta == 0 || parts.size() > 4) continue;
    parts.push_back(fmt::format("{} {}", StepTitle(step, comparison), DeltaText(step.delta)));
  }
  return Flowed("  change      ", parts, width) + "\n";
}

/// The line on an incomplete profile: the most severe check that is not a reason above.
std::string QualityLine(const report::Report& report, std::size_t width) {
  const std::string lead = "  quality     ";
  const std::string text =
      QualityText(report.recording, ReasonTexts(report::Diagnose(report), kMostReasons));
  std::string out;
  for (const std::string& line : Wrapped(Printable(text), width - lead.size())) {
    if (!line.empty()) out += (out.empty() ? lead : std::string(lead.size(), ' ')) + line + "\n";
  }
  return out.empty() ? out : out + "\n";
}

Ink InkOf(State state) {
  switch (LookOf(state).tone) {
    case Tone::kGood:
      return Ink::kGreen;
    case Tone::kBad:
      return Ink::kRed;
    case Tone::kWarn:
      return Ink::kYellow;
    case Tone::kMute:
      return Ink::kDim;
  }
  return Ink::kDim;
}

/// The limit as text: "error below 30 %", "warning above 15 %"; for two, "limit 10 % to 60 %".
std::string LimitText(const report::GateRow& gate) {
  constexpr std::string_view kAtLeast = "≥ ", kAtMost = "≤ ";
  const std::string_view limit = gate.limit;
  const std::string_view level =
      gate.level == State::kWarn ? "warning" : report::NameOf(gate.level);
  if (limit.starts_with(kAtLeast))
    return fmt::format("{} below {}", level, limit.substr(kAtLeast.size()));
  if (limit.starts_with(kAtMost))
    return fmt::format("{} above {}", level, limit.substr(kAtMost.size()));
  return fmt::format("limit {}", limit);
}

Row RowOf(const report::GateRow& gate) {
  Row row;
  row.verb = gate.status == State::kLowConfidence ? "warn"
             : gate.status == State::kMissing     ? "missing"
             : gate.status == State::kOpen        ? "undecided"
                                                  : report::NameOf(gate.status);
  row.ink = InkOf(gate.status);
  row.name = gate.metric;
  row.value = gate.measured.text;
  row.limit = gate.limit.empty() ? "" : fmt::format("({})", LimitText(gate));
  const bool has_change = !gate.change.text.empty() && !gate.baseline.text.empty();
  if (has_change) row.value = gate.change.text;  // The limit is on a change.
  const bool is_sentence = has_change && !gate.reason.empty();
  if (has_change && !is_sentence) {
    row.text = fmt::format("{} → {}", gate.baseline.text, gate.measured.text);
  }
  const bool says_more = gate.status == State::kLowConfidence || gate.status == State::kMissing ||
                         gate.status == State::kCaution || gate.status == State::kPass ||
                         !gate.change.text.empty();
  if (says_more && !gate.reason.empty()) {
    row.text += (row.text.empty() ? "" : "; ") + Printable(gate.reason);
  }
  return row;
}

/// The missed limit under whose line the finding is printed: the one that counts it, else the
/// nearest one that counts its cause. Empty if none does.
std::string_view LimitAbove(const report::Report& report, const report::Finding& finding) {
  for (const report::Finding* at = &finding; at != nullptr; at = report::CauseOf(report, *at)) {
    if (!at->counted_with.empty()) return at->counted_with;
  }
  return {};
}

/// The indent of a finding below a limit: one step for the counted finding, more for its symptoms.
int StepsIn(const report::Report& report, const report::Finding& finding) {
  int steps = 0;
  const report::Finding* at = &finding;
  while (at->counted_with.empty()) {
    const report::Finding* cause = report::CauseOf(report, *at);
    if (cause == nullptr) return steps;
    at = cause;
    ++steps;
  }
  return steps + 1;
}

/// The row of a finding. If a missed limit counts it, it has no verb, so that there are as many
/// "error" lines as counted errors.
Row RowOf(const report::Report& report, const report::Finding& finding) {
  Row row;
  const bool is_counted = finding.counted_with.empty();
  if (is_counted) row.verb = report::NameOf(finding.status);
  row.ink = InkOf(finding.status);
  const int depth = StepsIn(report, finding);
  if (depth > 0) row.name = std::string(static_cast<std::size_t>(2 * (depth - 1)), ' ') + "└ ";
  row.name += Printable(finding.rule);
  row.value = IsAbsent(finding.metric.value) ? "" : finding.metric.text;
  row.gain = finding.saves.text;
  row.text = Printable(finding.message.empty() ? finding.title : finding.message);
  // If there is a plan, its rows say what to do.
  const bool has_plan = report.plan && !report.plan->steps.empty();
  const bool is_root = WeightOf(finding.status) <= 1 && report::CauseOf(report, finding) == nullptr;
  if (!has_plan && is_root) row.advice = Printable(FirstAdvice(finding));
  row.next = Printable(finding.next);
  return row;
}

Row Note(std::string verb, Ink ink, std::string text) {
  Row row;
  row.verb = std::move(verb);
  row.ink = ink;
  row.text = std::move(text);
  return row;
}

/// Adds "2 limits do not apply: needs memory events" for each reason, in the report's order; one
/// line for all, unless the reader wants more.
void AddNotApplicable(const report::Report& report, int verbosity, std::vector<Row>& rows) {
  struct Group {
    std::string reason;
    std::int64_t limits = 0, rules = 0;
  };
  std::vector<Group> groups;
  const auto group_of = [&](const std::string& reason) -> Group& {
    for (Group& group : groups) {
      if (group.reason == reason) return group;
    }
    return groups.emplace_back(Group{reason});
  };
  for (const report::GateRow& row : report.gate) {
    if (row.status == State::kSkipped || row.status == State::kNotApplicable)
      ++group_of(row.reason).limits;
  }
  for (const report::Finding& finding : report.findings) {
    if (finding.status == State::kNotApplicable || finding.status == State::kCovered)
      ++group_of(finding.reason).rules;
  }
  if (verbosity <= 0 && groups.size() > 1) {
    std::int64_t all = 0;
    for (const Group& group : groups) all += group.limits + group.rules;
    rows.push_back(
        Note("note", Ink::kDim,
             fmt::format("{} limits and rules are not judged (-v lists the reasons)", all)));
    return;
  }
  for (const Group& group : groups) {
    std::string who;
    if (group.limits > 0) who = Counted(group.limits, "limit", "limits");
    if (group.rules > 0) {
      who += (who.empty() ? "" : " and ") + Counted(group.rules, "rule", "rules");
    }
    const bool one = group.limits + group.rules == 1;
    rows.push_back(Note(
        "note", Ink::kDim,
        fmt::format("{} {} not apply: {}", who, one ? "does" : "do", Printable(group.reason))));
  }
}

void AddCauses(const report::Report& report, const std::string& metric, std::vector<Row>& rows) {
  for (const report::Finding* finding : FiredFindings(report)) {
    if (LimitAbove(report, *finding) == metric) rows.push_back(RowOf(report, *finding));
  }
}

/// Adds the findings that no limit counts, with their symptoms: those with an error or warning, or
/// those with only information.
void AddFindings(const report::Report& report, bool of_weight, std::vector<Row>& rows) {
  const auto root = [&](const report::Finding* finding) {
    while (const report::Finding* cause = report::CauseOf(report, *finding)) finding = cause;
    return finding;
  };
  std::set<const report::Finding*> weighty;
  for (const report::Finding* finding : FiredFindings(report)) {
    if (finding->status != State::kInfo) weighty.insert(root(finding));
  }
  for (const report::Finding* finding : FiredFindings(report)) {
    if (!LimitAbove(report, *finding).empty()) continue;
    if (weighty.contains(root(finding)) == of_weight) rows.push_back(RowOf(report, *finding));
  }
}

/// If a row has this reason of the undecided verdict, makes it the row of that reason.
bool MarkAsOpen(const std::string& reason, std::vector<Row>& rows) {
  const auto cause_in = [](std::string_view text) {
    const auto at = text.find(": ");
    return at == std::string_view::npos ? text : text.substr(at + 2);
  };
  const std::string text = Printable(reason);
  for (Row& row : rows) {
    constexpr std::string_view kMissing = " cannot be compared: ";
    const bool is_missing = text.starts_with(row.name + std::string(kMissing));
    if (row.name.empty() || row.text.empty() ||
        !(is_missing || text.starts_with(row.name + " is ") || text.starts_with(row.name + ": "))) {
      continue;
    }
    const std::string_view said = report::WithoutId(text);
    const bool is_same = text.ends_with(row.text) || said.ends_with(row.text) ||
                         cause_in(said) == cause_in(row.text);
    if (!is_same) continue;
    row.verb = "undecided";
    row.ink = Ink::kYellow;
    if (!is_missing && text[row.name.size()] != ':') row.text = text.substr(row.name.size() + 1);
    return true;
  }
  return false;
}

// Adds reasons of the verdict that have no row; the limits and rules that fail a run have one.
void AddReasons(const report::Report& report, std::vector<Row>& rows) {
  if (report.verdict.status == State::kNoVerdict) {
    for (const std::string& reason : report.verdict.reasons) {
      if (MarkAsOpen(reason, rows)) continue;
      rows.push_back(Note("undecided", Ink::kYellow, Printable(reason)));
    }
  } else if (report.verdict.status == State::kFail) {
    const ReasonsOfRun of_run = FindReasonsOfRun(report);
    std::int64_t errors = of_run.errors;
    const std::vector<std::string> parts = report::PartReasons(report);
    for (const std::string& reason : of_run.reasons) {
      const bool is_error = errors-- > 0;
      // Slower parts that only warn are decided, so they are warnings.
      const bool is_part = std::ranges::find(parts, reason) != parts.end();
      rows.push_back(Note(is_error  ? "error"
                          : is_part ? "warn"
                                    : "undecided",
                          is_error ? Ink::kRed : Ink::kYellow, Printable(reason)));
    }
  }
}

/// Adds accepted and waived results with owner and date. Results of one waiver share a line.
void AddWaived(const report::Report& report, std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  const auto add = [&](const std::string& name, const std::string& reason) {
    const auto is_it = [&](const auto& known) { return known.first == reason; };
    auto at = std::find_if(by_reason.begin(), by_reason.end(), is_it);
    if (at == by_reason.end()) at = by_reason.insert(at, {reason, {}});
    at->second.push_back(Printable(name));
  };
  for (const report::GateRow& row : report.gate) {
    if (row.status == State::kWaived) add(row.metric, row.reason);
  }
  for (const report::Finding& finding : report.findings) {
    if (finding.status == State::kWaived) add(finding.rule, finding.reason);
  }
  if (const std::string text = LoosenedText(report); !text.empty()) {
    rows.push_back(Note("policy", Ink::kYellow, Printable(text)));
  }
  for (const std::string& text : AcceptedTexts(report)) {
    rows.push_back(Note("accepted", Ink::kDim, Printable(text)));
  }
  for (const auto& [reason, names] : by_reason) {
    rows.push_back(Note("waived", Ink::kDim,
                        fmt::format("{}: {}", fmt::join(names, ", "), Printable(reason))));
  }
}

/// Explains savings, and those words in them that need an explanation.
void AddLegend(std::vector<Row>& rows) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"at most", "\"at most\" marks an upper bound"},
      {"about", "\"about\" marks a typical value"},
      {"unknown", "\"unknown\" marks a saving without a useful bound"}};
  if (std::ranges::all_of(rows, [](const Row& row) { return row.gain.empty(); })) return;
  std::string text = "Savings are simulated: per iteration, and each without the others";
  std::string_view joint = "; ";
  for (const auto& [word, meaning] : kWords) {
    const bool occurs = std::any_of(rows.begin(), rows.end(), [word = word](const Row& row) {
      return row.gain.find(word) != row.gain.npos;
    });
    if (occurs) text += fmt::format("{}{}", std::exchange(joint, ", "), meaning);
  }
  rows.push_back(Note("note", Ink::kDim, text));
}

/// Removes the sentences of the headline's finding that the headline has, too.
void LeaveOutHeadline(const report::Report& report, std::vector<Row>& rows) {
  const report::Diagnosis diagnosis = report::Diagnose(report);
  const auto finding = std::ranges::find(report.findings, diagnosis.finding, &report::Finding::key);
  if (diagnosis.finding.empty() || finding == report.findings.end()) return;
  const std::string text = Printable(finding->message), headline = Printable(diagnosis.text);
  // The sentences after the title, in "Input-bound: An iteration waits …".
  const std::size_t title = headline.find(": ");
  if (title == headline.npos) return;
  const std::string_view told = std::string_view(headline).substr(title + 2);
  if (told.empty() || !std::string_view(text).starts_with(told)) return;
  for (Row& row : rows) {
    if (row.text == text) row.text.erase(0, std::min(text.size(), told.size() + 1));
  }
}

/// Removes the reasons of a missing verdict that are shown above.
void LeaveOutReasons(const report::Report& report, std::vector<Row>& rows) {
  for (const std::string& reason : ReasonTexts(report::Diagnose(report), kMostReasons)) {
    const std::string told = Printable(reason);
    std::erase_if(rows, [&](const Row& row) {
      return row.verb == "undecided" && row.name.empty() && row.text == told;
    });
    for (Row& row : rows) {
      if (row.verb == "undecided" && told.ends_with(row.text)) row.text.clear();
    }
  }
}

std::vector<Row> RowsOf(const report::Report& report, int verbosity) {
  std::vector<Row> rows;
  AddFindings(report, true, rows);
  std::map<std::string_view, std::size_t> missed;  // Row by metric: limits share a line.
  for (const report::GateRow* gate : GateByWeight(report)) {
    const bool is_change = !gate->change.text.empty();
    const bool is_missed = IsMissed(*gate) || gate->status == State::kInfo;
    if (IsMissed(*gate) && !is_change) {
      const auto [place, is_first] = missed.emplace(gate->metric, rows.size());
      if (!is_first) {
        Row& row = rows[place->second];
        const std::size_t end = row.limit.empty() ? 0 : row.limit.size() - 1;
        row.limit.insert(end, ", " + LimitText(*gate));
        continue;
      }
    }
    // A passed limit on a change has a row with the change's size and certainty.
    const bool is_measured = is_change && !gate->reason.empty();
    const bool is_caution = gate->status == State::kCaution && gate->counted_with.empty();
    if (is_missed || is_caution ||
        ((gate->status == State::kPass || gate->status == State::kAccepted) &&
         (verbosity > 0 || is_measured))) {
      rows.push_back(RowOf(*gate));
    }
    // Causes are listed once, below the first limit of a metric.
    if (is_missed && !is_change && (IsMissed(*gate) || gate->counted_with.empty())) {
      AddCauses(report, gate->metric, rows);
    }
  }
  AddFindings(report, false, rows);
  for (const report::ImportCounter& counter : report.import) {
    const bool is_loss = counter.severity == Severity::kDataLoss;
    if (!is_loss && verbosity <= 0) continue;
    std::string text = Printable(counter.text);
    if (counter.count > 1) {
      text = fmt::format("{} {}", FormatCount(static_cast<std::int64_t>(counter.count)), text);
    }
    rows.push_back(
        Note(is_loss ? "loss" : "read", is_loss ? Ink::kRed : Ink::kDim, std::move(text)));
  }
  AddReasons(report, rows);
  const std::vector<std::string>& reasons = report.verdict.reasons;
  for (const report::Remark& remark : report.remarks) {
    const auto is_it = [&](const std::string& reason) {
      return reason == remark.text || report::WithoutId(reason) == remark.text;
    };
    if (std::ranges::any_of(reasons, is_it)) continue;
    if (QualityText(report.recording).find(remark.text) != std::string::npos) continue;
    const bool warns = remark.id.starts_with(report::kSlowerPart);
    rows.push_back(
        Note(warns ? "warn" : "note", warns ? Ink::kYellow : Ink::kDim, Printable(remark.text)));
  }
  AddWaived(report, rows);
  AddNotApplicable(report, verbosity, rows);
  AddLegend(rows);
  return rows;
}

/// The name and description of the run, on two lines if one is too short.
std::string HeadText(const report::Report& report, std::size_t width, bool color) {
  const std::string name = Printable(report.profile.name), run = Printable(RunText(report));
  const std::string painted = Painted(name, Ink::kBold, color);
  if (CharactersIn(name) + 3 + CharactersIn(run) <= width) {
    return fmt::format("{}   {}\n", painted, run);
  }
  std::string out = painted + "\n";
  for (const std::string& line : Wrapped(run, width - 2)) out += "  " + line + "\n";
  return out;
}

/// "policy perf/gpt.yaml (job gpt of profgauge.yaml) · baseline none"; empty if no policy judged
/// the run. The baseline is left out if a reason tells it.
std::string SourcesLines(const report::Report& report, std::size_t width) {
  const std::string text = SourcesText(report, ReasonsTellBaseline(report));
  if (text.empty()) return {};
  std::string out;
  for (const std::string& line : Wrapped("policy " + Printable(text), width)) out += line + "\n";
  return out;
}

}  // namespace

std::string RenderPlan(const report::Plan& plan, std::size_t width) {
  std::size_t time = 0, saves = 0, name = 0;
  std::vector<std::string> names;
  for (const report::PlanStep& step : plan.steps) {
    names.push_back(Printable(fmt::format("{}", fmt::join(step.rules, " + "))));
    time = std::max(time, CharactersIn(step.time_text));
    saves = std::max(saves, CharactersIn(step.saves.text));
    name = std::max(name, CharactersIn(names.back()));
  }
  std::string out = fmt::format("  plan        {} per iteration", plan.start.text);
  if (const std::string without = PlanStartNote(plan); !without.empty()) {
    out += ", " + without;
  }
  out += plan.complete ? "\n" : "; too long to try all orders\n";
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const report::PlanStep& step = plan.steps[i];
    std::string line =
        fmt::format("    {}. → {}  {}  {}", i + 1, Padded(step.time_text, time, true),
                    Padded(step.saves.text, saves, true), Padded(names[i], name));
    const std::string text =
        step.action.empty() ? PlanStepText(step) : "do: " + PlanActionText(step);
    line.erase(line.find_last_not_of(' ') + 1);
    const std::string indent(7, ' ');
    if (CharactersIn(line) > width) {  // Rules go below the numbers.
      line.resize(line.size() - names[i].size());
      line.erase(line.find_last_not_of(' ') + 1);
      for (const std::string& part : Wrapped(names[i], width - indent.size())) {
        line.append("\n").append(indent).append(part);
      }
    }
    out += line + "\n";
    for (const std::string& part : Wrapped(Printable(text), width - indent.size())) {
      out += indent + part + "\n";
    }
  }
  if (!plan.floor.time.text.empty()) {
    const std::string indent(14, ' ');
    std::string head = "  floor       ";
    for (const std::string& part : Wrapped(FloorText(plan.floor), width - indent.size())) {
      out += std::exchange(head, indent) + part + "\n";
    }
  }
  return out;
}

std::string RenderTerminal(const report::Report& report, const TerminalOptions& options) {
  if (IsComparisonAlone(report)) return RenderComparison(report, options.verbosity);
  const State status = report.verdict.status;
  const Ink ink = InkOf(status);
  // Quiet runs make no plan, so they may count other rules as not judged.
  std::string counts = CountsText(report.verdict, options.verbosity >= 0);
  if (report.baseline && !report.baseline->mark.empty()) {
    counts += (counts.empty() ? "" : " · ") + Printable(report.baseline->mark);
  }
  if (!report.verdict.loosened.empty()) counts += " · policy loosened";
  if (!report.verdict.accepted.empty()) {
    counts += fmt::format(" ({})", report.verdict.accepted.front().text);
  }
  std::string verdict =
      fmt::format("{}  {}\n", Painted(VerdictWord(status), ink, options.color), counts);
  if (options.verbosity < 0) return verdict;
  const auto width = static_cast<std::size_t>(std::max(40, options.width));
  // On a narrow terminal, the verdict needs several lines.
  const std::size_t indent = VerdictWord(status).size() + 2;
  verdict.clear();
  for (const std::string& line : Wrapped(counts, width - indent)) {
    verdict += (verdict.empty() ? Painted(VerdictWord(status), ink, options.color) + "  "
                                : std::string(indent, ' ')) +
               line + "\n";
  }
  constexpr std::string_view kMoved = "moved  ";
  const std::string movement = Printable(MovementText(report));
  std::string_view head = kMoved;
  for (const std::string& line :
       movement.empty() ? std::vector<std::string>() : Wrapped(movement, width - kMoved.size())) {
    verdict += std::exchange(head, "       ");
    verdict += line + "\n";
  }
  std::string out = HeadText(report, width, options.color);
  out += SourcesLines(report, width) + "\n";
  out += DiagnosisText(report, width, options.color);
  out += BreakdownText(report, width);
  out += ChangeText(report, width);
  if (report.plan && !report.plan->steps.empty()) {
    out += RenderPlan(*report.plan, width);
    const std::string more = Printable(NotSimulatedText(*report.plan));
    out += more.empty() ? "\n" : "    " + more + "\n\n";
  }
  out += QualityLine(report, width);
  std::vector<Row> rows = RowsOf(report, options.verbosity);
  if (options.verbosity <= 0) LeaveOutHeadline(report, rows);
  LeaveOutReasons(report, rows);
  for (Row& row : rows) {
    if (options.fold_names) row.text = WithFoldedNames(row.text);
  }
  const std::string list = ListText(rows, width, options.color);
  if (!list.empty()) out += list + "\n";
  return out + verdict;
}

namespace {

// The width of a column: that of its widest cell, but at most `most`, so that one long name does
// not move all values to the right.
std::size_t Widest(const std::vector<Row>& rows, std::string Row::*field, std::size_t most) {
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, CharactersIn(row.*field));
  return std::min(width, most);
}

/// The name and value of a row. Limit and gain do not fit beside them, so they are below.
std::string NarrowLine(const Row& row, std::size_t indent, std::size_t width) {
  std::string line = row.name + (row.value.empty() ? "" : "  " + row.value);
  for (const std::string& more : {row.limit, row.gain}) {
    for (const std::string& part : Wrapped(more, width - std::min(width / 2, indent))) {
      if (!part.empty()) line += "\n" + std::string(indent, ' ') + part;
    }
  }
  return line;
}

}  // namespace

std::string Painted(std::string_view text, Ink ink, bool color) {
  if (!color || ink == Ink::kNone) return std::string(text);
  constexpr std::array<std::string_view, 6> kCodes = {"", "1", "1;31", "33", "32", "2"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(ink)], text);
}

std::vector<std::string> Wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (!line.empty() && CharactersIn(line) + 1 + CharactersIn(word) > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

std::string Flowed(const std::string& lead, const std::vector<std::string>& parts,
                   std::size_t width) {
  std::string out = lead, line;
  const std::size_t indent = CharactersIn(lead);
  for (const std::string& part : parts) {
    if (!line.empty() && indent + CharactersIn(line) + 2 + CharactersIn(part) > width) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + part;
  }
  return out + line + "\n";
}

// Shortens only brackets after a name, so "(a remark)" in a sentence stays. Brackets inside of them
// go with them. A bracket that is not closed stays.
std::string WithFoldedNames(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char open = text[i];
    const char before = out.empty() ? ' ' : out.back();
    const bool follows_name =
        std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '_' || before == '>';
    const char close = open == '<' ? '>' : ')';
    std::size_t end = i;
    if ((open == '<' || open == '(') && follows_name) {
      int depth = 0;
      for (; end < text.size(); ++end) {
        if (text[end] == open) ++depth;
        if (text[end] == close && --depth == 0) break;
      }
    }
    out += open;
    if (end == i || end == text.size() || end - i <= kLongest) continue;
    out += "…";
    out += close;
    i = end;
  }
  return out;
}

// Formats row by row, when the widths are known. Columns that do not fit go below each other
// (NarrowLine()), and a sentence that does not fit goes below the columns. Only the verb and the
// next command have color.
std::string ListText(const std::vector<Row>& rows, std::size_t width, bool color) {
  const std::size_t verb = Widest(rows, &Row::verb, 9), name = Widest(rows, &Row::name, 40);
  const std::size_t value = Widest(rows, &Row::value, 12), limit = Widest(rows, &Row::limit, 24);
  const std::size_t indent = 2 + verb + 2;
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    if (!row.name.empty()) {
      line = Padded(row.name, name) + "  " + Padded(row.value, value, true);
      const std::size_t gain = row.gain.empty() ? 0 : 2 + CharactersIn(row.gain);
      if (!row.limit.empty()) {
        line += "  " + Padded(row.limit, limit);
      } else if (limit > 0) {  // The gain uses that column, too.
        const std::size_t taken = indent + CharactersIn(line) + gain;
        line.append(std::min(2 + limit, width - std::min(width, taken)), ' ');
      }
      if (gain > 0) line += "  " + row.gain;
      line.erase(line.find_last_not_of(' ') + 1);
      if (indent + CharactersIn(line) > width) line = NarrowLine(row, indent, width);
    }
    const bool fits = indent + CharactersIn(line) + 2 + CharactersIn(row.text) <= width;
    if (!row.name.empty() && fits && !row.text.empty()) line += "  " + row.text;
    out += "  " + Painted(Padded(row.verb, verb), row.ink, color) + "  ";
    if (row.name.empty() || !fits) {
      std::string lead = row.name.empty() ? "" : "\n" + std::string(indent, ' ');
      for (const std::string& part : Wrapped(row.text, width - std::min(width / 2, indent))) {
        if (!part.empty()) line += lead + part;
        lead = "\n" + std::string(indent, ' ');
      }
    }
    out += line + "\n";
    if (!row.advice.empty()) {
      const std::size_t room = width - std::min(width / 2, indent);
      for (const std::string& part : Wrapped("do: " + row.advice, room)) {
        out += std::string(indent, ' ') + part + "\n";
      }
    }
    if (row.next.empty()) continue;
    out += std::string(indent, ' ') + Painted("next: " + row.next, Ink::kDim, color) + "\n";
  }
  return out;
}

}  // namespace profgauge::render
