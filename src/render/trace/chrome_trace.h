// A Chrome trace of the report's timeline, for ui.perfetto.dev and chrome://tracing.
//
//   process     "GPU 0", or "rank 3 · GPU 0" with several ranks
//     thread    "stream 7"                X events, nested by time
//     thread    "stream 7 (2)"            events that overlap without nesting
//   process     "profgauge findings"      a slice for each row of evidence with a place
//
//   launch call --s--> flow "ac2g" --f--> kernel     and the same `correlation` in both
//
// Categories and arguments have the names of PyTorch's profiler, so tools for its traces can read
// this one. Format: "Trace Event Format" of the Chromium project.
#pragma once

#include <string>

#include "report/report.h"

namespace profgauge::render {

/// JSON object format: complete events ("X") in microseconds with three decimals, which keep
/// nanoseconds; names of processes and threads; a flow from each launching call to its device work;
/// counters. The timeline's limit bounds the size; "otherData" lists omitted parts. A track whose
/// events overlap without nesting becomes several threads, as Perfetto needs. The critical path is
/// omitted. If the timeline has no events, the trace has none.
/// REQUIRES: the lanes of the timeline are in the order of their events, without gaps.
std::string RenderChromeTrace(const report::Report& report);

}  // namespace profgauge::render
