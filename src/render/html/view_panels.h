// The parts that the dashboard's panels are made of.
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

/// A panel without content: every name that the template asks for, all empty. Its title is in the
/// words of the report's devices. LeaveEmpty() where there is nothing to fill in.
boost::json::object MakePanel(const report::Report& report, std::string_view id,
                              std::string_view title);

/// A line of a panel: a swatch of color, a label, a number and a remark; each may be empty. The
/// definition of `metric`, if it is one, is shown where the reader points at the label.
boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric = {});

/// A panel that has nothing to show, with why.
void LeaveEmpty(boost::json::object& panel, std::string_view reason);
bool IsEmptyPanel(const boost::json::object& panel);

}  // namespace profgauge::render::html
