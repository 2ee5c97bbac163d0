// The parts that the dashboard's panels are made of.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "render/html/view.h"

namespace profgauge::render::html {

/// A panel without content; its title is in the words of the report's devices.
boost::json::object MakePanel(const report::Report& report, std::string_view id,
                              std::string_view title);

/// A line of a panel: a swatch of color, a label, a number and a remark; each may be empty. The
/// definition of `metric`, if it is one, is shown where the reader points at the label.
boost::json::object PanelRow(std::string swatch, std::string_view label, boost::json::object number,
                             std::string_view about, std::string_view metric = {});

/// A panel that has nothing to show, with why.
void LeaveEmpty(boost::json::object& panel, std::string_view reason);
bool IsEmptyPanel(const boost::json::object& panel);

boost::json::object TopOpsPanel(const report::Report& report);
boost::json::object TopHostOpsPanel(const report::Report& report);
boost::json::object SystemPanel(const report::Report& report);
boost::json::object GuidancePanel(const report::Report& report);
/// The cards of a NeuronCore's summary; none for other devices.
std::vector<boost::json::object> NeuronPanels(const report::Report& report);

}  // namespace profgauge::render::html
