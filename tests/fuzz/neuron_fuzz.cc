// Any bytes as a Neuron file (JSON, summaries, CSV): read complete and incomplete. run_fuzz.cc
// analyzes the profiles.
//
// Checks: rows read directly are those that the JSON parser reads, nothing crashes or hangs, and a
// profile that comes out keeps the model's promises (Finish checks them).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "../unit/readers/neuron_rows_transcript.h"
#include "base/byte_source.h"
#include "readers/neuron/neuron_reader.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"

PROFGAUGE_FUZZ_JSON_OR_LINES

namespace {

using namespace profgauge;

void Read(std::string_view text, bool allow_incomplete) {
  const auto source = MakeMemorySource("fuzz", std::as_bytes(std::span(text)));
  static const auto reader = readers::MakeNeuronReader();
  auto read = reader->ReadRanks(
      *source, {.allow_incomplete = allow_incomplete, .threads = 1, .progress = {}});
  fuzz::ValueOf(read);
}

// Pieces of a size that depends on the bytes, so that rows are cut anywhere.
void CompareRows(std::string_view text) {
  using readers::neuron::Rows;
  using readers::neuron::RowsOf;
  const std::size_t piece = 1 + (text.size() * 7919) % 1500;
  fuzz::Require(RowsOf(text, piece, Rows::kReadDirectly) == RowsOf(text, piece, Rows::kParse),
                "rows read directly are those that are parsed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = profgauge::fuzz::TextOf(data, size);
  CompareRows(text);
  Read(text, false);
  Read(text, true);
  return 0;
}
