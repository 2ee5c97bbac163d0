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
#include "render/html/view.h"
#include "render/shared/change.h"
#include "render/shared/columns.h"
#include "render/shared/looks.h"
#include "report/report.h"

namespace profgauge::render::html {

/// The change against the baseline. If there is none, `known` is false and the lists are empty.
boost::json::object ComparisonView(const report::Report& report,
                                   const ComparisonLimits& limits = {});

}  // namespace profgauge::render::html
