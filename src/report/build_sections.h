// Makes the sections of a report, each from the results of one layer.
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

// Small parts for all sections.

/// Makes a quantity with its text; `absent_because` is kept only if `value` is absent.
Quantity MakeQuantity(Value value, Unit unit, std::string absent_because = {});

/// Makes a difference: its text has a sign; for shares it is in points, "−13.4 points".
Quantity MakeDifference(Value difference, Unit unit, std::string absent_because = {});

/// The better direction of a metric.
Better BetterOf(analysis::Direction direction);

}  // namespace profgauge::report
