// A comparison with a baseline, for reports.
#pragma once

#include <string>

#include "gate/compare.h"
#include "report/report.h"

namespace profgauge::report {

/// `accelerator`: that of the report that contains the comparison; empty: as the runs state it.
Comparison BuildComparison(const RunComparison& run, const std::string& accelerator);

/// Whose devices both runs had; empty when they differ or nothing shows.
std::string AcceleratorOf(const Comparison& comparison);

}  // namespace profgauge::report
