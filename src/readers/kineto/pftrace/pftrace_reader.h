// Reads the binary traces (.pftrace) that PyTorch's profiler writes since 2.14, in Perfetto's
// format. Traces of other programs in that format are recognized by their contents and rejected,
// with the format to record instead.
//
// The packets of PyTorch, in this order:
//
//   ClockSnapshot      the clocks 6 and 1 at the trace's base, both the same number
//   TrackDescriptor    processes, then the threads under them; of no sequence
//   InternedData       one packet with all texts by number; may be longer than the sniffed bytes
//   TrackEvent         groups of slices: all begins, then all ends (decoder.h)
//   GpuRenderStage     kernels, then copies, memsets, annotations: whole, with their length
//   GpuCounter         clocks, power; not read
//
// Unlike JSON of the same run, it has no memory events, no device properties except the compute
// capability, no directions of copies, no occupancy and no links between forward and backward.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors, all kInput: "perfetto/truncated", "perfetto/damaged", "perfetto/too-large",
/// "perfetto/no-events", and "input/perfetto" for other writers. A file that was cut between two
/// packets looks complete.
std::unique_ptr<Reader> MakePftraceReader();

}  // namespace profgauge::readers
