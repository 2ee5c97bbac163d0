// A Parquet file as a table: its columns, and its rows block by block.
//
//   | PAR1 | row group 0: chunk of column 0 | chunk of column 1 | row group 1 | footer | n | PAR1 |
//            dictionary page, page, page ...                                    n bytes  4    4
//
// It is written here because Debian has no library for it. Read are both kinds of pages, all
// encodings but BIT_PACKED and ALP, and Snappy, gzip, zstd and LZ4_RAW. Statistics, indices and
// filters are not read, so nothing that they say can hide rows. Bounds: .github/SECURITY.md.
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

/// An open file. Several RowBlocks may read it simultaneously.
/// A value that shares the open file and its footer; copies are cheap.
class Table {
 public:
  /// Errors: kInput, with the path.
  static Result<Table> Open(const std::string& path);
  /// The same of a file that is in memory. REQUIRES: `bytes` outlive this.
  static Result<Table> OfBytes(std::string name, std::string_view bytes);

  const std::string& name() const { return bytes_->name(); }
  const Footer& footer() const { return *footer_; }
  const std::vector<Column>& columns() const { return footer_->columns; }
  std::uint64_t rows() const { return footer_->rows; }
  std::uint64_t size() const { return bytes_->size(); }
  /// By the whole path ("a.b"), case included. O(columns).
  std::optional<std::size_t> Find(std::string_view column) const;
  /// The hash of all bytes, as ContentHash has it.
  Result<std::string> Hash() const;

 private:
  friend class RowBlocks;
  static Result<Table> Of(StoredBytes bytes);
  std::shared_ptr<const StoredBytes> bytes_;
  std::shared_ptr<const Footer> footer_;
};

/// One pass over some columns of a table. They are unpacked side by side.
/// Columns that are not named cost nothing: their chunks are not read. Memory: a page and a block
/// of each named column.
class RowBlocks {
 public:
  /// Rows of a block. A block never has rows of two row groups.
  static constexpr std::size_t kMostRows = 16'384;

  /// REQUIRES: the columns are readable.
  RowBlocks(Table table, const std::vector<std::size_t>& columns);

  /// Goes to the next rows: how many there are, 0 after the last. Errors: kInput, with the file
  /// and the column.
  Result<std::size_t> Next();
  /// The block of the column that was named at this place.
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
  std::uint64_t left_ = 0;  ///< Rows of the group.
  bool has_begun_ = false;
};

}  // namespace profgauge::readers::parquet
