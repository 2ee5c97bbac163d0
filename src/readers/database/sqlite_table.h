// Tables of profiles in SQLite, read by what is there: exporters add, drop and rename columns from
// version to version, so a reader names what it wants and learns what it got.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"
#include "readers/database/cells.h"
#include "readers/database/page_rows.h"

namespace profgauge::readers {

/// A wanted column: its names, newest first. All columns are optional here; whoever cannot do
/// without one asks Has().
struct Wanted {
  std::initializer_list<const char*> names;
};

/// The rowids of a table.
struct Rowids {
  std::int64_t first = 0;
  std::uint64_t count = 0;  ///< Up to the last, with those that are missing between.
  std::uint64_t rows_at_most = 0;
};

/// One pass over a table, in rowid order. Columns are numbered as wanted.
class TableScan {
 public:
  /// A table that does not exist is an empty one without columns; views and virtual tables, which
  /// exporters never write, count as none: they could be programs. `filter` is SQL of ours, or
  /// empty.
  static Result<TableScan> Open(sqlite::Database& database, const std::string& table,
                                std::initializer_list<Wanted> wanted, std::string_view filter = "");

  bool exists() const { return exists_; }
  bool Has(std::size_t column) const { return exists_ && present_[column]; }
  /// How many rows there may be, of a table that is long; else 0. For making room.
  std::uint64_t RowsAtMost() const { return rowids_ ? rowids_->rows_at_most : 0; }
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
  std::int64_t Integer(std::size_t column, std::int64_t otherwise = 0) const {
    return IsSet(column) ? cells_->Integer(row_, column) : otherwise;
  }
  double Real(std::size_t column, double otherwise = 0) const {
    return IsSet(column) ? cells_->Real(row_, column) : otherwise;
  }
  /// Valid while the scan is at this row.
  std::string_view Text(std::size_t column) const;

 private:
  /// Calls `take` whenever cells_ are the next rows.
  Status ForEachBlock(const std::function<void()>& take);
  Status ReadRowids(const std::function<void()>& take);

  bool exists_ = false;
  std::vector<bool> present_;
  sqlite::Database* database_ = nullptr;
  std::optional<Rowids> rowids_;     ///< Of a long table.
  std::optional<PlainTable> plain_;  ///< Where all is read, and its columns are plain.
  std::string columns_, rest_;       ///< Of the statement: what is selected, and all behind it.
  std::optional<sqlite::Statement> statement_;
  Cells own_;
  const Cells* cells_ = nullptr;  ///< Nothing before the first row and behind the last.
  std::size_t row_ = 0;
  mutable std::deque<std::string> printed_;  ///< Numbers of this row that were asked as text.
};

/// Names of all tables; not of views, which are not read.
Result<std::set<std::string>> TableNames(sqlite::Database& database);

}  // namespace profgauge::readers
