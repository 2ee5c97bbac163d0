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

boost::json::object TopOpsPanel(const report::Report& report);
boost::json::object TopHostOpsPanel(const report::Report& report);
boost::json::object SystemPanel(const report::Report& report);
boost::json::object GuidancePanel(const report::Report& report);

}  // namespace profgauge::render::html
