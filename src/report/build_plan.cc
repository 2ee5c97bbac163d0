#include "report/build_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/format.h"
#include "knowledge/plan.h"
#include "report/build_sections.h"

namespace profgauge::report {
namespace {

Quantity TimeOf(double ns) {
  return {static_cast<std::int64_t>(std::llround(ns)), Unit::kTime, FormatDuration(ns), ""};
}

/// The change of a step: the rule's text, else the first point of the advice.
std::string ChangeOf(const rules::Finding& finding) {
  if (!finding.change.empty()) return finding.change + ".";
  return finding.advice_parts.empty() ? "" : TextOf(finding.advice_parts.front());
}

// Adds the keys of all findings of the rule, because the step fixes them all.
void AddKeys(const rules::Evaluation& evaluation, std::size_t first,
             std::vector<std::string>& keys) {
  const rules::Finding& of = evaluation.findings[first];
  for (const rules::Finding& finding : evaluation.findings) {
    const bool is_its = rules::Fired(of.status)
                            ? finding.rule == of.rule && rules::Fired(finding.status)
                            : &finding == &of;
    if (is_its) keys.push_back(finding.key);
  }
}

// The largest typical saving, if above every step's: it is no step, but the reader should know.
void AddNotSimulated(const rules::Plan& plan, const rules::Evaluation& evaluation, Plan& out) {
  double most = 0;
  for (const rules::PlanStep& step : plan.steps) most = std::max(most, step.claim.saves);
  const rules::Finding* largest = nullptr;
  for (const rules::Finding& finding : evaluation.findings) {
    const bool is_typical = finding.claim.basis == rules::Basis::kAbout;
    if (!rules::Fired(finding.status) || !is_typical || finding.claim.saves <= most) continue;
    most = finding.claim.saves;
    largest = &finding;
  }
  if (largest == nullptr || plan.steps.empty()) return;
  out.not_simulated = largest->title;
  out.not_simulated_saves = rules::ClaimText(largest->claim);
  out.not_simulated_rule = largest->rule->id;
}

}  // namespace

Saving BuildSaving(const rules::Claim& claim) {
  Saving saving{claim.basis, {{}, Unit::kTime, "–", ""}, {}, rules::ClaimText(claim), claim.why};
  if (claim.is_known()) saving.value = TimeOf(claim.saves);
  if (claim.low) saving.low = TimeOf(*claim.low).value;
  return saving;
}

Plan BuildPlan(const rules::Plan& plan, const rules::Evaluation& evaluation,
               const DeviceWords& words) {
  Plan out;
  out.absent_because = plan.absent_because;
  out.start = TimeOf(plan.start);
  out.with_pauses = plan.with_pauses;
  out.end = TimeOf(plan.end());
  if (plan.first_calls > 0) out.first_calls = TimeOf(plan.first_calls);
  if (plan.without_profiler) out.without_profiler = TimeOf(*plan.without_profiler);
  out.complete = plan.complete;
  out.limits = plan.limits;
  out.floor.absent_because = plan.floor.absent_because;
  if (plan.floor.absent_because.empty()) {
    out.floor.time = TimeOf(plan.floor.time);
    out.floor.reachable = TimeOf(plan.floor.reachable);
  }
  if (plan.floor.counted) {
    out.floor.counted = {*plan.floor.counted, Unit::kShare, FormatShare(*plan.floor.counted), ""};
  }
  for (const rules::PlanStep& step : plan.steps) {
    PlanStep& to = out.steps.emplace_back();
    const rules::Finding& first = evaluation.findings[step.findings.front()];
    for (const std::size_t at : step.findings) {
      to.rules.push_back(evaluation.findings[at].rule->id);
      AddKeys(evaluation, at, to.findings);
      to.fired = to.fired && rules::Fired(evaluation.findings[at].status);
    }
    // The title of the fault: a passed rule may become the bottleneck after earlier steps.
    to.title = to.fired ? first.title : InDeviceWords(first.rule->title, words);
    to.change = ChangeOf(first);
    if (step.claim.is_best_case && !to.change.empty()) {
      to.change += " At best: kernels reach their target.";
    } else if (step.claim.is_typical && !to.change.empty()) {
      to.change += " How much of the work remains is usual, not recorded.";
    }
    if (!first.advice_parts.empty()) to.action = TextOf(first.advice_parts.front());
    to.time = TimeOf(step.time);
    to.saves = BuildSaving(step.claim);
    to.time_text = to.time.text;
    if (step.high) {
      to.high = TimeOf(*step.high).value;
      to.time_text = rules::RangeText(step.time, *step.high);
    }
    to.alone = TimeOf(step.alone);
    to.needs_earlier =
        out.steps.size() > 1 && step.alone < knowledge::kPlanLeastGainShare.Of(plan.start);
  }
  for (const std::size_t at : plan.no_effect) {
    AddKeys(evaluation, at, out.no_effect);
  }
  AddNotSimulated(plan, evaluation, out);
  return out;
}

}  // namespace profgauge::report
