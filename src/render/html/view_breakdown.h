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

/// The parts of an iteration: a row for each part, a bar for each rank where these are few enough.
/// Parts that the profile cannot measure have no row, but a reason in `absent`. `known` is false
/// where nothing was measured.
boost::json::object BreakdownView(const report::Report& report);
/// Chart, facts and table of the iterations. The second chart has also those that were not
/// selected. No chart for a single iteration, as it is the breakdown's bar.
boost::json::object IterationsView(const report::Report& report, TablePacker& payload);
/// The iterations' chart as small as a panel.
std::string IterationSketch(const report::Report& report);

}  // namespace profgauge::render::html
