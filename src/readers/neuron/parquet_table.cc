#include "readers/neuron/parquet_table.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "readers/neuron/csv.h"
#include "readers/parquet/table.h"

namespace profgauge::readers::neuron {
namespace {

/// A column that is read, by its meaning.
struct Wanted {
  std::size_t column = 0;
  Key key = Key::kNone;
};

/// The name decides: columns come and go from version to version.
TableKind KindOf(const parquet::Table& table, const std::string& name) {
  const TableKind kind = TableKindOf(name);
  if (kind != TableKind::kUnknown) return kind;
  std::vector<std::string> columns;
  for (const parquet::Column& column : table.columns()) columns.push_back(column.name);
  return TableOfHeader(columns, name);
}

std::vector<Wanted> WantedOf(const parquet::Table& table, bool keep_all) {
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const Key key = KeyOf(table.columns()[i].name);
    if ((key != Key::kNone || keep_all) && table.columns()[i].is_readable) {
      wanted.push_back({i, key});
    }
  }
  return wanted;
}

void AddValue(const parquet::Column& column, const parquet::ValueList& values, std::size_t i,
              Record& record) {
  switch (column.form) {
    case parquet::Form::kBool:
      return record.AddBool(values.numbers[i] != 0);
    case parquet::Form::kInteger:
      return record.AddInteger(values.numbers[i]);
    case parquet::Form::kReal: {
      const double real = std::bit_cast<double>(values.numbers[i]);
      if (std::isfinite(real)) record.AddReal(real);  // Else it says nothing.
      return;
    }
    case parquet::Form::kText:
      return record.AddText(values.texts[i]);
  }
}

/// A column of the rows that are being read.
struct Cells {
  Key key = Key::kNone;
  const parquet::Column* column = nullptr;
  const parquet::ColumnBlock* block = nullptr;
};

void AddCell(const Cells& cells, std::size_t row, bool keep_all, Record& record) {
  const auto& [key, column, block] = cells;
  if (block->is_set[row] == 0) return;
  if (keep_all) {
    record.Begin(column->name);
  } else {
    record.Begin(key);
  }
  if (!column->is_list) return AddValue(*column, block->values, row, record);
  for (std::size_t i = row == 0 ? 0 : block->ends[row - 1]; i < block->ends[row]; ++i) {
    AddValue(*column, block->values, i, record);
  }
}

/// The share of all files that is read when this many rows of one are read.
double ShareRead(const FilesRead& read, const parquet::Table& table, std::uint64_t rows) {
  const double of_table = static_cast<double>(rows) / static_cast<double>(table.rows());
  return (static_cast<double>(read.bytes) + of_table * static_cast<double>(table.size())) /
         static_cast<double>(read.total);
}

Status ReadRows(const parquet::Table& table, TableKind kind, const std::string& name,
                const FilesRead& read, Import& import) {
  const bool keep_all = kind == TableKind::kSummary || kind == TableKind::kMetadata;
  const std::vector<Wanted> wanted = WantedOf(table, keep_all);
  std::vector<std::size_t> columns;
  for (const Wanted& each : wanted) columns.push_back(each.column);
  parquet::RowBlocks blocks(table, columns);
  std::vector<Cells> row_cells;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    row_cells.push_back({wanted[i].key, &blocks.column(i), &blocks.block(i)});
  }
  Record record;
  std::uint64_t index = 0;
  while (true) {
    PROFGAUGE_TRY(const std::size_t rows, blocks.Next());
    if (rows == 0) return {};
    if (read.total > 0) import.SetRead(ShareRead(read, table, index));
    for (std::size_t row = 0; row < rows; ++row) {
      record.Clear(keep_all);
      for (const Cells& cells : row_cells) AddCell(cells, row, keep_all, record);
      import.Take(kind, name, record, index++);
    }
  }
}

}  // namespace

Status ReadParquetTable(const std::string& path, const ReadOptions& options, Import& import,
                        FilesRead& read) {
  const std::string name = TableNameOf(path);
  auto table = parquet::Table::Open(path);
  if (!table) {
    if (table.error().code != "parquet/truncated" || !options.allow_incomplete) {
      return Fail(std::move(table).error());
    }
    import.log().Add(Counter::truncated);
    import.log().AddAt(Counter::rows_unusable, name + ": its file ends early");
    return {};
  }
  const TableKind kind = KindOf(*table, name);
  if (read.table != name) import.Begin(kind);
  read.table = name;
  if (IsNamed(kind) && table->rows() > 0) import.TakeUnread(name);
  if (IsRead(kind)) {
    std::vector<std::string> columns;
    for (const parquet::Column& column : table->columns()) columns.push_back(column.name);
    if (const auto has = import.CheckColumns(kind, name, columns); !has && table->rows() > 0) {
      Error error = has.error();
      error.where.file = path;
      return Fail(std::move(error));
    }
    PROFGAUGE_CHECK(ReadRows(*table, kind, name, read, import));
  }
  if (read.parquet_form.empty()) read.parquet_form = parquet::FormText(table->footer());
  read.bytes += table->size();
  PROFGAUGE_TRY(const std::string hash, table->Hash());
  read.hash.Add(hash);
  return {};
}

}  // namespace profgauge::readers::neuron
