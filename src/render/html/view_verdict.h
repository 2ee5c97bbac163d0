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

/// The status as sign and word, counts, policy and baseline. Reasons are listed only if the first
/// screen does not show them elsewhere.
boost::json::object VerdictView(const report::Report& report);

/// {sign, word, name}.
boost::json::object StatusView(report::State state);
/// The id of a rule's finding in the page: "f-gpu-idle" for "gpu/idle". Rules whose ids differ only
/// in symbols would share one.
std::string AnchorOf(std::string_view rule);
/// Name, facts, files and lost data of the run. Devices and iterations are always shown, other
/// facts if known. At most kListed files are named; the others are counted.
boost::json::object RunView(const report::Report& report);
/// The limits by weight. Two limits on one metric at both levels are one row if nothing else
/// differs. Limits that do not apply or were skipped are folded, each with its reason.
///
///   warn  | time per iteration | 1.2 s |
///   error | time per iteration | 1.2 s |   ->  one row, with both limits and one meter
boost::json::object GateView(const report::Report& report);

/// All rules in four lists: fired (with rules that cannot be evaluated), waived, passed, not
/// applicable. A long name is whole only where it is first shown, so findings must be rendered in
/// this order.
boost::json::object FindingsView(const report::Report& report);

}  // namespace profgauge::render::html
