// Parts of the dashboard's panels.
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

/// A panel without content: all names of the template, empty. Its title uses the terms for the
/// report's devices. Call LeaveEmpty() if there is nothing to show.
boost::json::object MakePanel(const report::Report& report, std::string_view id,
                              std::string_view title);

/// A line of a panel: a color swatch, a label, a number and a remark; each may be empty. The label
/// shows the definition of `metric`, if given, on hover.
boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric = {});

/// Gives an empty panel its reason.
void LeaveEmpty(boost::json::object& panel, std::string_view reason);
bool IsEmptyPanel(const boost::json::object& panel);

}  // namespace profgauge::render::html
