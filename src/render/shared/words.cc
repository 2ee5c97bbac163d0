#include "render/shared/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/metric_id.h"
#include "base/text.h"
#include "knowledge/gate.h"
#include "report/diagnosis.h"
#include "report/labels.h"

namespace profgauge::render {
namespace {

// The order of limits: errors, warnings, undecided or missing ones, cautions, others.
int GateRank(const report::GateRow& row) {
  if (row.status == State::kError) return 0;
  if (row.status == State::kWarn || row.status == State::kLowConfidence) return 1;
  if (row.status == State::kMissing || row.status == State::kOpen) return 2;
  if (row.status == State::kCaution) return 3;
  return 4;
}

// True if the reason starts with a metric's id or title, or a rule, followed by a space or colon.
bool IsOfLimitOrRule(const std::string& reason, const report::Report& report) {
  const auto names = [&reason](const std::string& id) {
    return reason.starts_with(id) && reason.size() > id.size() &&
           (reason[id.size()] == ' ' || reason[id.size()] == ':');
  };
  return std::any_of(
             report.gate.begin(), report.gate.end(),
             [&](const report::GateRow& row) { return names(row.metric) || names(row.title); }) ||
         std::any_of(report.findings.begin(), report.findings.end(),
                     [&](const report::Finding& finding) { return names(finding.rule); });
}

}  // namespace

ReasonsOfRun FindReasonsOfRun(const report::Report& report) {
  ReasonsOfRun out;
  for (const std::string& reason : report.verdict.reasons) {
    if (!IsOfLimitOrRule(reason, report)) out.reasons.push_back(reason);
  }
  const auto counts = [](const auto& row) {
    return row.status == State::kError && row.counted_with.empty();
  };
  const std::int64_t others = std::count_if(report.gate.begin(), report.gate.end(), counts) +
                              std::count_if(report.findings.begin(), report.findings.end(), counts);
  out.errors = std::clamp<std::int64_t>(report.verdict.errors - others, 0,
                                        static_cast<std::int64_t>(out.reasons.size()));
  return out;
}

std::vector<std::string> AcceptedTexts(const report::Report& report) {
  std::vector<std::string> texts;
  for (const report::Accepted& one : report.verdict.accepted) {
    const auto row = std::ranges::find(report.gate, one.what, &report::GateRow::metric);
    const std::string& what =
        row == report.gate.end() || row->title.empty() ? one.what : row->title;
    texts.push_back(fmt::format("{}{}, {}", what,
                                one.change.text.empty() ? "" : " " + one.change.text, one.text));
  }
  return texts;
}

std::string LoosenedText(const report::Report& report) {
  std::string text;
  for (const report::Loosened& one : report.verdict.loosened) {
    text += (text.empty() ? "" : "; ") + one.text;
  }
  if (text.empty()) return text;
  const bool is_accepted =
      std::ranges::find(report.verdict.accepted, "policy", &report::Accepted::what) !=
      report.verdict.accepted.end();
  return fmt::format("This branch loosens the policy: {}. {}", text,
                     is_accepted ? "It is accepted."
                                 : "The stricter one judges, until it is accepted: "
                                   "`Profgauge-Accept: policy: REASON`");
}

const report::Accepted* AcceptedOf(const report::Report& report, const report::GateRow& row) {
  if (row.status != State::kAccepted) return nullptr;
  const auto one = std::ranges::find(report.verdict.accepted, row.metric, &report::Accepted::what);
  return one == report.verdict.accepted.end() ? nullptr : &*one;
}

std::string_view ReasonsLabel(const report::Report& report, const report::Diagnosis& diagnosis) {
  if (diagnosis.reasons.empty()) return {};
  if (report.verdict.status == State::kNoVerdict) return "undecided";
  return report.verdict.errors > 0 ? "fails" : "warns";
}

std::vector<std::string> ReasonTexts(const report::Diagnosis& diagnosis, std::size_t most) {
  std::vector<std::string> texts;
  const std::size_t all = diagnosis.reasons.size();
  const std::size_t shown = all == most + 1 ? all : std::min(all, most);
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(diagnosis.reasons[i].text);
  if (shown < all) texts.push_back(fmt::format("and {} more", all - shown));
  return texts;
}

std::string PolicyText(const report::VerdictInfo& verdict) {
  if (verdict.policy.empty() || verdict.policy_from.empty()) return verdict.policy;
  return fmt::format("{} ({})", verdict.policy, verdict.policy_from);
}

std::string BaselineWarning(const report::Report& report) {
  if (!report.baseline) return {};
  const std::string& state = report.baseline->state;
  const bool is_whole = state == "none" || state == "used";
  return is_whole ? std::string() : report.baseline->line;
}

bool ReasonsTellBaseline(const report::Report& report) {
  const std::string warning = BaselineWarning(report);
  const std::vector<std::string> reasons = ReasonTexts(report::Diagnose(report), kMostReasons);
  return std::ranges::any_of(
      reasons, [&](const std::string& reason) { return report::WithoutId(reason) == warning; });
}

std::string SourcesText(const report::Report& report, bool is_warned) {
  const std::string policy = PolicyText(report.verdict);
  if (policy.empty() || (is_warned && !BaselineWarning(report).empty())) return policy;
  const bool is_none = !report.baseline || report.baseline->state == "none";
  return fmt::format("{} · {}", policy, is_none ? "baseline none" : report.baseline->line);
}

std::string Counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", FormatCount(count), count == 1 ? one : many);
}

