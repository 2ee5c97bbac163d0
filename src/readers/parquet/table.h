// A Parquet file as a table: its columns, and its rows block by block.
//
//   | PAR1 | row group 0: chunk of column 0 | chunk of column 1 | row group 1 | footer | n | PAR1 |
//            dictionary page, page, page ...                                    n bytes  4    4
//
// Implemented here because Debian has no library for it. It reads both kinds of pages, all
// encodings except BIT_PACKED and ALP, and Snappy, gzip, zstd and LZ4_RAW. It ignores statistics,
// indices and filters, so they cannot hide rows. Limits: .github/SECURITY.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profgauge/error.h"
#include "readers/parquet/column_reader.h"
#include "readers/parquet/footer.h"
#include "readers/parquet/stored_bytes.h"

namespace profgauge::readers::parquet {

/// An open file with its footer; copies share both and are cheap. Several RowBlocks may read it
/// concurrently.
class Table {
 public:
  /// Errors: kInput, with the path.
  static Result<Table> Open(const std::string& path);
  /// Like Open(), for a file in memory. REQUIRES: `bytes` outlive this.
  static Result<Table> OfBytes(std::string name, std::string_view bytes);

  const std::string& name() const { return bytes_->name(); }
  const Footer& footer() const { return *footer_; }
  const std::vector<Column>& columns() const { return footer_->columns; }
  std::uint64_t rows() const { return footer_->rows; }
  std::uint64_t size() const { return bytes_->size(); }
  /// Finds a column by its whole path ("a.b"), case-sensitive. O(columns).
  std::optional<std::size_t> Find(std::string_view column) const;
  /// The hash of all bytes, in the form of ContentHash.
  Result<std::string> Hash() const;

 private:
  friend class RowBlocks;
  static Result<Table> Of(StoredBytes bytes);
  std::shared_ptr<const StoredBytes> bytes_;
  std::shared_ptr<const Footer> footer_;
};

/// One pass over some columns of a table, which are decompressed together. Other columns cost
/// nothing, because their chunks are not read. Memory: a page and a block of each column.
class RowBlocks {
 public:
  /// Most rows of a block. A block never has rows of two row groups.
  static constexpr std::size_t kMostRows = 16'384;

  /// REQUIRES: the columns are readable.
  RowBlocks(Table table, const std::vector<std::size_t>& columns);

  /// Reads the next block and returns its number of rows, 0 after the last. Errors: kInput, with
  /// the file and the column.
  Result<std::size_t> Next();
  /// The current block of the column at this index of `columns`.
  const ColumnBlock& block(std::size_t i) const { return blocks_[i]; }
  const Column& column(std::size_t i) const { return table_.columns()[columns_[i]]; }
  std::size_t columns() const { return columns_.size(); }

 private:
  Status ReadBlock(std::size_t rows);

  Table table_;
  std::vector<std::size_t> columns_;
  std::vector<ColumnReader> readers_;
  std::vector<ColumnBlock> blocks_;
  std::size_t group_ = 0;
  std::uint64_t left_ = 0;  ///< Remaining rows of the group.
  bool has_begun_ = false;
};

}  // namespace profgauge::readers::parquet
