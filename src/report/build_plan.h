// The plan of the report, in words.
#pragma once

#include "report/report.h"
#include "rules/plan.h"

namespace profgauge::report {

/// `evaluation`: what the plan was made of.
Plan BuildPlan(const profgauge::Plan& plan, const Evaluation& evaluation);

}  // namespace profgauge::report
