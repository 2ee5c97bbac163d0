// The parts that the runs of a page share.
#pragma once

#include <array>
#include <boost/json.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/table.h"
#include "render/html/view.h"
#include "render/shared/looks.h"
#include "report/runs.h"

namespace profgauge::render::html {

/// A row for each run: its verdict, its mean iteration time, and the change against each earlier
/// run, with the id of the comparison ("p1" for the first pair).
boost::json::array RunRowsView(const report::Runs& runs);

/// The breakdown of each run on one scale, and all metrics with a column for each run. Those that
/// differ come first.
boost::json::object TogetherView(const report::Runs& runs);

}  // namespace profgauge::render::html
