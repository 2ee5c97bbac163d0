// The trend page: `history list --html`.
#pragma once

#include <boost/json/object.hpp>
#include <span>
#include <string>

#include "report/runs.h"

namespace profgauge::render {

/// One self-contained page: a chart for each metric, its changes of level as text, and a table of
/// all runs. `trends` has one entry for each branch. REQUIRES: `trends` is not empty.
std::string RenderTrend(std::span<const report::Trend> trends);

namespace html {
/// The view of trend.html.
boost::json::object TrendView(std::span<const report::Trend> trends);
}  // namespace html

}  // namespace profgauge::render
