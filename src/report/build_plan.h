// Makes the plan of a report.
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

// The plan of a report, as texts.

/// `evaluation`: the findings on which the plan is based. `words`: terms for the devices.
Plan BuildPlan(const rules::Plan& plan, const rules::Evaluation& evaluation,
               const DeviceWords& words);

}  // namespace profgauge::report
