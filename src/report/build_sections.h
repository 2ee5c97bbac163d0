// The sections of a report, each made from the results of one layer.
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

// Small parts that every section of a report is built from.

/// The number with its text; `absent_because` is kept only when it is absent.
Quantity MakeQuantity(Value value, Unit unit, std::string absent_because = {});

/// A difference: its text has a sign, and of shares it is in points, "−13.4 points".
Quantity MakeDifference(Value difference, Unit unit, std::string absent_because = {});

/// "higher", "lower" or "neutral".
Better BetterOf(analysis::Direction direction);

}  // namespace profgauge::report
