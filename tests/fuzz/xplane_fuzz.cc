// Any bytes as an XPlane file, read complete and incomplete.
//
// Held: nothing crashes, hangs or takes memory that the input does not pay for, and a profile that
// comes out keeps the model's promises (Finish checks them).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "base/byte_source.h"
#include "readers/xla/xla_reader.h"
#include "support/wire_mutator.h"

PROFGAUGE_FUZZ_WIRE

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto reader = profgauge::readers::MakeXPlaneReader();
  for (const bool allow_incomplete : {false, true}) {
    const auto source = profgauge::MakeMemorySource("fuzz", bytes);
    profgauge::ReadOptions options;
    options.allow_incomplete = allow_incomplete;
    options.threads = 1;
    const auto profile = reader->Read(*source, options);
    if (!profile && profile.error().kind == profgauge::ErrorKind::kInternal) {
      std::fprintf(stderr, "internal error: %s\n", profile.error().message.c_str());
      std::abort();
    }
  }
  return 0;
}
