#include "render/shared/plan_text.h"

#include <fmt/format.h>

#include "base/format.h"
#include "render/shared/words.h"

namespace profgauge::render {

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
  const double start = AsNumber(plan.start.value, 0);
  if (start <= 0) return step.saves.text;
  return fmt::format("{} (−{})", step.saves.text,
                     FormatShare(AsNumber(step.saves.value, 0) / start));
}

std::string MoreStepsText(const report::Plan& plan) {
  if (plan.steps.size() <= kFirstSteps) return {};
  return fmt::format("and {} → {}",
                     Counted(static_cast<std::int64_t>(plan.steps.size() - kFirstSteps),
                             "more step", "more steps"),
                     plan.end.text);
}

}  // namespace profgauge::render
