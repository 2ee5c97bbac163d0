// Findings as the report shows them.
#pragma once

#include <span>
#include <vector>

#include "model/profile.h"
#include "report/report.h"
#include "rules/evaluator.h"

namespace profgauge::report {

/// In the order of `evaluation`: by weight, a symptom after its cause. `ranks`: where the files
/// lie that a finding's `next` names; without them, and where two ranks are in one file, it is
/// empty.
std::vector<Finding> BuildFindings(const Evaluation& evaluation,
                                   std::span<const Profile> ranks = {});

}  // namespace profgauge::report
