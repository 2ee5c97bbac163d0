// `profgauge history list --format`: the runs of a history as rows for a warehouse, with the
// columns of `--write row`.
//
// One snapshot is in memory at a time. JSON lines are written immediately. The columns of CSV and
// Parquet are known only after the labels of all rows, so these formats keep the rows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/outputs.h"
#include "cli/rows/row_writer.h"
#include "cli/text/history_text.h"
#include "exports/tables/parquet.h"
#include "render/json/row.h"
#include "report/run_row.h"

namespace profgauge::cli {
namespace {

// Most rows whose cells are in memory at a time.
constexpr std::size_t kRowsOfGroup = 1'000;
constexpr std::size_t kBytesOfRows = 4 << 20;

// Joins a list's texts with blanks, because neither CSV nor Parquet has lists here.
Cell CellOf(report::RowCell cell, const report::RowColumnSpec& column) {
  if (auto* text = std::get_if<std::string>(&cell)) return std::move(*text);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&cell))
    return fmt::format("{}", fmt::join(*texts, " "));
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr) return {};
  if (column.type == report::RowColumnSpec::Type::kWhole) return static_cast<std::int64_t>(*number);
  return *number;
}

std::vector<Cell> CellsOfRow(const report::RunRow& row, const std::set<std::string>& labels,
                             std::span<const report::RowColumnSpec> columns) {
  std::vector<report::RowCell> cells = report::RowCells(row, labels);
  std::vector<Cell> out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out.push_back(CellOf(std::move(cells[i]), columns[i]));
  }
  return out;
}

// The unit of a stored column. Every metric is stored as a real number, whatever its unit.
Unit StoredUnit(const report::RowColumnSpec& column) {
  return column.type == report::RowColumnSpec::Type::kReal ? Unit::kNumber : column.unit;
}

class RowsOfHistory {
 public:
  RowsOfHistory(Outputs& outputs, std::size_t output, std::string format)
      : outputs_(outputs), output_(output), format_(std::move(format)) {}

  Status Add(const gate::HistoryEntry& entry) {
    report::RunRow row = report::RowOf(entry);
    if (format_ == "jsonl") return Write(render::RenderRow(row));
    labels_.merge(report::RowLabels(row));
    rows_.push_back(std::move(row));
    return {};
  }

  Status Finish() {
    if (format_ == "csv") PROFGAUGE_CHECK(WriteCsv());
    if (format_ == "parquet") PROFGAUGE_CHECK(WriteParquet());
    return outputs_.Commit(output_, ready_);
  }

 private:
  Status Write(const std::string& bytes) {
    ready_ += bytes;
    if (ready_.size() < kBytesOfRows) return {};
    return outputs_.Write(output_, std::exchange(ready_, {}));
  }

  Status WriteCsv() {
    const auto columns = report::RowColumns(labels_);
    std::vector<RowColumn> heads;
    for (const report::RowColumnSpec& column : columns) {
      heads.push_back({column.name, StoredUnit(column)});
    }
    const auto writer = MakeRowWriter(std::move(heads), {RowFormat::kCsv, {}});
    for (const report::RunRow& row : rows_) {
      writer->Add(CellsOfRow(row, labels_, columns));
      PROFGAUGE_CHECK(Write(writer->Take()));
    }
    writer->Finish(false, {});
    return Write(writer->Take());
  }

  Status WriteParquet() {
    const auto columns = report::RowColumns(labels_);
    std::vector<exports::ParquetColumn> heads;
    std::vector<std::pair<std::string, std::string>> units;
    for (const report::RowColumnSpec& column : columns) {
      heads.push_back({column.name, StoredUnit(column)});
      units.emplace_back("unit." + column.name, UnitName(column.unit));
    }
    units.emplace_back("kind", kRowsKind);
    exports::ParquetWriter writer(std::move(heads), std::move(units));
    for (std::size_t from = 0; from < rows_.size(); from += kRowsOfGroup) {
      std::vector<std::vector<Cell>> cells;
      for (std::size_t i = from; i < std::min(from + kRowsOfGroup, rows_.size()); ++i) {
        cells.push_back(CellsOfRow(rows_[i], labels_, columns));
      }
      writer.AddGroup(cells.size(),
                      [&](std::size_t row, std::size_t column) { return cells[row][column]; });
      PROFGAUGE_CHECK(Write(writer.Take()));
    }
    writer.Finish();
    return Write(writer.Take());
  }

  Outputs& outputs_;
  std::size_t output_;
  std::string format_;
  std::string ready_;
  std::vector<report::RunRow> rows_;
  std::set<std::string> labels_;
};

}  // namespace

Status WriteHistoryRows(gate::History& history, std::span<const gate::HistoryRow> rows,
                        const std::string& format, std::size_t output, Outputs& outputs) {
  RowsOfHistory out(outputs, output, format);
  for (const gate::HistoryRow& row : rows) {
    gate::HistoryEntry entry;
    static_cast<gate::HistoryRow&>(entry) = row;
    PROFGAUGE_TRY(entry.snapshot, history.Load(row.id));
    PROFGAUGE_CHECK(out.Add(entry));
  }
  return out.Finish();
}

}  // namespace profgauge::cli
