// The trend page: `history list --html`.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "report/runs.h"

namespace profgauge::render {

/// One self-contained page: for each metric a chart, its changes of level in words, and a table of
/// all runs.
std::string RenderTrend(const report::Trend& trend);

namespace html {
/// The view of trend.html.
boost::json::object TrendView(const report::Trend& trend);
}  // namespace html

}  // namespace profgauge::render
