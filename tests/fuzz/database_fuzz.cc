// Databases of Nsight Systems, NVProf and DLProf: the input chooses the tables, the columns and the
// cells (support/table_text.h).
//
// Checks: no crash, no hang, no memory that the input does not pay for; every refusal has a reason;
// the same database gives the same profile; and a resulting profile keeps the model's promises
// (Finish checks them).
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "readers/builtin.h"
#include "readers/database/sqlite_table.h"
#include "support/fuzz.h"
#include "support/known_tables.h"
#include "support/line_mutator.h"
#include "support/plain_tables.h"

PROFGAUGE_FUZZ_LINES('|', profgauge::fuzz::kKnownTables)

namespace {

using namespace profgauge;

std::set<std::string> TablesOf(const fuzz::ReadTables&) {
  auto database =
      sqlite::Database::Open(fuzz::kDatabaseName, sqlite::Mode::kImmutable, ErrorKind::kInput);
  fuzz::Require(database.has_value(), "the database opens again");
  auto tables = readers::TableNames(*database);
  return tables ? *tables : std::set<std::string>();
}

std::string Told(const profgauge::readers::Reader& reader) {
  const auto source = MakeMemorySource(fuzz::kDatabaseName, {});
  auto profile = reader.Read(*source, {.threads = 1, .progress = {}});
  const Profile* read = fuzz::ValueOf(profile);
  if (read == nullptr) return profile.error().code + profile.error().message;
  std::string text = std::to_string(read->last) + " " + std::to_string(read->api.size());
  for (const auto name : read->host.name) text.append(read->Name(name)) += '\n';
  for (const auto name : read->device.name) text.append(read->Name(name)) += '\n';
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::TextOf(data, size);
  const fuzz::ReadTables database(text);
  const std::set<std::string> tables = TablesOf(database);
  for (const auto& reader : profgauge::readers::BuiltinReaders()) {
    if (const auto refused = reader->RefuseTables(fuzz::kDatabaseName, tables)) {
      fuzz::RequireReason(*refused);
    }
    if (reader->SniffTables(tables) == profgauge::readers::Match::kNo) continue;
    const std::string told = Told(*reader);
    if (!fuzz::IsSampled(text, 16)) continue;
    fuzz::Require(Told(*reader) == told, "the same database, the same profile");
  }
  return 0;
}
