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

/// The main number, the diagnosis, an iteration now, the plan as a waterfall (or else what to do),
/// a line about the profile. Has all steps of a plan, but at most kFirstSteps limits and findings.
boost::json::object FirstView(const report::Report& report);
/// The color of a part of an iteration. It is strong for the cause that the headline names.
Paint PaintIn(const report::Report& report, Category category);
/// True if the first screen shows something to do.
bool HasFirstRows(const report::Report& report);

}  // namespace profgauge::render::html
