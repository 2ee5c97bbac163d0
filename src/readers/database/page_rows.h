// Rows of whole numbers, taken from a database's pages where they lie.
//
// SQLite runs a program for each row, which takes several times as long as the numbers themselves.
// The format of pages is fixed (https://sqlite.org/fileformat2.html). Only plain pages are read
// here; others are left to SQLite, which also has the messages for a damaged file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite.h"
#include "readers/database/cells.h"
#include "readers/database/row_layout.h"

namespace profgauge::readers {

/// A table all of whose wanted columns are declared to hold whole numbers.
///
/// A table is a tree of pages, numbered from 1. Inner pages have the largest rowid of each child:
///
///   inner page 5   | kind 5 | .. | cells 2 | .. | last child 9 | pointers | .. | 7, 40 | 8, 80 |
///   leaf page 7    | kind 13 | .. | cells n | .. | pointers | free | cell | cell |   rowids to 40
///   leaf page 8                                                                      41 to 80
///   leaf page 9                                                                      81 on
///
/// A cell of a leaf is `size | rowid | header | body`: see row_layout.h. Rows 50 to 90 are on the
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

}  // namespace profgauge::readers
