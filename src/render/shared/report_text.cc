#include "render/shared/report_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/format.h"
#include "render/shared/words.h"
#include "report/diagnosis.h"

namespace profgauge::render {

// Omits symptoms, because they disappear with their cause, and two rows would promise one saving
// twice.
std::vector<const report::Finding*> FixFirst(const report::Report& report, bool of_weight) {
  const auto gain = [](const report::Finding* finding) {
    return AsNumber(finding->saves.value.value, 0);
  };
  std::vector<const report::Finding*> causes;
  for (const report::Finding& finding : report.findings) {
    const bool weighs = WeightOf(finding.level) <= 1;
    if (!report::HasFired(finding) || report::CauseOf(report, finding) != nullptr ||
        weighs != of_weight)
      continue;
    if (of_weight || gain(&finding) > 0) causes.push_back(&finding);
  }
  if (of_weight) {
    // Findings about the profile come last, because they only show how far others can be trusted.
    std::stable_partition(causes.begin(), causes.end(),
                          [](const auto* one) { return !report::IsAboutProfile(*one); });
  } else {
    std::ranges::stable_sort(causes, std::greater<>(), gain);
  }
  // What the headline names comes first, however light it is.
  const std::string headline = report::Diagnose(report).finding;
  const auto named = std::ranges::find(report.findings, headline, &report::Finding::key);
  if (of_weight && named != report.findings.end() && report::HasFired(*named) &&
      std::ranges::find(causes, &*named) == causes.end()) {
    causes.insert(causes.begin(), &*named);
  }
  return causes;
}

const report::Finding* FlawOfProfile(const report::Report& report) {
  if (report.verdict.status != State::kNoVerdict) return nullptr;
  const auto found = std::ranges::find_if(report.findings, [](const report::Finding& finding) {
    return report::HasFired(finding) && report::IsAboutProfile(finding) &&
           !finding.explains.empty();
  });
  return found == report.findings.end() ? nullptr : &*found;
}

std::string FirstAdvice(const report::Finding& finding) {
  if (finding.advice_parts.empty()) return {};
  std::string text;
  for (const TextPart& part : finding.advice_parts.front()) {
    const bool is_code = part.kind == TextPart::Kind::kCode;
    text += is_code ? "`" + part.text + "`" : part.text;
  }
  return text;
}

std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step) {
  const double start = AsNumber(plan.start.value, 0), saves = AsNumber(step.saves.value.value, 0);
  if (start <= 0) return step.saves.text;
  const double low = AsNumber(step.saves.low, saves);
  const std::string least = FormatShare(low / start), most = FormatShare(saves / start);
  return low <= 0 || least == most ? fmt::format("{} (−{})", step.saves.text, most)
                                   : fmt::format("{} (−{} to −{})", step.saves.text, least, most);
}

namespace {

// The saving of all steps, if each saves its least.
double LeastSaved(const report::Plan& plan) {
  double sum = 0;
  for (const report::PlanStep& step : plan.steps) {
    sum += AsNumber(step.saves.low, AsNumber(step.saves.value.value, 0));
  }
  return sum;
}

}  // namespace

std::string PlanEndText(const report::Plan& plan) {
  return plan.steps.empty() ? std::string() : plan.steps.back().time_text;
}

std::string PlanSavedText(const report::Plan& plan) {
  const double start = AsNumber(plan.start.value, 0), end = AsNumber(plan.end.value, 0);
  report::PlanStep all;
  all.saves.value.value = start - end;
  const double least = std::min(LeastSaved(plan), start - end);
  all.saves.low = least;
  all.saves.text =
      least <= 0 ? "up to " + FormatDuration(start - end) : rules::RangeText(least, start - end);
  return PlanSavingText(plan, all);
}

// The highest level of the fired findings of these rules.
State LevelOf(const report::Report& report, const report::PlanStep& step) {
  State level = State::kNone;
  for (const report::Finding& finding : report.findings) {
    const bool is_part = std::ranges::find(step.rules, finding.rule) != step.rules.end();
    if (!is_part || !report::HasFired(finding)) continue;
    if (level == State::kNone || WeightOf(finding.level) < WeightOf(level)) level = finding.level;
  }
  return level;
}

std::string WithoutProfilerText(const report::Plan& plan) {
  if (plan.without_profiler.text.empty()) return {};
  return rules::RangeText(AsNumber(plan.without_profiler.value, 0), AsNumber(plan.start.value, 0)) +
         " without the profiler";
}

std::string PlanStartNote(const report::Plan& plan) {
  std::vector<std::string> notes;
  if (plan.with_pauses) notes.emplace_back("with the pauses between");
  if (!plan.first_calls.text.empty()) notes.emplace_back("without first calls");
  if (std::string without = WithoutProfilerText(plan); !without.empty()) {
    notes.push_back(std::move(without));
  }
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::string RowsShown(const report::Finding& finding, std::size_t shown) {
  const auto kept = static_cast<std::int64_t>(finding.evidence.size());
  const auto count = static_cast<std::int64_t>(shown);
  const std::string all = Counted(std::max(finding.evidence_of, kept), "row", "rows");
  return count < std::max(finding.evidence_of, kept)
             ? fmt::format("{} of {}", FormatCount(count), all)
             : all;
}

namespace {

// The order of checks. A value below 2 means that the profile is incomplete.
int WeightOfState(CheckState state) {
  switch (state) {
    case CheckState::kLost:
      return 0;
    case CheckState::kDoubt:
      return 1;
    case CheckState::kUnknown:
      return 2;
    case CheckState::kOk:
      break;
  }
  return 3;
}

}  // namespace

std::string_view TrustText(Trust trust) {
  switch (trust) {
    case Trust::kWhole:
      return "whole";
    case Trust::kLimited:
      return "limited";
    case Trust::kNone:
      break;
  }
  return "no verdict";
}

std::string_view StateText(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "fine";
    case CheckState::kDoubt:
      return "uncertain";
    case CheckState::kLost:
      return "lost";
    case CheckState::kUnknown:
      break;
  }
  return "unknown";
}

std::string QualityText(const Certificate& recording, std::span<const std::string> told) {
  if (recording.trust == Trust::kWhole) return {};
  const auto affects = [](const CertificateCheck* check) {
    return WeightOfState(check->state) < 2;
  };
  auto checks = ChecksByWeight(recording);
  const auto said = std::erase_if(checks, [told](const CertificateCheck* check) {
    return std::ranges::any_of(told, [check](const std::string& reason) {
      return reason.find(check->text) != reason.npos;
    });
  });
  if (checks.empty() || (said > 0 && !affects(checks.front()))) return {};
  const auto more = std::ranges::count_if(checks, affects);
  return fmt::format("{}: {}{}", TrustText(recording.trust), checks.front()->text,
                     more > 1 ? fmt::format(" (and {} more)", more - 1) : "");
}

std::vector<const CertificateCheck*> ChecksByWeight(const Certificate& recording) {
  std::vector<const CertificateCheck*> checks;
  for (const CertificateCheck& check : recording.checks) checks.push_back(&check);
  std::ranges::stable_sort(
      checks, {}, [](const CertificateCheck* check) { return WeightOfState(check->state); });
  return checks;
}

std::string FoundText(const CertificateCheck& check) {
  const bool affects = check.state == CheckState::kDoubt || check.state == CheckState::kLost;
  if (!affects || check.affects.empty()) return check.text;
  return fmt::format("{}; affects {}", check.text, fmt::join(check.affects, ", "));
}

}  // namespace profgauge::render
