// Writes tables to an SQLite database. Equal rows give equal bytes.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "base/value.h"
#include "profgauge/error.h"

namespace profgauge::exports {

struct SqliteColumn {
  std::string name;
  Unit unit = Unit::kText;
};

/// Usage: Open(); Create() for each table; Into() and Add() for its rows; Index(); Finish(). All
/// calls form one transaction. Add() copies no texts, so they must live until it returns.
class SqliteTables {
 public:
  /// "PGAG", by which the tool `file` and we recognize our files.
  static constexpr std::int64_t kApplicationId = 0x50474147;
  static constexpr int kVersion = 1;

  /// Opens the file at `path`, which must be empty. Errors: kOutput.
  static Result<SqliteTables> Open(const std::string& path);
  Status Create(const std::string& table, const std::vector<SqliteColumn>& columns);
  /// Selects the table that Add() fills from now on. It must have been created with these columns.
  Status Into(const std::string& table, const std::vector<SqliteColumn>& columns);
  Status Add(std::span<const Cell> cells);
  /// Creates an index for each column named `id` or `…_id`.
  Status Index(const std::string& table, const std::vector<SqliteColumn>& columns);
  /// Commits: afterwards, all rows are in the file.
  Status Finish();

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Status Run(const std::string& sql);
  Error Failure() const;

  std::unique_ptr<sqlite3, Closer> handle_;
  std::unique_ptr<sqlite3_stmt, Finalizer> insert_;
};

}  // namespace profgauge::exports
