// The tables of a profile, in an SQLite database or in a folder of Parquet files of the same names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "base/sqlite.h"
#include "base/whole.h"
#include "model/profile_builder.h"
#include "readers/database/cells.h"
#include "readers/database/page_rows.h"
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

// Tables of profiles in SQLite or Parquet, read by the columns they have: exporters add, drop and
// rename columns between versions, so a reader names the columns it wants and learns which exist.

/// A wanted column: its names, newest first. All columns are optional here; whoever cannot do
/// without one asks Has().
///
///   PROFGAUGE_TRY(auto scan, TableScan::Open(tables, "WORK", {{{"start"}}, {{"end", "stop"}}}));
///   PROFGAUGE_CHECK(scan.ForEach([&] { Use(scan.Integer(0), scan.Integer(1, -1)); }));
///
/// Column 1 is "end", or "stop" where a version calls it so.
struct Wanted {
  std::initializer_list<const char*> names;
};

/// Restricts rows to those with one of these numbers in the column. All if it is
/// empty. In Parquet it must be a wanted one.
struct Only {
  std::string_view column;
  std::vector<std::int64_t> numbers;
};

/// The rowids of a table.
struct Rowids {
  std::int64_t first = 0;
  std::uint64_t count = 0;  ///< Up to the last, with those that are missing between.
  std::uint64_t rows_at_most = 0;
};

/// One pass over a table, in the order of rowids or, of Parquet, of the file. Columns are numbered
/// as wanted.
class TableScan {
 public:
  /// A table that does not exist is an empty one without columns; views and virtual tables, which
  /// exporters never write, count as none: they could be programs. REQUIRES: the tables outlive the
  /// scan.
  static Result<TableScan> Open(Tables tables, const std::string& table,
                                std::initializer_list<Wanted> wanted, const Only& only = {}) {
    return OpenColumns(tables, table, std::span(wanted.begin(), wanted.size()), only);
  }
  static Result<TableScan> OpenColumns(Tables tables, const std::string& table,
                                       std::span<const Wanted> wanted, const Only& only = {});

  bool exists() const { return exists_; }
  bool Has(std::size_t column) const { return exists_ && present_[column]; }
  /// How many rows there may be, of a table that is long; else 0. For making room.
  /// Bounded by the bytes of the file: a damaged rowid cannot ask for memory.
  std::uint64_t RowsAtMost() const {
    return parquet_ ? parquet_->rows_at_most : rowids_ ? rowids_->rows_at_most : 0;
  }
  /// Goes to the next row; false after the last. Errors: kInput, of SQLite or of Parquet.
  Result<bool> Next();
  /// Calls `take()` at each row. Long tables are read by several threads; `take` is called by one
  /// at a time, in rowid order, which need not be this one.
  /// REQUIRES: no call of Next() before.
  template <class Take>
  Status ForEach(Take take) {
    return ForEachBlock([&] {
      for (row_ = 0; row_ < cells_->rows(); ++row_) {
        if (!printed_.empty()) printed_.clear();
        take();
      }
    });
  }

  /// Whether this row has a value there.
  bool IsSet(std::size_t column) const { return cells_ != nullptr && cells_->IsSet(row_, column); }
  /// A cell that is not set gives `otherwise`. A text gives the number that it begins with, or 0.
  std::int64_t Integer(std::size_t column, std::int64_t otherwise = 0) const {
    return IsSet(column) ? cells_->Integer(row_, column) : otherwise;
  }
  /// A number of 32 bits; `otherwise` also where it does not fit.
  std::int32_t Small(std::size_t column, std::int32_t otherwise) const {
    return Narrow(Integer(column, otherwise), otherwise);
  }
  double Real(std::size_t column, double otherwise = 0) const {
    return IsSet(column) ? cells_->Real(row_, column) : otherwise;
  }
  /// Valid while the scan is at this row.
  /// A number as SQLite prints it; empty for a cell that is not set.
  std::string_view Text(std::size_t column) const;

 private:
  /// Rows of a Parquet file, block by block.
  struct OfParquet {
    parquet::RowBlocks blocks;
    std::vector<std::optional<std::size_t>> columns;  ///< Which of the blocks' a wanted one is.
    std::uint64_t rows_at_most = 0;
    std::optional<std::size_t> filtered;  ///< The wanted column that `only` names.
    std::vector<std::int64_t> only;
  };

  static Result<TableScan> OpenSqlite(sqlite::Database& database, const std::string& table,
                                      std::span<const Wanted> wanted, const Only& only);
  static Result<TableScan> OpenParquet(const ParquetTables& tables, const std::string& table,
                                       std::span<const Wanted> wanted, const Only& only);
  /// Calls `take` whenever cells_ are the next rows.
  Status ForEachBlock(const std::function<void()>& take);
  Status ReadRowids(const std::function<void()>& take);
  /// Puts the next rows of Parquet into own_; false after the last.
  Result<bool> NextParquetBlock();
  Result<bool> NextParquetRow();

  bool exists_ = false;
  std::vector<bool> present_;
  sqlite::Database* database_ = nullptr;
  std::optional<Rowids> rowids_;     ///< Row ids of a long table.
  std::optional<PlainTable> plain_;  ///< Where all is read, and its columns are plain.
  std::string columns_, rest_;  ///< Parts of the statement: the selected columns, and the rest.
  std::optional<sqlite::Statement> statement_;
  std::optional<OfParquet> parquet_;
  Cells own_;
  const Cells* cells_ = nullptr;  ///< Nothing before the first row and after the last.
  std::size_t row_ = 0;
  mutable std::deque<std::string> printed_;  ///< Numbers of this row that were asked as text.
};

/// Names of all tables; not of views, which are not read.
Result<std::set<std::string>> TableNames(sqlite::Database& database);

// Opening a profile that is an SQLite database.

/// The first bytes of every SQLite file.
bool IsSqlite(std::string_view head);

/// That the file is as long as it says. Errors: kInput "sqlite/truncated".
/// Only where the head's count of pages is valid, and no log is beside the file. O(1).
Status CheckWhole(const std::string& path);

/// Whether a journal is beside the database that its writer did not finish: pages of before and
/// and after are mixed in the file, without any error.
bool HasHotJournal(const std::string& path);

/// Reads the file through once for its size and hash, then opens it: read-only and immutable, or,
/// when a write-ahead log is beside it, read-only with that log, which is counted as a warning.
/// Fills builder.source(): of NVIDIA's devices. Errors: kInput.
Result<sqlite::Database> OpenDatabase(ByteSource& source, std::string_view format,
                                      std::string_view dialect, ProfileBuilder& builder);

}  // namespace profgauge::readers
