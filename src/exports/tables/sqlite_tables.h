// Writes tables into an SQLite database. The same rows give the same bytes.
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

/// Open(), then Create() each table, Into() and Add() its rows, Index(), Finish(). All is one
/// transaction. Add() binds texts without a copy: they must live until it returns.
class SqliteTables {
 public:
  /// "PGAG", for `file` and for us.
  static constexpr std::int64_t kApplicationId = 0x50474147;
  static constexpr int kVersion = 1;

  /// `path`: an empty file. Errors: kOutput.
  static Result<SqliteTables> Open(const std::string& path);
  Status Create(const std::string& table, const std::vector<SqliteColumn>& columns);
  /// Rows that follow go into this table, which was created with these columns.
  Status Into(const std::string& table, const std::vector<SqliteColumn>& columns);
  Status Add(std::span<const Cell> cells);
  /// An index of each column called `id` or `…_id`.
  Status Index(const std::string& table, const std::vector<SqliteColumn>& columns);
  /// All that was added is in the file.
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