std::string CountsText(const report::VerdictInfo& verdict, bool calm) {
  std::string text;
  const auto add = [&](std::int64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += Counted(count, one, many);
  };
  add(verdict.errors, "error", "errors");
  add(verdict.warnings, "warning", "warnings");
  add(verdict.cautions, "caution", "cautions");
  add(verdict.open, "undecided", "undecided");
  add(verdict.missing, "missing", "missing");
  add(static_cast<std::int64_t>(verdict.accepted.size()), "accepted", "accepted");
  add(verdict.waived, "waived", "waived");
  if (!calm) return text.empty() ? "no errors or warnings" : text;
  const auto add_calm = [&](std::int64_t count, std::string_view what) {
    if (count == 0) return;
    if (!text.empty()) text += " · ";
    text += fmt::format("{} {}", FormatCount(count), what);
  };
  add_calm(verdict.passed, "measured and good");
  add_calm(verdict.not_found, "not found");
  add_calm(verdict.not_applicable, "not judged");
  return text.empty() ? "nothing was judged" : text;
}

// Lists at most eight names, because the page of a run on a thousand nodes must stay short. The
// others are counted.
DeviceKinds KindsOfDevices(const report::ProfileInfo& profile) {
  const std::string unnamed = report::TextFor(profile, "{{ device.device }}");
  constexpr std::size_t kMostKinds = 8;
  DeviceKinds kinds;
  kinds.others = profile.more_devices;
  std::map<std::string_view, std::size_t> places;
  for (const report::Device& device : profile.devices) {
    const std::string_view name = device.name.empty() ? unnamed : device.name;
    const auto [place, is_new] = places.try_emplace(name, kinds.named.size());
    if (is_new && kinds.named.size() < kMostKinds) kinds.named.emplace_back(name, 0);
    ++(place->second < kinds.named.size() ? kinds.named[place->second].second : kinds.others);
  }
  return kinds;
}

std::string DevicesText(const report::ProfileInfo& profile) {
  const DeviceKinds kinds = KindsOfDevices(profile);
  std::string text;
  for (const auto& [name, count] : kinds.named) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} × {}", FormatCount(count), name);
  }
  if (kinds.others > 0) text += fmt::format(" and {} more", FormatCount(kinds.others));
  return text;
}

