// Findings as the report shows them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/compare.h"
#include "gate/history.h"
#include "model/devices.h"
#include "model/profile.h"
#include "report/build_report.h"
#include "report/report.h"
#include "report/runs.h"
#include "rules/evaluator.h"
#include "rules/plan.h"

namespace profgauge::report {

/// In the order of `evaluation`: by weight, a symptom after its cause. `ranks`: where the files
/// lie that a finding's `next` names; without them, and where two ranks are in one file, it is
/// empty.
std::vector<Finding> BuildFindings(const rules::Evaluation& evaluation,
                                   std::span<const Profile> ranks = {});

}  // namespace profgauge::report
