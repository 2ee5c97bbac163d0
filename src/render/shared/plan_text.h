// The plan on the first screen of every output, and findings without one.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace profgauge::render {

/// Number of steps of a plan, or findings, shown completely; the rest is one line.
inline constexpr std::size_t kFirstSteps = 4;

/// The first point of a finding's advice as text, code between backticks; empty without advice.
std::string FirstAdvice(const report::Finding& finding);

/// "59.0 ms (−33.2 %)": the saving of a step, and its share of the start.
std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step);

/// "and 2 more steps → 43.0 ms" where the plan has more than kFirstSteps; else empty.
std::string MoreStepsText(const report::Plan& plan);

}  // namespace profgauge::render
