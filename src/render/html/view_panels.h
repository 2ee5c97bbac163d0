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

/// A panel without content: all names of the template are empty. Its title uses the words for the
/// report's devices. If there is nothing to show, call LeaveEmpty().
boost::json::object MakePanel(const report::Report& report, std::string_view id,
                              std::string_view title);

/// A line of a panel: a color swatch, a label, a number and a remark, of which each may be empty.
/// If `metric` is given, its definition appears when a pointer is on the label.
boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric = {});

/// Sets the reason why the panel is empty.
void LeaveEmpty(boost::json::object& panel, std::string_view reason);
bool IsEmptyPanel(const boost::json::object& panel);

}  // namespace profgauge::render::html
