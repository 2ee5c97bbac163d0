// Any bytes as a Perfetto trace, read complete and incomplete.
//
// Checks: nothing crashes, hangs or takes memory that the input does not pay for, and a profile
// that comes out keeps the model's promises (Finish checks them).
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/byte_source.h"
#include "readers/kineto/pftrace/pftrace_reader.h"
#include "support/fuzz.h"
#include "support/wire_mutator.h"

PROFGAUGE_FUZZ_WIRE

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLongest = std::size_t{64} << 10;
  if (size > kLongest) return 0;
  const auto bytes = std::as_bytes(std::span(data, size));
  static const auto reader = profgauge::readers::MakePftraceReader();
  reader->Sniff(bytes);
  for (const bool allow_incomplete : {false, true}) {
    const auto source = profgauge::MakeMemorySource("fuzz", bytes);
    profgauge::readers::ReadOptions options;
    options.allow_incomplete = allow_incomplete;
    options.threads = 1;
    auto profile = reader->Read(*source, options);
    profgauge::fuzz::ValueOf(profile);
  }
  return 0;
}
