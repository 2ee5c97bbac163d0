// What the first screen of every output says of the plan and of findings without one.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace profgauge::render {

/// Steps of a plan, or findings, that a reader takes in at once; the rest is one line.
inline constexpr std::size_t kFirstSteps = 4;

/// The first point of a finding's advice as text, code between backticks; empty without advice.
std::string FirstAdvice(const report::Finding& finding);

/// "59.0 ms (−33.2 %)": what a step saves, and which share of the start that is.
std::string PlanSavingText(const report::Plan& plan, const report::PlanStep& step);

/// "and 2 more steps → 43.0 ms" where the plan has more than kFirstSteps; else empty.
std::string MoreStepsText(const report::Plan& plan);

}  // namespace profgauge::render
