// Profiles of XLA, which JAX, TensorFlow and PyTorch/XLA write into plugins/profile/<time>/.
//
//   - `<host>.xplane.pb`, complete: readers/xla/xplane.h;
//   - `<host>.trace.json.gz` (perfetto_trace.json.gz of JAX too), the same events without the
//     properties of the devices, cut off after the first million.
//
// Both go through one Timeline, so that a run gives the same rows from either, as far as both have
// them:
//
//   .xplane.pb      ReadXSpace, ReadPlane   ┐
//                                           ├ Timeline: MakeTrack, Add, Finish ── ProfileBuilder
//   .trace.json.gz  ReadJsonRows, TraceRows ┘
//
// trace.json has the events of the planes as Chrome's: a process is a plane, a thread a line.
//
//   {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
//   {"ph": "M", "pid": 1, "tid": 16, "name": "thread_name",
//    "args": {"name": "Stream #16(Kernel)"}},
//   {"ph": "X", "pid": 1, "tid": 16, "ts": 10.5, "dur": 3.25, "name": "gemm_fusion",
//    "args": {"hlo_op": "dot.3", "hlo_module": "jit_f", "correlation_id": "42", ...}},
//   {}
//
// All arguments are texts, times count from the start of the session, and the last element is
// empty.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// The file is read as a whole, since planes may refer to texts that come later: memory of its
/// size. Errors, all kInput: "xla/truncated", "xla/malformed", "xla/goes-on", "xla/too-large",
/// "xla/no-events". The latest profile of a log folder is read.
std::unique_ptr<Reader> MakeXPlaneReader();
/// A trace.json beside its `.xplane.pb` is left out (FullerThan).
std::unique_ptr<Reader> MakeXlaTraceReader();

}  // namespace profgauge::readers
