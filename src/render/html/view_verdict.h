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

/// The status as sign and word, counts, policy and baseline. Reasons are listed only if no other
/// part of the first screen shows them.
boost::json::object VerdictView(const report::Report& report);

/// {sign, word, name} of a state.
boost::json::object StatusView(report::State state);
/// The id of a rule's finding in the page: "f-gpu-idle" for "gpu/idle". Two rules whose ids differ
/// only in symbols would get the same one.
std::string AnchorOf(std::string_view rule);
/// The run's name, facts, files and lost data. Devices and iterations are always shown, other facts
/// if known. If there are more than kListed files, the others are only counted.
boost::json::object RunView(const report::Report& report);
/// The limits, most severe first. Two limits on one metric at both levels are one row if nothing
/// else differs. Limits that do not apply or were skipped are folded, each with its reason.
///
///   warn  | time per iteration | 1.2 s |
///   error | time per iteration | 1.2 s |   ->  one row, with both limits and one meter
boost::json::object GateView(const report::Report& report);

/// Rules that fired (with those that cannot be evaluated), are waived, or are measured and good;
/// the numbers of others. Findings must be rendered in this order, because a long name is whole
/// only in the first.
boost::json::object FindingsView(const report::Report& report);
/// The other rules: not found, and not judged, with reasons.
boost::json::object SilentRulesView(const report::Report& report);

}  // namespace profgauge::render::html
