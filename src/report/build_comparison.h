// The comparison section of a report.
#pragma once

#include "gate/compare.h"
#include "report/report.h"

namespace profgauge::report {

Comparison BuildComparison(const RunComparison& run);

}  // namespace profgauge::report
