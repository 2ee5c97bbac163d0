// Rows of Parquet files in the form in which TableScan returns rows.
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "readers/database/sqlite_table.h"

namespace profgauge::readers {
namespace {

/// A row of a block with the interface of a statement's row, for Cells::Add().
class ParquetRow {
 public:
  ParquetRow(const parquet::RowBlocks& blocks,
             const std::vector<std::optional<std::size_t>>& columns, std::size_t row)
      : blocks_(blocks), columns_(columns), row_(row) {}

  int Type(int column) const {
    const auto& at = columns_[static_cast<std::size_t>(column)];
    if (!at || blocks_.block(*at).is_set[row_] == 0) return SQLITE_NULL;
    const parquet::Form form = blocks_.column(*at).form;
    // A text is passed as bytes, because it may not be UTF-8. It is repaired where it is shown.
    return form == parquet::Form::kText   ? SQLITE_BLOB
           : form == parquet::Form::kReal ? SQLITE_FLOAT
                                          : SQLITE_INTEGER;
  }
  std::int64_t Integer(int column) const {
    return Type(column) == SQLITE_BLOB ? NumberIn<std::int64_t>(Text(column)) : Number(column);
  }
  double Real(int column) const {
    return Type(column) == SQLITE_BLOB ? NumberIn<double>(Text(column))
                                       : std::bit_cast<double>(Number(column));
  }
  std::string_view Text(int column) const {
    return blocks_.block(*columns_[static_cast<std::size_t>(column)]).values.texts[row_];
  }

 private:
  std::int64_t Number(int column) const {
    return blocks_.block(*columns_[static_cast<std::size_t>(column)]).values.numbers[row_];
  }
  /// The number at the begin of a text, as SQLite converts it; 0 if there is none.
  template <class Number>
  static Number NumberIn(std::string_view text) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t\r\n")));
    if (text.starts_with('+')) text.remove_prefix(1);
    Number number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  const parquet::RowBlocks& blocks_;
  const std::vector<std::optional<std::size_t>>& columns_;
  const std::size_t row_;
};

}  // namespace

Result<TableScan> TableScan::OpenParquet(const ParquetTables& tables, const std::string& table,
                                         std::span<const Wanted> wanted, const Only& only) {
  TableScan scan;
  const auto found = tables.find(table);
  if (found == tables.end()) return scan;
  scan.exists_ = true;
  std::vector<std::size_t> read;
  std::vector<std::optional<std::size_t>> columns;
  std::optional<std::size_t> filtered;
  for (const Wanted& want : wanted) {
    std::optional<std::size_t> column;
    for (const char* name : want.names) {
      if (!column) column = found->second.Find(name);
      if (name == only.column) filtered = columns.size();
    }
    const auto is_plain = [&](const parquet::Column& each) {
      return each.is_readable && !each.is_list;
    };
    if (column && !is_plain(found->second.columns()[*column])) column.reset();
    scan.present_.push_back(column.has_value());
    columns.push_back(column ? std::optional(read.size()) : std::nullopt);
    if (column) read.push_back(*column);
  }
  scan.parquet_.emplace(OfParquet{parquet::RowBlocks(found->second, read), std::move(columns),
                                  std::min(found->second.rows(), found->second.size()), filtered,
                                  only.numbers});
  return scan;
}

// Copies the cells of a block, so that readers get rows in the same form from both kinds of files.
Result<bool> TableScan::NextParquetBlock() {
  cells_ = nullptr;
  PROFGAUGE_TRY(const std::size_t rows, parquet_->blocks.Next());
  if (rows == 0) return false;
  own_.Clear(present_.size());
  const auto is_wanted = [&](const ParquetRow& row) {
    if (!parquet_->filtered) return true;
    const auto column = static_cast<int>(*parquet_->filtered);
    if (row.Type(column) != SQLITE_INTEGER) return false;
    const auto& only = parquet_->only;
    return std::find(only.begin(), only.end(), row.Integer(column)) != only.end();
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const ParquetRow row(parquet_->blocks, parquet_->columns, i);
    if (is_wanted(row)) own_.Add(row);
  }
  cells_ = &own_;
  return true;
}

Result<bool> TableScan::NextParquetRow() {
  printed_.clear();
  ++row_;
  while (cells_ == nullptr || row_ >= cells_->rows()) {
    PROFGAUGE_TRY(const bool more, NextParquetBlock());
    if (!more) return false;
    row_ = 0;
  }
  return true;
}

}  // namespace profgauge::readers
