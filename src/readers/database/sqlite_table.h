// Tables of profiles in SQLite, read by what is there: exporters add, drop and rename columns from
// version to version, so a reader names what it wants and learns what it got.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"

namespace profgauge::readers {

/// A wanted column: its names, newest first. All columns are optional here; whoever cannot do
/// without one asks Has().
struct Wanted {
  std::initializer_list<const char*> names;
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
  Result<bool> Next();
  /// Calls `take()` at each row that is left.
  template <class Take>
  Status ForEach(Take take) {
    while (true) {
      PROFGAUGE_TRY(const bool more, Next());
      if (!more) return {};
      take();
    }
  }

  /// Whether this row has a value there.
  bool IsSet(std::size_t column) const;
  std::int64_t Integer(std::size_t column, std::int64_t otherwise = 0) const;
  double Real(std::size_t column, double otherwise = 0) const;
  std::string_view Text(std::size_t column) const;

 private:
  bool exists_ = false;
  std::vector<bool> present_;
  std::optional<sqlite::Statement> statement_;
};

/// Names of all tables; not of views, which are not read.
Result<std::set<std::string>> TableNames(sqlite::Database& database);

}  // namespace profgauge::readers
