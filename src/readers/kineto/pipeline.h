// Parses the chunks of a list with several workers and hands the results over in the file's order.
//
// Each worker reads (and inflates) a chunk under a lock and parses it outside; so reading
// and parsing overlap, and no thread waits for a fixed role. The result does not depend on the
// number of workers: chunks are cut only by their bytes.
//
//   bytes      |-- chunk 0 --|-- chunk 1 --|-- chunk 2 --| ...
//   worker A   read 0  parse 0 ............  take 0  take 1   read 3 ...
//   worker B           read 1  parse 1 ...            read 2  parse 2 ...
//
// Rows are taken in the order of the file, by whichever worker completes it. At most twice as many
// chunks as workers are in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/parallel.h"
#include "readers/kineto/document.h"
#include "readers/kineto/event_parser.h"
#include "readers/kineto/event_sink.h"
#include "readers/kineto/rows.h"

namespace profgauge::readers::kineto {

/// One parsed chunk.
struct alignas(kCacheLinePair) Parsed {
  Chunk chunk;
  Rows rows;
  ParseEnd end;
  bool repaired = false;
  std::uint64_t bad_offset = 0;  ///< Where a repaired chunk stops being JSON, in the whole stream.
  std::string bad_reason;
};

/// A parser with its sink: one worker's tools.
struct alignas(kCacheLinePair) Worker {
  Worker(Fraction fraction, bool adds_launched) : sink(fraction, adds_launched) {}
  EventParser parser;
  EventSink sink;
};

/// Parses parsed.chunk into parsed.rows; repairs it when it is not valid JSON, or when it is the
/// last and ends inside an element. Another chunk that ends inside an element is left so, with
/// kInside: the caller joins it with the next.
///
///   chunk 3   ..., {"ph": "X", "args": {"x": [{"a": 1},
///   chunk 4   {"ph": 1}]}}, {"ph": "X", ...              `}, {"ph"` was no cut
///   joined    parsed as one, if need be again at doubled lengths; repaired from 64 MB on
void ParseChunk(Worker& worker, Parsed& parsed);

/// Reads `input` to its end, or until `take` returns false. `take` gets every chunk that was read,
/// in order, one at a time, on any thread; after it returned false, chunks already under way
/// follow.
void ParseInOrder(Input& input, Fraction fraction, bool adds_launched, unsigned threads,
                  const std::function<bool(Parsed&)>& take);

}  // namespace profgauge::readers::kineto
