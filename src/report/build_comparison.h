// Makes the comparison with a baseline for reports.
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

/// `accelerator`: that of the report with the comparison; empty: as the runs say.
Comparison BuildComparison(const gate::RunComparison& run, const std::string& accelerator);

/// The accelerator of both runs; empty if they differ or it is unknown.
std::string AcceleratorOf(const Comparison& comparison);

// Check of the certificate against the baseline: lost launches look like a faster run.

/// Adds the check; `comparison` is nullptr without a baseline. Does nothing if no checks were made.
void AddLaunchCheck(const gate::RunComparison* comparison, Certificate& certificate);

}  // namespace profgauge::report
