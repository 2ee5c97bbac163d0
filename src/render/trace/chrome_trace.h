// A trimmed Chrome trace of the report's timeline, for ui.perfetto.dev and chrome://tracing.
//
//   process     "GPU 0", or "rank 3 · GPU 0" with several ranks
//     thread    "stream 7"                X events, nested by time
//     thread    "stream 7 (2)"            those that overlap without nesting
//   process     "profgauge findings"      a slice for each row of evidence with a place
//
//   launch call --s--> flow "ac2g" --f--> kernel     and the same `correlation` in both
//
// Names of categories and arguments are those of PyTorch's profiler, so that tools for its traces
// read this one. Format: "Trace Event Format" of the Chromium project.
#pragma once

#include <string>

#include "report/report.h"

namespace profgauge::render {

/// JSON object format: complete events ("X") in microseconds with three decimals, so that no
/// nanosecond is lost; names of processes and threads; a flow from each launching call to its
/// device work; counters. Bounded by the timeline's budget; "otherData" lists the omitted parts.
/// Tracks whose events overlap without nesting are spread over several threads, which Perfetto
/// needs. The critical path is left out. A timeline without events gives a trace without events.
/// REQUIRES: the lanes of the timeline are in the order of their events, without gaps.
std::string RenderChromeTrace(const report::Report& report);

}  // namespace profgauge::render
