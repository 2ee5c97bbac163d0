// Any bytes as a profile of whatever format they look like: read by the reader that they are for
// and, of a sample, the whole way to the report, which takes some 500 times as long. Databases are
// text (support/table_text.h), summaries whole files, all else bytes.
//
// Checks: every refusal has a reason; for the sample also the list of support/run_check.h.
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "readers/builtin.h"
#include "readers/database/sqlite_table.h"
#include "support/fuzz.h"
#include "support/json_or_lines.h"
#include "support/known_tables.h"
#include "support/run_check.h"
#include "support/table_text.h"

namespace {

using namespace profgauge;

const profgauge::readers::Reader* ReaderOfTables() {
  auto database =
      sqlite::Database::Open(fuzz::kDatabaseName, sqlite::Mode::kImmutable, ErrorKind::kInput);
  const auto tables = readers::TableNames(*database);
  if (!tables) return nullptr;
  for (const auto& reader : profgauge::readers::BuiltinReaders()) {
    if (reader->SniffTables(*tables) != profgauge::readers::Match::kNo) return reader.get();
  }
  return nullptr;
}

const profgauge::readers::Reader* ReaderOfBytes(std::span<const std::byte> bytes) {
  const profgauge::readers::Reader* best = nullptr;
  profgauge::readers::Match best_match = profgauge::readers::Match::kNo;
  for (const auto& reader : profgauge::readers::BuiltinReaders()) {
    const profgauge::readers::Match match =
        reader->Sniff(bytes.first(std::min(bytes.size(), profgauge::readers::kSniffBytes)));
    if (match > best_match) best = reader.get(), best_match = match;
  }
  return best;
}

void ReadAndCheck(const profgauge::readers::Reader* reader, std::span<const std::byte> bytes,
                  bool is_whole) {
  if (reader == nullptr) return;
  const auto source = MakeMemorySource(fuzz::kDatabaseName, bytes);
  auto read = reader->ReadRanks(*source, {.allow_incomplete = true, .threads = 1, .progress = {}});
  auto* ranks = fuzz::ValueOf(read);
  if (ranks != nullptr && is_whole) fuzz::CheckRun(std::move(*ranks));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::string_view text = fuzz::TextOf(data, size);
  if (fuzz::LooksLikeTables(text)) {
    return fuzz::MutateLines(data, size, max_size, seed, '|', fuzz::kKnownTables);
  }
  return fuzz::MutateJsonOrLines(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const bool is_whole = fuzz::IsSampled(text, 1000);
  if (fuzz::LooksLikeTables(text)) {
    const fuzz::MemoryDatabase database(text);
    ReadAndCheck(ReaderOfTables(), {}, is_whole);
  } else {
    const auto bytes = std::as_bytes(std::span(data, size));
    ReadAndCheck(ReaderOfBytes(bytes), bytes, is_whole);
  }
  return 0;
}
