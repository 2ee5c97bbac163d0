// What a change saves, in words.
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

Saving BuildSaving(const rules::Claim& claim);

// The plan of the report, in words.

/// `evaluation`: the plan's source; `words`: of the devices.
Plan BuildPlan(const rules::Plan& plan, const rules::Evaluation& evaluation,
               const DeviceWords& words);

}  // namespace profgauge::report
