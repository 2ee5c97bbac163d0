#include "readers/kineto/pipeline.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/in_order.h"
#include "readers/kineto/mend.h"

namespace profgauge::readers::kineto {

void ParseChunk(Worker& worker, Parsed& parsed) {
  parsed.rows.Clear();
  worker.sink.Begin(parsed.rows);
  parsed.end = worker.parser.Parse(parsed.chunk.text, worker.sink);
  // A cut may be inside an element (a text that looks like one, see FindCut); only at the end of
  // the stream is it sure that nothing follows.
  const bool cut_short = parsed.end.state == ParseEnd::State::kInside && parsed.chunk.last;
  parsed.repaired = cut_short || parsed.end.state == ParseEnd::State::kInvalid;
  if (!parsed.repaired) return;
  parsed.bad_offset = parsed.chunk.OffsetOf(parsed.end.offset);
  parsed.bad_reason = parsed.end.reason;
  parsed.end = RepairChunk(parsed.chunk, worker.parser, worker.sink, parsed.rows);
}

void ParseInOrder(Input& input, Fraction fraction, bool adds_launched, unsigned threads,
                  const std::function<bool(Parsed&)>& take) {
  // Reading bytes and taking rows, one thread at a time each, keep no more than these busy.
  constexpr unsigned kMaxThreads = 8;
  // Workers outlive the merge: rows hold views into their strings.
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < std::clamp(threads, 1U, kMaxThreads); ++i) {
    workers.push_back(std::make_unique<Worker>(fraction, adds_launched));
  }
  bool read_all = false;
  MakeInOrder<Parsed>(
      workers.size(),
      [&](Parsed& parsed) {
        if (read_all) return false;
        NextChunk(input, parsed.chunk);
        read_all = parsed.chunk.last;
        return true;
      },
      [&](std::size_t worker, Parsed& parsed) { ParseChunk(*workers[worker], parsed); }, take);
}

}  // namespace profgauge::readers::kineto
