// Findings as the report shows them.
#pragma once

#include <vector>

#include "report/report.h"
#include "rules/evaluator.h"

namespace profgauge::report {

/// In the order of `evaluation`: by weight, a symptom after its cause.
std::vector<Finding> BuildFindings(const Evaluation& evaluation);

}  // namespace profgauge::report
