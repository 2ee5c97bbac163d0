// A trimmed Chrome trace of the report's timeline, for ui.perfetto.dev and chrome://tracing.
#pragma once

#include <string>

#include "report/report.h"

namespace profgauge::render {

/// JSON object format: complete events ("X") in microseconds with three decimals, so that no
/// nanosecond is lost; names of processes and threads; a flow from each launching call to its
/// device work; counters. Bounded by the timeline's budget; "otherData" lists the omitted parts.
/// Tracks whose events overlap without nesting are spread over several threads, which Perfetto
/// needs.
std::string RenderChromeTrace(const report::Report& report);

}  // namespace profgauge::render
