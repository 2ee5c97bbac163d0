#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rich_text.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// A picture for the first screen: the slowest and a typical iteration on one axis, with the events
/// that the plan's findings cite. Empty if there is no timeline.
boost::json::object StripView(const report::Report& report);

}  // namespace profgauge::render::html
