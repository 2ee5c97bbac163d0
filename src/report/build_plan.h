// The plan of the report, in words.
#pragma once

#include "model/device_words.h"
#include "report/report.h"
#include "rules/plan.h"

namespace profgauge::report {

/// `evaluation`: the plan's source; `words`: of the devices.
Plan BuildPlan(const profgauge::Plan& plan, const Evaluation& evaluation, const DeviceWords& words);

}  // namespace profgauge::report
