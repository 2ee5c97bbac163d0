// Any bytes as a Neuron file (JSON, summaries, CSV): read complete and incomplete, then analyzed.
//
// Held: rows read directly are those that the JSON parser reads, nothing crashes or hangs, a
// profile that comes out keeps the model's promises, and analysis takes whatever the reader lets
// through.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "../unit/readers/neuron_rows_transcript.h"
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

// Pieces of a size that depends on the bytes, so that rows are cut anywhere.
void CompareRows(std::string_view text) {
  using profgauge::readers::neuron::Rows;
  using profgauge::readers::neuron::RowsOf;
  const std::size_t piece = 1 + (text.size() * 7919) % 1500;
  if (RowsOf(text, piece, Rows::kReadDirectly) != RowsOf(text, piece, Rows::kParse)) {
    std::fprintf(stderr, "rows read directly differ\n");
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  CompareRows({reinterpret_cast<const char*>(data), size});
  Read(bytes, false);
  Read(bytes, true);
  return 0;
}
