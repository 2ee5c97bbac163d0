#include "exports/tables/sqlite_tables.h"

#include <fmt/format.h>

#include <new>

#include "base/table.h"
#include "base/text.h"

namespace profgauge::exports {
namespace {

// The affinity of a column. A plain number may be an integer or a real in each row.
std::string_view SqliteType(Unit unit) {
  if (unit == Unit::kNumber) return "NUMERIC";
  switch (CellTypeOf(unit)) {
    case CellType::kInteger:
      return "INTEGER";
    case CellType::kText:
      return "TEXT";
    case CellType::kReal:
      break;
  }
  return "REAL";
}

void BindCell(sqlite3_stmt* statement, int place, const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) {
    sqlite3_bind_int64(statement, place, *integer);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    sqlite3_bind_double(statement, place, *real);
  } else if (IsAbsent(cell)) {
    sqlite3_bind_null(statement, place);
  } else {
    const std::string_view text = TextOf(cell);
    sqlite3_bind_text64(statement, place, text.data() == nullptr ? "" : text.data(), text.size(),
                        SQLITE_STATIC, SQLITE_UTF8);
  }
}

}  // namespace

// The error of the last call. If memory ran out, that is the error, not the output.
Error SqliteTables::Failure() const {
  const int code = sqlite3_errcode(handle_.get());
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  return {ErrorKind::kOutput,
          "output/cannot-write",
          fmt::format("cannot write the database: {}", Printable(sqlite3_errmsg(handle_.get()))),
          {},
          {}};
}

Status SqliteTables::Run(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status() : Fail(Failure());
}

Result<SqliteTables> SqliteTables::Open(const std::string& path) {
  SqliteTables tables;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  tables.handle_.reset(handle);
  if (code != SQLITE_OK) return Fail(tables.Failure());
  // No journal is needed, because the file gets its final name only when it is complete.
  PROFGAUGE_CHECK(tables.Run(fmt::format(
      "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; "
      "PRAGMA temp_store=MEMORY; PRAGMA application_id={}; PRAGMA user_version={}; BEGIN",
      kApplicationId, kVersion)));
  return tables;
}

Status SqliteTables::Create(const std::string& table, const std::vector<SqliteColumn>& columns) {
  std::string definitions;
  for (const SqliteColumn& column : columns) {
    definitions += fmt::format("{}\"{}\" {}", definitions.empty() ? "" : ", ", column.name,
                               SqliteType(column.unit));
  }
  return Run(fmt::format("CREATE TABLE \"{}\" ({})", table, definitions));
}

Status SqliteTables::Into(const std::string& table, const std::vector<SqliteColumn>& columns) {
  std::string places;
  for (std::size_t i = 0; i < columns.size(); ++i) places += i == 0 ? "?" : ", ?";
  sqlite3_stmt* insert = nullptr;
  const std::string sql = fmt::format("INSERT INTO \"{}\" VALUES ({})", table, places);
  const int code = sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &insert, nullptr);
  insert_.reset(insert);
  return code == SQLITE_OK ? Status() : Fail(Failure());
}

Status SqliteTables::Add(std::span<const Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    BindCell(insert_.get(), static_cast<int>(i) + 1, cells[i]);
  }
  const int code = sqlite3_step(insert_.get());
  sqlite3_reset(insert_.get());
  return code == SQLITE_DONE ? Status() : Fail(Failure());
}

Status SqliteTables::Index(const std::string& table, const std::vector<SqliteColumn>& columns) {
  insert_.reset();
  for (const SqliteColumn& column : columns) {
    if (column.name != "id" && !column.name.ends_with("_id")) continue;
    PROFGAUGE_CHECK(
        Run(fmt::format("CREATE INDEX \"{0}_{1}\" ON \"{0}\" (\"{1}\")", table, column.name)));
  }
  return {};
}

Status SqliteTables::Finish() { return Run("COMMIT"); }

}  // namespace profgauge::exports
