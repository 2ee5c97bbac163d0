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

/// The status as sign and word, counts, policy and baseline. The reasons are listed only where no
/// other part of the first screen says them.
boost::json::object VerdictView(const report::Report& report);

/// {sign, word, name}.
boost::json::object StatusView(report::State state);
/// Where a rule's finding is in the page: "f-gpu-idle" for "gpu/idle". Two rules whose ids differ
/// only in other signs would share one.
std::string AnchorOf(std::string_view rule);
/// Name, facts, files and lost data of the run. Devices and iterations are always said, other facts
/// only where the profile states them. At most kListed files are named; the others are counted.
boost::json::object RunView(const report::Report& report);
/// The limits, by weight. Two limits of one metric at both levels are one row where nothing else
/// distinguishes them; limits that do not apply or were skipped fold up, each with its reason.
///
///   warn  | time per iteration | 1.2 s |
///   error | time per iteration | 1.2 s |   ->  one row, with both limits and one meter
boost::json::object GateView(const report::Report& report);

/// All rules in four lists: fired, waived, passed, not applicable. Rules that cannot be evaluated
/// are among the fired ones. A long name is whole where it is first shown: findings are to be drawn
/// in this order.
boost::json::object FindingsView(const report::Report& report);

}  // namespace profgauge::render::html
