// How SQLite stores a row: a header with the type of each value, and a body with the values.
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

/// Finds the wanted numbers of a row by its header, which neighboring rows mostly share.
///
///   header   04 | 01 | 06 | 09         its own size 4; one byte, eight bytes, the constant 1
///   body     2A | 00 00 00 17 48 76 E8 00              42, 100 000 000 000, and nothing for the 1
///
/// Types 1 to 6 are integers of 1, 2, 3, 4, 6 and 8 bytes, the highest byte first; 8 and 9 are the
/// constants 0 and 1; 0 is null, 7 a real; 12 and more are bytes and texts.
class RowLayout {
 public:
  /// Returns false if a wanted column is no integer. O(columns of the table), but needed only if a
  /// row's header differs from the last one; Read() is O(wanted columns).
  bool Set(std::string_view header, const std::vector<std::optional<std::size_t>>& columns);
  std::string_view header() const { return header_; }
  std::size_t body_size() const { return body_size_; }
  std::span<const std::uint8_t> types() const { return types_; }  ///< Of wanted columns.
  /// REQUIRES: the seven bytes before `body` can be read.
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

// Reads rows of integers directly from a database's pages.
//
// SQLite runs a program for each row, which takes several times as long as reading the numbers. The
// format of pages is fixed (https://sqlite.org/fileformat2.html). Only plain pages are read here;
// SQLite reads the others and reports damaged files.

/// A table all of whose wanted columns are declared as integers.
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
  std::uint32_t root = 0;  ///< The root page of its tree.
  /// For each wanted column its position in a row; nullopt if the table does not have it.
  std::vector<std::optional<std::size_t>> columns;
  std::vector<std::size_t> rowids;  ///< The wanted columns that are the rowid.
};

/// Describes a table with rowids in a file that does not change. `columns` are names; an empty name
/// means a missing column. Returns nullopt if a wanted column may hold other types than integers,
/// or if SQLite reports an error: then SQLite must read the table.
std::optional<PlainTable> FindPlainTable(sqlite::Database& database, const std::string& table,
                                         const std::vector<std::string>& columns);

/// Reads a table's pages, for one thread. Opens the file once more. Read() may be called for any
/// ranges.
class PageRows {
 public:
  /// REQUIRES: `table` outlives the rows.
  explicit PageRows(const PlainTable& table);

  /// Adds the rows with rowids from `first` to `last`. Returns false if one of them is not plain,
  /// or a page is invalid; some rows may have been added then.
  bool Read(std::int64_t first, std::int64_t last, Cells& cells);

 private:
  /// A page and the range of its rowids.
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
  /// The children that may contain wanted rows; nullopt if the page is damaged.
  std::optional<std::vector<Node>> Children(const Node& node, Asked asked,
                                            std::string_view page) const;
  /// The bytes of a page until the next call; empty if there is none. `ahead`: pages needed next.
  std::string_view Page(std::uint32_t page, std::size_t ahead);

  const PlainTable& table_;
  std::ifstream file_;
  std::size_t page_size_ = 0;  ///< 0: the file cannot be read.
  std::size_t usable_ = 0;     ///< Bytes of a page.
  std::uint32_t pages_ = 0;    ///< Pages of the file.
  std::uint32_t read_ = 0;     ///< The first page in buffer_.
  std::string buffer_;
  RowLayout layout_;
  std::vector<std::uint8_t> types_;  ///< The layout's types, if no column is the rowid.
};

// The tables of a profile: an SQLite database, or a folder of Parquet files named like the tables.

/// Tables by their names.
using ParquetTables = std::map<std::string, parquet::Table, std::less<>>;

/// The source of TableScan's tables, which must outlive it.
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

// Tables of profiles in SQLite or Parquet. Exporters add, drop and rename columns between versions,
// so a reader names the columns that it wants and asks which exist.

/// A wanted column: its names, newest first. All columns are optional here; a caller that needs a
/// column asks Has().
///
///   PROFGAUGE_TRY(auto scan, TableScan::Open(tables, "WORK", {{{"start"}}, {{"end", "stop"}}}));
///   PROFGAUGE_CHECK(scan.ForEach([&] { Use(scan.Integer(0), scan.Integer(1, -1)); }));
///
/// Column 1 is "end", or "stop" where a version calls it so.
struct Wanted {
  std::initializer_list<const char*> names;
};

/// Restricts rows to those with one of these numbers in the column. Without numbers, all rows are
/// read. For Parquet, the column must be a wanted one.
struct Only {
  std::string_view column;
  std::vector<std::int64_t> numbers;
};

/// The rowids of a table.
struct Rowids {
  std::int64_t first = 0;
  std::uint64_t count = 0;  ///< Up to the last rowid, including missing rowids in between.
  std::uint64_t rows_at_most = 0;
};

/// One pass over a table, in the order of rowids (SQLite) or of the file (Parquet). Columns are
/// numbered in the order of `wanted`.
class TableScan {
 public:
  /// A missing table is treated as an empty one without columns. So are views and virtual tables,
  /// which exporters never write: they could be programs. REQUIRES: the tables outlive the scan.
  static Result<TableScan> Open(Tables tables, const std::string& table,
                                std::initializer_list<Wanted> wanted, const Only& only = {}) {
    return OpenColumns(tables, table, std::span(wanted.begin(), wanted.size()), only);
  }
  static Result<TableScan> OpenColumns(Tables tables, const std::string& table,
                                       std::span<const Wanted> wanted, const Only& only = {});

