#include "readers/neuron/file_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "readers/parquet/table.h"
#include "readers/text/csv.h"

namespace profgauge::readers::neuron {
namespace {

/// Columns by which a table is recognized.
struct Signature {
  TableKind kind;
  std::string_view column, other;  ///< Both must exist; `other` may be empty.
};
// Columns that only one table of schema 7.4.0 has.
constexpr Signature kSignatures[] = {
    {TableKind::kInstructions, "evt_wait_time_ns", "opcode"},
    {TableKind::kPackets, "packet_idx", "packet_aggregation_id"},
    {TableKind::kTransfers, "block_id", "read_num_sbuf_partitions"},
    {TableKind::kSemaphores, "double_set_or_clear", ""},
    {TableKind::kCcOps, "cc_trigger_start_delay", ""},
    {TableKind::kCcInstructions, "core_idx", "trigger_engine"},
    {TableKind::kTensors, "load_to_sbuf_repeat_factor", ""},
    {TableKind::kHbmUse, "neuroncore_idx", "usage_type"},
    {TableKind::kMetadata, "profile_schema_version", "tensor_engine_num_rows"},
    {TableKind::kSummary, "neuroncore_cycle_count", "total_time"},
    {TableKind::kErrors, "error_type_id", ""},
    {TableKind::kPsumUsage, "bank_0_util_percent", ""},
    {TableKind::kSbufUsage, "partition_0_util_percent", ""},
    {TableKind::kSbufAllocations, "start_address", "partition"},
    {TableKind::kLayers, "node_name", "children_ids"},
    {TableKind::kFlow, "dependency_type", "in_id"},
    {TableKind::kTraceEvents, "trace_event_source", "thread_id"},
    {TableKind::kHostMemory, "used_percent", "used_bytes"},
    {TableKind::kCpu, "cpu_id", "util_percent"},
};

// Tries integers before reals, so that 64-bit ids stay exact.
void AddCell(std::string_view text, Record& record) {
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, integer);
      error == std::errc() && stop == end) {
    return record.AddInteger(integer);
  }
  std::uint64_t wide = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, wide);
      error == std::errc() && stop == end) {
    return record.AddUnsigned(wide);
  }
  double real = 0;
  if (const auto [stop, error] = std::from_chars(text.data(), end, real);
      error == std::errc() && stop == end) {
    return record.AddReal(real);
  }
  record.AddText(text);
}

}  // namespace

TableKind TableOfHeader(std::span<const std::string> header, std::string_view name) {
  const auto has = [&](std::string_view column) {
    return column.empty() || std::find(header.begin(), header.end(), column) != header.end();
  };
  for (const Signature& signature : kSignatures) {
    if (has(signature.column) && has(signature.other)) return signature.kind;
  }
  // Columns like "pcore_idx" are shared by all tables, so the table's name decides the kind.
  const TableKind named = TableKindOf(name);
  const bool neuron = has("pcore_idx") || has("timestamp") || has("start_ts") || has("category");
  return neuron ? named : TableKind::kUnknown;
}

std::string TableNameOf(const std::string& path) {
  std::string stem = std::filesystem::path(path).filename().string();
  stem = stem.substr(0, stem.find('.'));
  const auto digits = stem.find_last_not_of("0123456789");
  if (digits != std::string::npos && digits + 1 < stem.size() && stem[digits] == '_') {
    stem.resize(digits);
  }
  return stem;
}

CsvTable::CsvTable(Import& import, const std::string& path)
    : import_(import), name_(TableNameOf(path)) {}

void CsvTable::Take(std::span<const std::string> fields) {
  if (IsEmptyLine(fields)) return;
  if (header_.empty()) {
    header_.assign(fields.begin(), fields.end());
    kind_ = TableOfHeader(header_, name_);
    import_.Begin(kind_);
    if (IsNamed(kind_)) import_.TakeUnread(name_);
    // Only the viewer's "Export to CSV" puts this column first. By default it exports sampled rows.
    if (header_.front() == "timeline_track") import_.log().AddAt(Counter::rows_sampled, name_);
    return;
  }
  is_joined_ = is_joined_ || RepeatsHead(header_, fields);
  if (!IsRead(kind_)) return;
  record_.Clear(kind_ == TableKind::kSummary || kind_ == TableKind::kMetadata);
  for (std::size_t i = 0; i < std::min(fields.size(), header_.size()); ++i) {
    if (fields[i].empty()) continue;
    record_.Begin(header_[i]);
    AddCell(fields[i], record_);
  }
  import_.Take(kind_, name_, record_, row_++);
}

namespace {

/// A column to read, and its meaning.
struct Wanted {
  std::size_t column = 0;
  Key key = Key::kNone;
};

/// The kind by the table's name, because columns change between versions. A Parquet file always has
/// a table's name (TablesOf), unlike a CSV file.
TableKind KindOf(const parquet::Table& table, const std::string& name) {
  const TableKind kind = TableKindOf(name);
  if (kind != TableKind::kUnknown) return kind;
  std::vector<std::string> columns;
  for (const parquet::Column& column : table.columns()) columns.push_back(column.name);
  return TableOfHeader(columns, name);
}

// Finds the columns to read. Unused columns are not even decompressed.
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
      if (std::isfinite(real)) record.AddReal(real);  // NaN and infinity are no values.
      return;
    }
    case parquet::Form::kText:
      return record.AddText(values.texts[i]);
  }
}

/// A column of the rows being read.
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

/// The share of the bytes of all files that was read, after `rows` rows of this table. RowRoom
/// needs the share of all files as if they were one.
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
    if (table->rows() > 0) import.NoteMissing(kind, name, columns);
    PROFGAUGE_CHECK(ReadRows(*table, kind, name, read, import));
  }
  if (read.parquet_form.empty()) read.parquet_form = parquet::FormText(table->footer());
  read.bytes += table->size();
  PROFGAUGE_TRY(const std::string hash, table->Hash());
  read.hash.Add(hash);
  return {};
}

}  // namespace profgauge::readers::neuron
