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
// Times are microseconds: since PyTorch 2.4 from `baseTimeNanoseconds`, which may be before or
// after the list; earlier versions count from 1970. Nightlies before PyTorch 1.8 may write the list
// without the object around it; so does the legacy profiler, which is rejected. document.h reads
// the outside, event_parser.h an event, event_sink.h interprets it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/parallel.h"
#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/rows.h"
#include "readers/reader.h"
#include "readers/text/json_copy.h"
#include "readers/text/rename.h"

namespace profgauge::readers {

/// Errors, all kInput: "kineto/truncated", "kineto/goes-on", "kineto/invalid-json",
/// "kineto/no-events", "kineto/bad-times", "kineto/legacy-profiler". A fault in a single event
/// never fails the file: it is repaired or counted.
std::unique_ptr<Reader> MakeKinetoReader();

}  // namespace profgauge::readers

namespace profgauge::readers::kineto {

// Defines a shared copy of a trace, which has only the keys that the reader uses.

/// The reader whose files are copied.
inline constexpr std::string_view kReader = "kineto";

/// The keys to copy, and the copies of their texts. `rename` must outlive it.
JsonKeep KeptKeys(const Rename& rename);

/// True if an argument of an event is a name of code: "Call stack".
bool IsNameArgument(std::string_view key);

}  // namespace profgauge::readers::kineto
namespace profgauge::readers::kineto {

// Parses the chunks of a list with several workers and passes on the rows in the file's order.
//
// Each worker reads (and inflates) a chunk under a lock and parses it without the lock. So reading
// and parsing overlap, and no thread has a fixed role. The result does not depend on the number of
// workers: only the bytes decide where chunks are cut.
//
//   bytes      |-- chunk 0 --|-- chunk 1 --|-- chunk 2 --| ...
//   worker A   read 0  parse 0 ............  take 0  take 1   read 3 ...
//   worker B           read 1  parse 1 ...            read 2  parse 2 ...
//
// Rows are taken in the order of the file, by the worker that completes it. The number of chunks in
// memory is at most twice that of workers.

/// One parsed chunk.
struct alignas(kCacheLinePair) Parsed {
  Chunk chunk;
  Rows rows;
  ParseEnd end;
  bool repaired = false;
  std::uint64_t bad_offset = 0;  ///< Where a repaired chunk is not JSON, in the whole stream.
  std::string bad_reason;
};

/// One worker's parser and its sink.
struct alignas(kCacheLinePair) Worker {
  Worker(Fraction fraction, bool adds_launched) : sink(fraction, adds_launched) {}
  EventParser parser;
  EventSink sink;
};

/// Parses parsed.chunk into parsed.rows. Repairs the chunk if it is invalid JSON, or if it is the
/// last one and ends inside an element. Any other chunk that ends inside an element returns
/// kInside: the caller joins it with the next chunk.
///
///   chunk 3   ..., {"ph": "X", "args": {"x": [{"a": 1},
///   chunk 4   {"ph": 1}]}}, {"ph": "X", ...              `}, {"ph"` was no cut
///   joined    parsed as one, if need be again at doubled lengths; repaired from 64 MB on
void ParseChunk(Worker& worker, Parsed& parsed);

/// Reads `input` to its end, or until `take` returns false. `take` receives every chunk that was
/// read, in order, one at a time, on any thread. After it returned false, it still receives chunks
/// that are being parsed.
void ParseInOrder(Input& input, Fraction fraction, bool adds_launched, unsigned threads,
                  const std::function<bool(Parsed&)>& take);

}  // namespace profgauge::readers::kineto
