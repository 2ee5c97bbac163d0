#include "render/xlsx/xlsx_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/whole.h"
#include "render/shared/words.h"
#include "render/xlsx/xlsx_sheet.h"
#include "report/labels.h"
#include "report/table_look.h"

namespace profgauge::render {
namespace {

using report::TableLook;

// The column by which the rows of a sheet are selected; nullptr means the first rows.
const Column* ChosenBy(const Table& table) {
  const TableLook* look = report::FindTableLook(table.id());
  return look == nullptr || look->sheet_by.empty() ? nullptr : table.Find(look->sheet_by);
}

// How many rows the sheet has, and why these; empty if it has all.
std::string LeftOutText(const Table& table, std::size_t rows) {
  if (rows == table.all_rows()) return {};
  const Column* by = ChosenBy(table);
  return fmt::format(
      "{} of {} rows{}", FormatCount(static_cast<std::int64_t>(rows)),
      FormatCount(static_cast<std::int64_t>(table.all_rows())),
      by == nullptr ? "" : fmt::format(", those with the highest “{}”", by->title()));
}

// Names the iteration of an operator tree if all shown rows are of one, unlike those of other
// sheets; else empty.
std::string OfIterationText(const report::Report& report, const Table& table,
                            std::span<const std::size_t> shown) {
  const Column* iteration = table.Find("iteration");
  const bool is_one_of_several = report.profile.iterations_selected > 1 && !shown.empty();
  if (table.id() != "op_tree" || iteration == nullptr || !is_one_of_several) return {};
  const std::int64_t first = iteration->IntegerAt(shown.front());
  const auto is_other = [&](std::size_t row) { return iteration->IntegerAt(row) != first; };
  if (std::ranges::any_of(shown, is_other)) return {};
  const auto labels = report::IterationLabels(report);
  const auto label = labels.find(first);
  return fmt::format("only iteration {}, the one nearest the median",
                     label == labels.end() ? fmt::format("{}", first) : label->second);
}

std::string SheetOf(const Table& table) {
  if (const TableLook* look = report::FindTableLook(table.id())) return std::string(look->sheet);
  // The table is of a newer version. Its id becomes a sheet's name: short, lower case and valid.
  std::string name;
  for (const char c : table.id().substr(0, 31)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    name += plain ? c : '-';
  }
  return name;
}

/// The name of a table in a worksheet: letters, digits and `_`, so that it is no address.
std::string TableName(const Table& table) {
  std::string name = "t_";
  for (const char c : table.id().substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

// A tree is not summed, because the time of a row includes the times of rows below it.
void AddToTotals(const Column* by, const Column& column, std::size_t index, const Value& value,
                 TotalsOfTable& totals) {
  if (IsAbsent(value)) return;
  const bool is_time = &column == by && column.unit() == Unit::kTime;
  TotalsOfTable::Column* sum = is_time                  ? &totals.time
                               : column.id() == "calls" ? &totals.calls
                               : column.id() == "bytes" ? &totals.bytes
                                                        : nullptr;
  if (sum == nullptr) return;
  sum->index = index;
  sum->sum += AsNumber(value, 0) * XlsxUnitOf(column.unit()).factor;
}

// Explains the heads. What the rows are stands in the first note, because other cells beside the
// table would become data of programs that read the sheet.
void WriteNotes(XlsxSheet& sheet, const report::Report& report, const Table& table,
                const std::vector<const Column*>& columns, std::string_view which) {
  constexpr std::size_t kMostNotes = 30;
  std::size_t notes = 0;
  for (std::size_t k = 0; k < columns.size() && notes < kMostNotes; ++k) {
    std::string doc =
        report::TextFor(report.profile, report::ColumnDoc(table.id(), columns[k]->id()));
    if (k == 0 && !which.empty()) doc = fmt::format("The sheet has {}.\n{}", which, doc);
    if (doc.empty()) continue;
    sheet.Note(0, k, doc);
    ++notes;
  }
}

// Omits absent columns. The column `depth`, if it exists, sets outline levels.
TotalsOfTable WriteTable(XlsxSheet& sheet, const report::Report& report, const Table& table) {
  TotalsOfTable totals;
  std::vector<XlsxColumn> heads;
  std::vector<const Column*> columns;
  for (const Column& column : table.columns()) {
    if (!column.absent_because().empty()) continue;
    heads.push_back({column.title(), column.unit()});
    columns.push_back(&column);
  }
  if (heads.empty()) return totals;
  const std::vector<std::size_t> shown = report::TellingRows(table, report::RowsInWorkbook(table));
  const std::size_t rows = shown.size();
  const Column* depth = table.Find("depth");
  const Column* const by = report::HeaviestColumn(table);
  const bool is_tree = report::IsTree(table);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Value value = table.At(shown[i], *columns[k]);
      sheet.Cell(1 + i, k, value, columns[k]->unit(), XlsxTextStyle(heads, k));
      if (!is_tree) AddToTotals(by, *columns[k], k, value, totals);
      if (k == 0 && !IsAbsent(value)) ++totals.named;
    }
    if (depth != nullptr) {
      const std::int64_t level = std::max<std::int64_t>(AsWhole(table.At(shown[i], *depth), 0), 0);
      sheet.Outline(1 + i, static_cast<std::size_t>(level));
    }
  }
  totals.sheet = sheet.name();
  totals.title = table.title();
  totals.first = 1;
  totals.last = rows;
  totals.all = table.all_rows();
  totals.which = LeftOutText(table, rows);
  if (const std::string text = OfIterationText(report, table, shown); !text.empty()) {
    totals.which += (totals.which.empty() ? "" : "; ") + text;
  }
  WriteNotes(sheet, report, table, columns, totals.which);
  sheet.AddTable(0, heads, rows, TableName(table));
  return totals;
}

// The tables that have a sheet, in the order of the workbook.
std::vector<const Table*> TablesOfSheets(const report::Report& report) {
  std::vector<const Table*> tables;
  for (const TableLook& look : report::TableLooks()) {
    const Table* table = report::FindTableById(report, look.id);
    if (table != nullptr && HasSheet(*table)) tables.push_back(table);
  }
  for (const Table& table : report.tables) {
    if (report::FindTableLook(table.id()) == nullptr && HasSheet(table)) tables.push_back(&table);
  }
  return tables;
}

}  // namespace

bool HasSheet(const Table& table) {
  const bool is_named = table.id() == "ops" || table.id() == "kernels";
  return table.rows() > (is_named ? 0U : 1U);
}

std::vector<TotalsOfTable> AddTableSheets(XlsxBook& book, const report::Report& report) {
  constexpr std::size_t kPrintedRows = 40;
  std::vector<TotalsOfTable> totals;
  for (const Table* table : TablesOfSheets(report)) {
    XlsxSheet sheet(book, SheetOf(*table));
    const TotalsOfTable& of_table = totals.emplace_back(WriteTable(sheet, report, *table));
    const bool has_time = of_table.time.index.has_value();
    if (has_time && (table->id() == "ops" || table->id() == "kernels")) {
      const auto address = [&](std::size_t at) { return XlsxAddress(at, *of_table.time.index); };
      book.Name(table->id() == "ops" ? "ops_time" : "kernels_time", sheet.name(),
                address(of_table.first) + ":" + address(of_table.last));
    }
    sheet.Freeze(1, 1);
    sheet.FitColumns();
    sheet.PrintOnOnePage(std::min(of_table.last, kPrintedRows) + 1, sheet.columns());
  }
  return totals;
}

void AddTotalsSheet(XlsxBook& book, const std::vector<TotalsOfTable>& totals) {
  XlsxSheet sheet(book, "Totals");
  std::size_t row = 0;
  for (const TotalsOfTable& table : totals) {
    if (table.sheet.empty()) continue;
    ++row;
    const auto range = [&](std::size_t column) {
      return fmt::format("'{}'!{}:{}", table.sheet, XlsxAddress(table.first, column),
                         XlsxAddress(table.last, column));
    };
    const auto sum = [&](std::size_t at, const TotalsOfTable::Column& column, XlsxStyle style) {
      if (!column.index) return;
      sheet.Formula(row, at, fmt::format("=SUBTOTAL(109,{})", range(*column.index)), column.sum,
                    style);
    };
    sheet.Link(row, 0, fmt::format("internal:'{}'!A1", table.sheet), table.title);
    sheet.Formula(row, 1, fmt::format("=SUBTOTAL(103,{})", range(0)),
                  static_cast<double>(table.named), XlsxStyle::kCount);
    sheet.Number(row, 2, static_cast<double>(table.all), XlsxStyle::kCount);
    sum(3, table.time, XlsxStyle::kMilliseconds);
    sum(4, table.calls, XlsxStyle::kCount);
    sum(5, table.bytes, XlsxStyle::kMegabytes);
    sheet.Text(row, 6, table.which, XlsxStyle::kIndented);
  }
  sheet.AddTable(0,
                 {{"Table"},
                  {"Rows shown", Unit::kCount},
                  {"Rows of the run", Unit::kCount},
                  {"Time", Unit::kTime},
                  {"Calls", Unit::kCount},
                  {"Bytes", Unit::kBytes},
                  {"Rows"}},
                 row, "t_totals");
  sheet.Freeze(1, 1);
  sheet.FitColumns();
}

}  // namespace profgauge::render
