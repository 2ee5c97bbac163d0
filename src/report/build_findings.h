// Makes the findings of a report.
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

/// Makes the findings in the order of `evaluation`: by weight, a symptom after its cause. `ranks`
/// have the files that a finding's `next` names. Without them, or if two ranks share a file, `next`
/// is empty.
std::vector<Finding> BuildFindings(const rules::Evaluation& evaluation,
                                   std::span<const Profile> ranks = {});

}  // namespace profgauge::report
