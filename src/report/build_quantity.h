// Small parts that every section of a report is built from.
#pragma once

#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "report/report.h"

namespace profgauge::report {

/// The number with its text; `absent_because` is kept only when it is absent.
Quantity MakeQuantity(Value value, Unit unit, std::string absent_because = {});

/// A difference: its text has a sign, and of shares it is in points, "−13.4 points".
Quantity MakeDifference(Value difference, Unit unit, std::string absent_because = {});

/// "higher", "lower" or "neutral".
Better BetterOf(Direction direction);

}  // namespace profgauge::report
