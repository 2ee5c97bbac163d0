#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rich_text.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// The parts of an iteration: a row for each part, and a bar for each rank if there are few. Parts
/// that cannot be measured have no row, but a reason in `absent`. `known` is false if nothing was
/// measured.
boost::json::object BreakdownView(const report::Report& report);
/// Chart, facts and table of iterations. The second chart includes iterations that were not
/// selected. No chart for a single iteration, since it equals the breakdown's bar.
boost::json::object IterationsView(const report::Report& report, TablePacker& payload);
/// The chart of iterations in the size of a panel.
std::string IterationSketch(const report::Report& report);

}  // namespace profgauge::render::html
