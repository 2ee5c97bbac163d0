// Reads the JSON traces that PyTorch's profiler (Kineto) writes, of every version since 2020.
//
// {
//   "schemaVersion": 1,
//   "deviceProperties": [{"id": 0, "name": "NVIDIA H100", "numSms": 132, ...}],
//   "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8, "pg_config": [...]},
//   "traceEvents": [
//     {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 812, "tid": 812,
//      "ts": 10.5, "dur": 20.0, "args": {"External id": 7, "Input Dims": [[4, 8], [8, 4]]}},
//     {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 812, "tid": 812,
//      "ts": 15.0, "dur": 3.0, "args": {"External id": 7, "correlation": 42}},
//     {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7,
//      "ts": 30.0, "dur": 9.0, "args": {"device": 0, "stream": 7, "correlation": 42, ...}},
//     {"ph": "M", "name": "process_name", "pid": 812, "tid": 0, "args": {"name": "python"}}
//   ],
//   "traceName": "...", "displayTimeUnit": "ms", "baseTimeNanoseconds": 1700000000000000000
// }
//
// Times are microseconds; since PyTorch 2.4 from `baseTimeNanoseconds`, which may be on either side
// of the list, before from 1970. Nightlies before PyTorch 1.8 may write the list without the object
// around it; so does the legacy profiler, which is refused. Where the parts are read: document.h
// the outside, event_parser.h an event, event_sink.h its meaning.
#pragma once

#include <memory>
#include <string_view>

#include "readers/reader.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// Its errors: "kineto/truncated", "kineto/goes-on", "kineto/invalid-json", "kineto/no-events",
/// "kineto/bad-times", "kineto/legacy-profiler", all kInput. A fault of a
/// single event is repaired or counted, and fails nothing.
std::unique_ptr<Reader> MakeKinetoReader();

}  // namespace profgauge::readers

namespace profgauge::readers::kineto {

// The contents of a shared copy of a trace: the keys that the reader takes.

/// Of the reader whose files are copied.
inline constexpr std::string_view kReader = "kineto";

/// The keys to copy, and the copies of their texts. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// Whether the text of an argument of an event is a name of code: "Call stack".
bool IsNameArgument(std::string_view key);

}  // namespace profgauge::readers::kineto