std::string IterationsText(const report::ProfileInfo& profile) {
  if (profile.iterations_total == 0) return {};
  if (profile.iterations_selected != profile.iterations_total) {
    return fmt::format("{} of {} iterations", FormatCount(profile.iterations_selected),
                       FormatCount(profile.iterations_total));
  }
  return Counted(profile.iterations_total, "iteration", "iterations");
}

std::string RanksText(const report::Report& report) {
  const std::int64_t ranks = report.profile.ranks;
  const report::Metric* metric = report::FindMetricById(report, metric::kProfileRanksMissing);
  const auto missing =
      metric == nullptr ? 0 : static_cast<std::int64_t>(AsNumber(metric->quantity.value, 0));
  if (missing > 0) {
    return fmt::format("{} of {} ranks", FormatCount(ranks), FormatCount(ranks + missing));
  }
  return ranks > 1 ? Counted(ranks, "rank", "ranks") : "";
}

std::string RunsText(const report::ProfileInfo& profile) {
  return profile.runs > 1 ? fmt::format("1 of {} runs", FormatCount(profile.runs)) : "";
}

bool HasTimeBetween(const report::Report& report) {
  constexpr double kVisible = 0.01;
  const report::Metric* share = report::FindMetricById(report, metric::kIterationBetweenShare);
  return share != nullptr && AsNumber(share->quantity.value, 0) >= kVisible;
}

std::string RunText(const report::Report& report) {
  const report::ProfileInfo& profile = report.profile;
  std::string text = profile.format;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += " · ";
    text += part;
  };
  add(RunsText(profile));
  add(DevicesText(profile));
  add(RanksText(report));
  if (profile.format == "times") {
    add(profile.dialect);
    const report::Metric* steps = report::FindMetricById(report, metric::kStepCount);
    const report::Metric* median = report::FindMetricById(report, metric::kStepTimeMedian);
    if (steps != nullptr && median != nullptr && !IsAbsent(median->quantity.value)) {
      add(Counted(static_cast<std::int64_t>(AsNumber(steps->quantity.value, 0)), "iteration",
                  "iterations"));
      const report::Metric* mean = report::FindMetricById(report, metric::kRunTimeMean);
      // A few long iterations move only the mean.
      const double typical = AsNumber(median->quantity.value, 0);
      const double apart = mean == nullptr ? 0 : AsNumber(mean->quantity.value, typical) - typical;
      add(median->quantity.text + "/iteration" +
          (std::abs(apart) > knowledge::kGateNoiseFloor.value() * typical
               ? fmt::format(" (median; the mean of all is {})", mean->quantity.text)
               : ""));
    }
    return text;
  }
  add(IterationsText(profile));
  const report::Metric* mean = report::FindMetricById(report, metric::kIterationTimeMean);
  if (mean != nullptr && !IsAbsent(mean->quantity.value)) add(mean->quantity.text + "/iteration");
  const report::Metric* period = report::FindMetricById(report, metric::kIterationPeriodMean);
  if (period != nullptr && !IsAbsent(period->quantity.value) && HasTimeBetween(report)) {
    add(period->quantity.text + " from start to start");
  }
  return text;
}

int WeightOf(State level) { return level == State::kError ? 0 : level == State::kWarn ? 1 : 2; }

std::vector<const report::Finding*> FiredFindings(const report::Report& report) {
  std::vector<const report::Finding*> fired;
  for (const report::Finding& finding : report.findings) {
    if (report::HasFired(finding)) fired.push_back(&finding);
  }
  std::stable_partition(fired.begin(), fired.end(), [&report](const report::Finding* finding) {
    return !report::IsAboutProfile(*finding) || !finding->explains.empty() ||
           report::CauseOf(report, *finding) != nullptr;
  });
  return fired;
}

std::vector<const report::Finding*> FindingsInOrder(const report::Report& report) {
  std::vector<const report::Finding*> order = FiredFindings(report);
  for (const report::Finding& finding : report.findings) {
    if (!report::HasFired(finding)) order.push_back(&finding);
  }
  return order;
}

