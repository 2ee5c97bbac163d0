#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "model/profile.h"
#include "report/report.h"
#include "report/timeline_tracks.h"

namespace profgauge::report {

/// Selects the kept events. `around` are spans of time, most important first. A span is kept whole
/// if it and the earlier ones fit into half of the budget that remains after device events:
///
///     budget 300 000    device events 120 000: all kept        rest 180 000
///                       host events near findings, at most      90 000, the weightiest spans first
///                       the longest other host events           up to the rest
TimelineCut CutTimeline(const Profile& profile, std::size_t budget,
                        const std::vector<Span>& around);

/// "412 000 host events shorter than 3 µs"; empty if all events were kept.
std::string LeftOutText(const std::vector<TimelineCut>& cuts);

/// Returns spans around the evidence of findings for this rank, if it has times: the time of the
/// evidence, and the length of a typical iteration on either side.
std::vector<Span> SpansAroundFindings(const Report& report, std::int64_t rank);

}  // namespace profgauge::report
