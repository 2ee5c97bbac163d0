// A comparison with a baseline, for reports.
#pragma once

#include <string>

#include "gate/compare.h"
#include "report/report.h"

namespace profgauge::report {

/// `accelerator`: that of the report that the comparison is part of; empty: what the runs tell.
Comparison BuildComparison(const RunComparison& run, const std::string& accelerator);

/// Whose devices both runs had; empty when they differ or nothing shows.
std::string AcceleratorOf(const Comparison& comparison);

}  // namespace profgauge::report
