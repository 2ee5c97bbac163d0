// How a row is stored: a header with the type of each value, and a body with the values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
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
#include "readers/parquet/table.h"

namespace profgauge::readers {

/// Where the wanted numbers of a row are, which its header says. Neighbors mostly have the same.
///
///   header   04 | 01 | 06 | 09         its own size 4; one byte, eight bytes, the constant 1
///   body     2A | 00 00 00 17 48 76 E8 00              42, 100 000 000 000, and nothing for the 1
///
/// Types 1 to 6 are whole numbers of 1, 2, 3, 4, 6 and 8 bytes, the highest first; 8 and 9 are the
/// constants 0 and 1; 0 is null, 7 a real, 12 and more are bytes and texts.
class RowLayout {
 public:
  /// False where a wanted column holds something else.
  /// O(columns of the table). Only rows whose header differs need it; Read() is O(wanted columns).
  bool Set(std::string_view header, const std::vector<std::optional<std::size_t>>& columns);
  std::string_view header() const { return header_; }
  std::size_t body_size() const { return body_size_; }
  std::span<const std::uint8_t> types() const { return types_; }  ///< SQLite's, as wanted.
  /// REQUIRES: seven bytes before the body may be read.
  void Read(const char* body, std::int64_t* numbers) const;

 private:
  struct Number {
    std::uint32_t end = 0;  ///< In the body.
    std::uint8_t bytes = 0;
    std::uint8_t constant = 0;  ///< Without bytes.
  };
  struct Stored {
    std::uint64_t type = 0;
    std::size_t end = 0;
  };
  bool SetStored(std::string_view header);

  std::string header_;
  std::size_t body_size_ = 0;
  std::vector<Stored> stored_;
  std::vector<std::uint8_t> types_;
  std::vector<Number> numbers_;
};

// Rows of whole numbers, taken from a database's pages where they lie.
//
// SQLite runs a program for each row, which takes several times as long as the numbers themselves.
// The format of pages is fixed (https://sqlite.org/fileformat2.html). Only plain pages are read
// here; others are left to SQLite, which also has the messages for a damaged file.

/// A table all of whose wanted columns are declared to hold whole numbers.
///
/// A table is a tree of pages, numbered from 1. Inner pages have the largest rowid of each child:
///
///   inner page 5   | kind 5 | .. | cells 2 | .. | last child 9 | pointers | .. | 7, 40 | 8, 80 |
///   leaf page 7    | kind 13 | .. | cells n | .. | pointers | free | cell | cell |   rowids to 40
///   leaf page 8                                                                      41 to 80
///   leaf page 9                                                                      81 on
///
/// A cell of a leaf is `size | rowid | header | body`. Rows 50 to 90 are on the
/// pages 8 and 9; page 7 is not read.
struct PlainTable {
  std::string path;
  std::uint32_t root = 0;  ///< The page that its rows begin from.
  /// Where a row has each wanted column; none: nowhere.
  std::vector<std::optional<std::size_t>> columns;
  std::vector<std::size_t> rowids;  ///< The wanted columns that are the rowid.
};

/// A table with rowids in a file that does not change; `columns` are names, or empty for a
/// missing one.
/// Nothing where a wanted column may hold something else, or where SQLite reports an error: then
/// SQLite reads the table itself.
std::optional<PlainTable> FindPlainTable(sqlite::Database& database, const std::string& table,
                                         const std::vector<std::string>& columns);

/// One thread's way through a table's pages.
/// Opens the file once more; one object is for one thread. Read() may be called for any ranges.
class PageRows {
 public:
  /// REQUIRES: `table` outlives this.
  explicit PageRows(const PlainTable& table);

  /// Adds the rows with rowids of `first` to `last`. False where one of them is not plain, or a
  /// page is not as it should be; some may have been added then.
  bool Read(std::int64_t first, std::int64_t last, Cells& cells);

 private:
  /// A page, and which rowids it may have.
  struct Node {
    std::uint32_t page = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
  };
  struct Asked {
    std::int64_t first = 0, last = 0;
  };

  bool ReadNode(const Node& node, Asked asked, std::size_t depth, std::size_t ahead, Cells& cells);
  bool ReadChildren(const std::vector<Node>& nodes, Asked asked, std::size_t depth, Cells& cells);
  bool ReadLeaf(const Node& node, Asked asked, std::string_view page, Cells& cells);
  bool AddRow(std::int64_t rowid, std::string_view payload, Cells& cells);
  /// The children that have rows asked for; nothing where the page is damaged.
  std::optional<std::vector<Node>> Children(const Node& node, Asked asked,
                                            std::string_view page) const;
  /// Empty if there is none. Valid until the next call. `ahead`: pages that will be wanted next.
  std::string_view Page(std::uint32_t page, std::size_t ahead);

  const PlainTable& table_;
  std::ifstream file_;
  std::size_t page_size_ = 0;  ///< 0: nothing can be read.
  std::size_t usable_ = 0;     ///< Bytes of a page.
  std::uint32_t pages_ = 0;    ///< Pages of the file.
  std::uint32_t read_ = 0;     ///< The first page in buffer_.
  std::string buffer_;
  RowLayout layout_;
  std::vector<std::uint8_t> types_;  ///< The layout's, where no column is the rowid.
};

// The tables of a profile, in an SQLite database or in a folder of Parquet files of the same names.

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

// Numbers of SQLite's file format (sqlite.org/fileformat2.html), and how its files have numbers.

namespace sqlite_format {
inline constexpr std::size_t kFileHead = 100;  ///< Bytes of a file before its first page's own.
/// Bytes of the heads of b-tree pages.
inline constexpr std::size_t kLeafHead = 8, kInnerHead = 12;
inline constexpr std::size_t kLeastUsable = 480;  ///< Bytes of a page: less is damaged.
inline constexpr std::size_t kNotOfRow = 35;  ///< A row that leaves fewer goes on on other pages.
inline constexpr std::size_t kLongestNumber = 9;
enum PageKind : char { kInnerPage = 5, kLeafPage = 13 };
enum SerialType : std::uint64_t { kNull = 0, kReal = 7, kOne = 9, kFirstText = 12 };
}  // namespace sqlite_format

/// REQUIRES: at most eight bytes.
inline std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

/// Bytes of a page by a file's head of kFileHead bytes; 0 where it is damaged.
inline std::uint64_t PageSize(std::string_view head) {
  std::uint64_t size = BigEndian(head.substr(16, 2));
  if (size == 1) size = 65536;
  return std::has_single_bit(size) ? size : 0;
}

/// Takes a number of one to nine bytes off the front; false at the end, and where it begins with a
/// byte of no bits: of those that are longer than they need to be SQLite does not read all alike.
inline bool TakeNumber(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  if (bytes.starts_with('\x80')) return false;
  for (std::size_t i = 0; i < std::min(bytes.size(), sqlite_format::kLongestNumber); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool is_last = i + 1 == sqlite_format::kLongestNumber;
    number = is_last ? number << 8 | byte : number << 7 | (byte & 0x7fU);
    if (!is_last && byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return true;
  }
  return false;
}

}  // namespace profgauge::readers
