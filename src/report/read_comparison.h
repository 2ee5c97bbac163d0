// The section `comparison` of report.json, and the numbers that every section has.
#pragma once

#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {

/// A quantity as render/json/json_comparison.cc writes it; nothing where there is none.
Quantity ReadQuantity(const JsonNode& node);

/// The twin of render's WriteComparison. What an older version did not write is empty.
Comparison ReadComparison(const JsonNode& node);

}  // namespace profgauge::report
