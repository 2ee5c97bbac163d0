// Any bytes as JSON or CSV of the accelerators' profilers: XLA's trace, rocprofv3, Ascend.
//
// Checks: nothing crashes, hangs or takes memory that the input does not pay for, and a profile
// that comes out keeps the model's promises (Finish checks them).
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/byte_source.h"
#include "readers/ascend/ascend_reader.h"
#include "readers/rocprofv3/rocprofv3_reader.h"
#include "readers/xla/xla_reader.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"

PROFGAUGE_FUZZ_JSON_OR_LINES

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static const std::unique_ptr<profgauge::readers::Reader> readers[] = {
      profgauge::readers::MakeXlaTraceReader(), profgauge::readers::MakeRocprofv3Reader(),
      profgauge::readers::MakeAscendTraceReader(), profgauge::readers::MakeAscendTableReader()};
  for (const auto& reader : readers) {
    const auto source = profgauge::MakeMemorySource("fuzz", bytes);
    profgauge::readers::ReadOptions options;
    options.allow_incomplete = true;
    options.threads = 1;
    auto profile = reader->Read(*source, options);
    profgauge::fuzz::ValueOf(profile);
  }
  return 0;
}
