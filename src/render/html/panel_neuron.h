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

/// The cards for a NeuronCore's summary. Empty for other devices.
std::vector<boost::json::object> NeuronPanels(const report::Report& report);

}  // namespace profgauge::render::html
