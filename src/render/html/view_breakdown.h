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

/// The parts of an iteration: a row for each part, and a bar for each rank if there are few ranks.
/// A part that cannot be measured has a reason in `absent` instead of a row. `known` is false if
/// nothing was measured.
boost::json::object BreakdownView(const report::Report& report);
/// The chart, facts and table of iterations. A second chart includes iterations that were not
/// selected. A single iteration has no chart, because it would equal the breakdown's bar.
boost::json::object IterationsView(const report::Report& report, TablePacker& payload);
/// The chart of iterations, as small as a panel.
std::string IterationSketch(const report::Report& report);

}  // namespace profgauge::render::html
