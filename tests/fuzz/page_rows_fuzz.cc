// A database with bytes changed: rows of whole numbers, taken from its pages, against SQLite's own
// answer. The input is one byte for the size of pages, then four bytes for each change: three for
// the place and one for the value.
//
// Checks: no crash, no hang; if SQLite finds a database whole, the rows from its pages equal
// SQLite's.
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/database/sqlite_table.h"
#include "support/fuzz.h"
#include "support/temporary_folder.h"

namespace {

using namespace profgauge;

constexpr std::int64_t kFirst = 3, kLast = 260;
const std::vector<std::string> kColumns = {"a", "i", "c", "", "b"};

constexpr const char* kRows =
    "create table t (i integer primary key, a integer, s text, b bigint, r real, c int);"
    "with recursive i(n) as (select 1 union all select n + 1 from i where n < 300) insert into t "
    "select n, n - 2, 'text ' || n, (1 << (n % 63)) - n % 3, n / 7.0, case n % 5 when 0 then null "
    "when 1 then 0 when 2 then 1 else -(1 << (n % 63)) end from i;"
    "delete from t where a > 280;";

std::string MakeDatabase(const fuzz::TemporaryFolder& folder, int page_size) {
  const std::string path = folder.path() + "/made" + std::to_string(page_size) + ".sqlite";
  auto database = sqlite::Database::Open(path, sqlite::Mode::kReadWrite, ErrorKind::kInternal);
  fuzz::Require(database.has_value(), "a database is made");
  const std::string sql = "pragma page_size = " + std::to_string(page_size) + "; begin;" + kRows;
  fuzz::Require(database->Execute(sql + "; commit").has_value(), "it has rows");
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Rows = std::vector<std::optional<std::int64_t>>;

std::optional<Rows> FromPages(sqlite::Database& database) {
  const auto table = readers::FindPlainTable(database, "t", kColumns);
  if (!table) return std::nullopt;
  readers::PageRows pages(*table);
  readers::Cells cells;
  cells.Clear(kColumns.size());
  if (!pages.Read(kFirst, kLast, cells)) return std::nullopt;
  Rows rows;
  for (std::size_t row = 0; row < cells.rows(); ++row) {
    for (std::size_t column = 0; column < kColumns.size(); ++column) {
      const bool is_set = cells.IsSet(row, column);
      rows.push_back(is_set ? std::optional(cells.Integer(row, column)) : std::nullopt);
    }
  }
  return rows;
}

std::optional<Rows> FromSqlite(sqlite::Database& database) {
  auto statement = database.Prepare("select a, i, c, null, b from t where _rowid_ between ? and ?");
  if (!statement) return std::nullopt;
  statement->Bind(1, kFirst).Bind(2, kLast);
  Rows rows;
  for (;;) {
    const auto more = statement->Step();
    if (!more) return std::nullopt;
    if (!*more) return rows;
    for (int column = 0; column < statement->Columns(); ++column) {
      const bool is_set = !statement->IsNull(column);
      rows.push_back(is_set ? std::optional(statement->Integer(column)) : std::nullopt);
    }
  }
}

// For a damaged one, SQLite itself may give other answers from time to time.
bool IsWhole(sqlite::Database& database) {
  auto statement = database.Prepare("pragma integrity_check(1)");
  if (!statement) return false;
  const auto found = statement->Step();
  return found && *found && statement->Text(0) == "ok";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder folder;
  static const std::array<std::string, 2> made = {MakeDatabase(folder, 512),
                                                  MakeDatabase(folder, 4096)};
  if (size == 0) return 0;
  std::string bytes = made[data[0] % made.size()];
  for (std::size_t i = 1; i + 4 <= size; i += 4) {
    const std::size_t at = std::size_t{data[i]} << 16 | std::size_t{data[i + 1]} << 8 | data[i + 2];
    bytes[at % bytes.size()] = static_cast<char>(data[i + 3]);
  }
  const std::string path = folder.Write("read.sqlite", bytes);
  auto database = sqlite::Database::Open(path, sqlite::Mode::kImmutable, ErrorKind::kInput);
  if (!database) return 0;
  const auto taken = FromPages(*database);
  // Readers ask SQLite where rows are missing.
  constexpr auto kAll = static_cast<std::size_t>(kLast - kFirst + 1);
  if (!taken || taken->size() < kAll * kColumns.size()) return 0;
  fuzz::Require(taken == FromSqlite(*database) || !IsWhole(*database),
                "rows from pages are SQLite's");
  return 0;
}
