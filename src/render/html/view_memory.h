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

/// The curve and peaks of the allocator for each device, accelerators first. At most eight charts;
/// `more` counts the others.
boost::json::object MemoryView(const report::Report& report);

}  // namespace profgauge::render::html
