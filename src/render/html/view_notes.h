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

/// Environment, import log, definitions, provenance, absent tables, remarks.
boost::json::object NotesView(const report::Report& report);
/// Rules that were silent, all metrics with their definitions, and absent ones by reason. It is the
/// view of packed.html, which NotesView() packs.
boost::json::object PackedView(const report::Report& report);

}  // namespace profgauge::render::html
