// The tables of a profile, in an SQLite database or in a folder of Parquet files of the same names.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/sqlite.h"
#include "readers/parquet/table.h"

namespace profgauge::readers {

/// Tables by their names.
using ParquetTables = std::map<std::string, parquet::Table, std::less<>>;

/// Where TableScan finds a table. Its parts outlive it.
class Tables {
 public:
  Tables(sqlite::Database& database) : from_(&database) {}  // NOLINT: both are tables.
  Tables(const ParquetTables& tables) : from_(&tables) {}   // NOLINT

  sqlite::Database* database() const {
    const auto* database = std::get_if<sqlite::Database*>(&from_);
    return database == nullptr ? nullptr : *database;
  }
  /// REQUIRES: database() is nullptr.
  const ParquetTables& parquet() const { return *std::get<const ParquetTables*>(from_); }

 private:
  std::variant<sqlite::Database*, const ParquetTables*> from_;
};

}  // namespace profgauge::readers
