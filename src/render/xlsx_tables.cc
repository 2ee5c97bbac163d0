#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/format.h"
#include "render/words.h"
#include "render/xlsx_sheets.h"

namespace profgauge::render {
namespace {

struct SheetName {
  std::string_view table, sheet;
};
// Order of the sheets; tables of one sheet stand below each other.
constexpr std::array<SheetName, 21> kSheets = {{
    {"ops", "Ops"},
    {"ops_by_shape", "Ops by shape"},
    {"op_types", "Op types"},
    {"kernels", "Kernels"},
    {"kernels_by_op", "Kernels by op"},
    {"kernels_by_iteration", "Kernels by iteration"},
    {"iterations", "Iterations"},
    {"gpus", "GPUs-Ranks"},
    {"ranks", "GPUs-Ranks"},
    {"streams", "GPUs-Ranks"},
    {"memcpys", "Copies"},
    {"collectives", "Collectives"},
    {"tensor_core_ops", "Tensor Cores"},
    {"gaps", "Idle gaps"},
    {"api_calls", "API calls"},
    {"memory_ops", "Memory"},
    {"memory_curve", "Memory curve"},
    {"memory_events", "Memory blocks"},
    {"ops_by_stack", "Ops by stack"},
    {"launches", "Launches"},
    {"layers", "Layers"},
}};

std::string SheetOf(const Table& table) {
  for (const SheetName& name : kSheets) {
    if (name.table == table.id()) return std::string(name.sheet);
  }
  // A table of a newer version: its id is short, lower case and safe for a sheet's name.
  std::string name;
  for (const char c : table.id().substr(0, 31)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    name += plain ? c : '-';
  }
  return name;
}

/// Names of worksheet tables: letters, digits and `_`, and unlike an address.
std::string TableName(const Table& table) {
  std::string name = "t_";
  for (const char c : table.id().substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

std::size_t WriteTable(XlsxSheet& sheet, const Table& table, std::size_t row) {
  std::vector<XlsxColumn> heads;
  std::vector<const Column*> columns;
  for (const Column& column : table.columns()) {
    if (!column.absent_because().empty()) continue;
    heads.push_back({column.title(), column.unit()});
    columns.push_back(&column);
  }
  const std::size_t rows = std::min(table.rows(), kXlsxRows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      sheet.Cell(row + 1 + i, k, table.At(i, *columns[k]), columns[k]->unit());
    }
  }
  if (heads.empty()) return row;
  std::size_t next = sheet.AddTable(row, heads, rows, TableName(table));
  if (rows < table.rows()) {
    sheet.Text(next + 1, 0,
               fmt::format("{} of {} rows are shown; the rest does not fit a sheet that opens "
                           "quickly.",
                           FormatCount(static_cast<std::int64_t>(rows)),
                           FormatCount(static_cast<std::int64_t>(table.rows()))),
               XlsxStyle::kHeading);
    next += 2;
  }
  return next;
}

}  // namespace

void AddTableSheets(XlsxBook& book, const report::Report& report) {
  std::vector<std::pair<std::string, std::vector<const Table*>>> sheets;
  const auto add = [&](const Table& table) {
    const std::string name = SheetOf(table);
    const auto it = std::find_if(sheets.begin(), sheets.end(),
                                 [&](const auto& sheet) { return sheet.first == name; });
    auto& tables = it == sheets.end() ? sheets.emplace_back(name, 0).second : it->second;
    tables.push_back(&table);
  };
  for (const SheetName& name : kSheets) {
    const Table* table = report::FindTableById(report, name.table);
    if (table != nullptr && table->rows() > 0) add(*table);
  }
  for (const Table& table : report.tables) {
    const bool is_known = std::any_of(kSheets.begin(), kSheets.end(), [&](const SheetName& name) {
      return name.table == table.id();
    });
    if (!is_known && table.rows() > 0) add(table);
  }
  for (const auto& [name, tables] : sheets) {
    XlsxSheet sheet(book, name);
    std::size_t row = 0;
    for (const Table* table : tables) {
      if (tables.size() > 1) sheet.Text(row++, 0, table->title(), XlsxStyle::kHeading);
      row = WriteTable(sheet, *table, row) + 1;
    }
    if (tables.size() == 1) sheet.Freeze(1, 1);
    sheet.FitColumns();
  }
}

}  // namespace profgauge::render
