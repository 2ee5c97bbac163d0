#include "report/build_plan.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "knowledge/plan.h"

namespace profgauge::report {
namespace {

Quantity TimeOf(double ns) {
  return {static_cast<std::int64_t>(std::llround(ns)), Unit::kTime, FormatDuration(ns), ""};
}

// The first point of the advice.
std::string FirstPoint(std::string_view advice) {
  std::string point;
  for (const std::string_view line : Lines(advice)) {
    const std::string_view words = Trim(line);
    if (words.starts_with("- ") && !point.empty()) break;
    if (words.empty()) continue;
    point += point.empty() ? "" : " ";
    point += words.starts_with("- ") ? words.substr(2) : words;
  }
  return point;
}

}  // namespace

Plan BuildPlan(const profgauge::Plan& plan, const Evaluation& evaluation) {
  Plan out;
  out.absent_because = plan.absent_because;
  out.start = TimeOf(plan.start);
  out.end = TimeOf(plan.end());
  if (plan.without_profiler) out.without_profiler = TimeOf(*plan.without_profiler);
  out.complete = plan.complete;
  out.limits = plan.limits;
  for (const profgauge::PlanStep& step : plan.steps) {
    PlanStep& to = out.steps.emplace_back();
    const profgauge::Finding& first = evaluation.findings[step.findings.front()];
    for (const std::size_t at : step.findings) {
      to.rules.push_back(evaluation.findings[at].rule->id);
      to.fired = to.fired && Fired(evaluation.findings[at].status);
    }
    to.title = first.title;
    to.change = FirstPoint(first.advice);
    to.time = TimeOf(step.time);
    to.saves = TimeOf(step.saves);
    to.alone = TimeOf(step.alone);
    to.needs_earlier =
        out.steps.size() > 1 && step.alone < knowledge::kPlanLeastGainShare.Of(plan.start);
  }
  for (const std::size_t at : plan.no_effect) {
    out.no_effect.push_back(evaluation.findings[at].rule->id);
  }
  return out;
}

}  // namespace profgauge::report