// The loop ends, because a cause precedes its symptoms.
int DepthOf(const report::Report& report, const report::Finding& finding) {
  int depth = 0;
  for (const report::Finding* at = report::CauseOf(report, finding); at != nullptr;
       at = report::CauseOf(report, *at)) {
    ++depth;
  }
  return depth;
}

bool IsMissed(const report::GateRow& row) { return GateRank(row) < 3; }

std::vector<const report::GateRow*> GateByWeight(const report::Report& report) {
  std::vector<const report::GateRow*> rows;
  for (const report::GateRow& row : report.gate) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return GateRank(*a) < GateRank(*b); });
  return rows;
}

std::string DeltaText(std::int64_t ns) {
  if (ns == 0) return "±0";
  const std::string text = FormatDuration(std::abs(static_cast<double>(ns)));
  return (ns > 0 ? "+" : "−") + text;
}

std::string FirstUpper(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

std::string ElideMiddle(std::string_view text, std::size_t characters) {
  const std::size_t count = CharactersIn(text);
  if (count <= characters) return std::string(text);
  const std::size_t tail = (characters - 1) / 2, head = characters - 1 - tail;
  std::string out;
  std::size_t index = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, Utf8Length(text));
    if (index < head || index >= count - tail) out += text.substr(0, length);
    if (index == head) out += "…";
    text.remove_prefix(length);
    ++index;
  }
  return out;
}

namespace {

// Whether most of a step's saving needs earlier steps, and the explanation of the saving.
std::string TermsOf(const report::PlanStep& step) {
  std::string text;
  const double alone = AsNumber(step.alone.value, 0);
  if (step.needs_earlier && alone <= 0) {
    text += " Saves nothing until the steps above are done.";
  } else if (2 * alone < AsNumber(step.saves.value.value, 0)) {
    text += fmt::format(" Without the steps above: {}.", step.alone.text);
  }
  if (!step.saves.why.empty()) text += " " + FirstUpper(step.saves.why) + ".";
  return text;
}

}  // namespace

std::string PlanStepText(const report::PlanStep& step, bool is_below_title) {
  std::string text = step.change;
  if (!step.fired) {
    const std::string next = "Next bottleneck" + (is_below_title ? "" : ": " + step.title) + ".";
    text = text.empty() ? next : next + " " + text;
  }
  if (text.empty()) text = step.title + ".";
  return text + TermsOf(step);
}

std::string PlanActionText(const report::PlanStep& step) {
  return step.action.empty() ? PlanStepText(step) : step.action + TermsOf(step);
}

// Which steps a saving assumes, the limits of the simulation, and the floor if it is known.
std::string NotSimulatedText(const report::Plan& plan) {
  if (plan.not_simulated.empty()) return {};
  return fmt::format("Not simulated: {} (`{}`), {}", plan.not_simulated, plan.not_simulated_rule,
                     plan.not_simulated_saves);
}

std::string PlanNote(const report::Plan& plan) {
  std::string note = "Each step is simulated together with the steps before it. ";
  if (!plan.limits.empty()) note += plan.limits + ".";
  if (!plan.complete) note += " The profile is too long to try all orders.";
  const std::string floor = FloorText(plan.floor);
  if (!floor.empty()) {
    note += (plan.floor.time.text.empty() ? " No lower bound: " : " Floor: ") + floor + ".";
  }
  return note;
}

std::string FloorText(const report::Floor& floor) {
  if (floor.time.text.empty()) {
    return floor.absent_because;
  }
  std::string text = floor.time.text + " by the data sheet";
  if (floor.reachable.text != floor.time.text) {
    text += fmt::format(", {} by the reachable peaks", floor.reachable.text);
  }
  const double unknown = 1 - AsNumber(floor.counted.value, 1);
  if (unknown > 0.0005) {  // Less would be shown as 0.
    text += fmt::format("; {} of kernel time has unknown work and counts as recorded",
                        FormatShare(unknown));
  }
  return text;
}

}  // namespace profgauge::render
