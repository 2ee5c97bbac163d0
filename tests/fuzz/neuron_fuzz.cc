// Any bytes as a Neuron file (JSON, summaries, CSV): read complete and incomplete, then analyzed.
//
// Held: nothing crashes or hangs, a profile that comes out keeps the model's promises, and analysis
// takes whatever the reader lets through.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "analysis/analysis.h"
#include "base/byte_source.h"
#include "readers/neuron/neuron_reader.h"
#include "support/json_or_lines.h"

PROFGAUGE_FUZZ_JSON_OR_LINES

namespace {

void Read(std::span<const std::byte> bytes, bool allow_incomplete) {
  const auto source = profgauge::MakeMemorySource("fuzz", bytes);
  const auto reader = profgauge::readers::MakeNeuronReader();
  const auto run = reader->ReadRanks(
      *source, {.allow_incomplete = allow_incomplete, .threads = 1, .progress = {}});
  if (!run && run.error().kind == profgauge::ErrorKind::kInternal) {
    std::fprintf(stderr, "internal error: %s\n", run.error().message.c_str());
    std::abort();
  }
  if (!run) return;
  const auto analysis = profgauge::Analyze(*run, profgauge::Selection{});
  if (!analysis) return;
  for (const profgauge::Table& table : analysis->tables) {
    if (!table.CheckShape()) {
      std::fprintf(stderr, "table %s has columns of different lengths\n", table.id().c_str());
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  Read(bytes, false);
  Read(bytes, true);
  return 0;
}
