// Reads XLA's profiles, which JAX, TensorFlow and PyTorch/XLA write into plugins/profile/<time>/.
//
//   - `<host>.xplane.pb`: complete; see readers/xla/xplane.h;
//   - `<host>.trace.json.gz` (JAX: also perfetto_trace.json.gz): the same events without the
//     properties of the devices, cut off after the first million.
//
// One Timeline reads both, so both files of a run give the same rows, as far as both have the data:
//
//   .xplane.pb      ReadXSpace, ReadPlane   ┐
//                                           ├ Timeline: MakeTrack, Add, Finish ── ProfileBuilder
//   .trace.json.gz  ReadJsonRows, TraceRows ┘
//
// trace.json has the planes' events in Chrome's format: a process is a plane, a thread a line.
//
//   {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}},
//   {"ph": "M", "pid": 1, "tid": 16, "name": "thread_name",
//    "args": {"name": "Stream #16(Kernel)"}},
//   {"ph": "X", "pid": 1, "tid": 16, "ts": 10.5, "dur": 3.25, "name": "gemm_fusion",
//    "args": {"hlo_op": "dot.3", "hlo_module": "jit_f", "correlation_id": "42", ...}},
//   {}
//
// All arguments are texts; times count from the start of the session; the last element is empty.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Makes the reader of .xplane.pb files. It reads the whole file into memory, because planes may
/// refer to later texts. In a log folder, it reads the latest profile. Errors, all kInput:
/// "xla/truncated", "xla/malformed", "xla/goes-on", "xla/too-large", "xla/no-events".
std::unique_ptr<Reader> MakeXPlaneReader();
/// Makes the reader of trace.json files; one beside its `.xplane.pb` is not read (FullerThan).
std::unique_ptr<Reader> MakeXlaTraceReader();

}  // namespace profgauge::readers