  bool exists() const { return exists_; }
  bool Has(std::size_t column) const { return exists_ && present_[column]; }
  /// An upper bound of the number of rows of a long table, to reserve memory; 0 for a short one.
  /// The bytes of the file limit it, so that a damaged rowid cannot demand memory.
  std::uint64_t RowsAtMost() const {
    return parquet_ ? parquet_->rows_at_most : rowids_ ? rowids_->rows_at_most : 0;
  }
  /// Goes to the next row; false after the last. Errors: kInput, of SQLite or of Parquet.
  Result<bool> Next();
  /// Calls `take()` for each row. Several threads read long tables. Calls of `take` are sequential
  /// and in rowid order, but may be on other threads. REQUIRES: no call of Next() before.
  template <class Take>
  Status ForEach(Take take) {
    return ForEachBlock([&] {
      for (row_ = 0; row_ < cells_->rows(); ++row_) {
        if (!printed_.empty()) printed_.clear();
        take();
      }
    });
  }

  /// True if the cell in this column of the row has a value.
  bool IsSet(std::size_t column) const { return cells_ != nullptr && cells_->IsSet(row_, column); }
  /// Returns `otherwise` for a null cell. For a text, returns the number at its start, or 0.
  std::int64_t Integer(std::size_t column, std::int64_t otherwise = 0) const {
    return IsSet(column) ? cells_->Integer(row_, column) : otherwise;
  }
  /// The cell as a 32-bit integer; `otherwise` for a null cell or a number that does not fit.
  std::int32_t Small(std::size_t column, std::int32_t otherwise) const {
    return Narrow(Integer(column, otherwise), otherwise);
  }
  double Real(std::size_t column, double otherwise = 0) const {
    return IsSet(column) ? cells_->Real(row_, column) : otherwise;
  }
  /// Text of the cell, valid while the scan is at this row; for a number as SQLite prints it; empty
  /// for null.
  std::string_view Text(std::size_t column) const;

 private:
  /// Rows of a Parquet file, block by block.
  struct OfParquet {
    parquet::RowBlocks blocks;
    std::vector<std::optional<std::size_t>> columns;  ///< By wanted column: index in the blocks.
    std::uint64_t rows_at_most = 0;
    std::optional<std::size_t> filtered;  ///< The wanted column that `only` names.
    std::vector<std::int64_t> only;
  };

  static Result<TableScan> OpenSqlite(sqlite::Database& database, const std::string& table,
                                      std::span<const Wanted> wanted, const Only& only);
  static Result<TableScan> OpenParquet(const ParquetTables& tables, const std::string& table,
                                       std::span<const Wanted> wanted, const Only& only);
  /// Calls `take` each time cells_ has the next rows.
  Status ForEachBlock(const std::function<void()>& take);
  Status ReadRowids(const std::function<void()>& take);
  /// Reads the next rows of Parquet into own_; false after the last.
  Result<bool> NextParquetBlock();
  Result<bool> NextParquetRow();

  bool exists_ = false;
  std::vector<bool> present_;
  sqlite::Database* database_ = nullptr;
  std::optional<Rowids> rowids_;     ///< Row ids of a long table.
  std::optional<PlainTable> plain_;  ///< Set if all rows are read and the columns are plain.
  std::string columns_, rest_;  ///< Parts of the statement: the selected columns, and the rest.
  std::optional<sqlite::Statement> statement_;
  std::optional<OfParquet> parquet_;
  Cells own_;
  const Cells* cells_ = nullptr;  ///< nullptr before the first row and after the last.
  std::size_t row_ = 0;
  mutable std::deque<std::string> printed_;  ///< Numbers of this row that were read as text.
};

/// The names of all tables. Views are not included, because they are not read.
Result<std::set<std::string>> TableNames(sqlite::Database& database);

// Opening a profile that is an SQLite database.

/// True if `head` is the beginning of an SQLite file.
bool IsSqlite(std::string_view head);

/// Checks that the file is as long as its header states; skipped if the header's number of pages is
/// invalid or a write-ahead log is beside the file. Error: kInput "sqlite/truncated". O(1).
Status CheckWhole(const std::string& path);

/// True if a journal that its writer did not finish is beside the database. SQLite would read such
/// a file, a mixture of old and new pages, without any error.
bool HasHotJournal(const std::string& path);

/// Reads the whole file once for its size and hash, then opens it read-only. If a write-ahead log
/// is beside it, opens it with that log, which is counted as a warning; otherwise as immutable.
/// Fills builder.source(), with NVIDIA as the maker. Errors: kInput.
Result<sqlite::Database> OpenDatabase(ByteSource& source, std::string_view format,
                                      std::string_view dialect, ProfileBuilder& builder);

// Constants of SQLite's file format (sqlite.org/fileformat2.html), and how it stores numbers.

namespace sqlite_format {
inline constexpr std::size_t kFileHead = 100;  ///< Bytes of the file's own head.
/// Bytes of the heads of b-tree pages.
inline constexpr std::size_t kLeafHead = 8, kInnerHead = 12;
inline constexpr std::size_t kLeastUsable = 480;  ///< Usable bytes of a page; fewer: damaged.
inline constexpr std::size_t kNotOfRow = 35;      ///< Longer rows continue on other pages.
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

/// The page size in a file's header (kFileHead bytes); 0 if it is damaged.
inline std::uint64_t PageSize(std::string_view head) {
  std::uint64_t size = BigEndian(head.substr(16, 2));
  if (size == 1) size = 65536;
  return std::has_single_bit(size) ? size : 0;
}

/// Removes a number of one to nine bytes from the front. Returns false at the end, or if the first
/// byte is 0x80: SQLite does not read all such overlong numbers in the same way.
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
