// The common view of the page of several runs.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "report/runs.h"

namespace profgauge::render::html {

/// A row for each run: its verdict, its mean iteration, the change against each earlier run with
/// the id of the comparison ("p1" for the first pair).
boost::json::array RunRowsView(const report::Runs& runs);

/// Where an iteration of each run goes, on one scale, and all metrics with a column for each run.
boost::json::object TogetherView(const report::Runs& runs);

}  // namespace profgauge::render::html
