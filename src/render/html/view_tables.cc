// Tables of the page. One function draws every table from its columns' units.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/format.h"
#include "render/html/view.h"
#include "render/shared/columns.h"
#include "render/shared/escape.h"
#include "render/shared/template.h"
#include "report/table_look.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::TableLook;

constexpr std::size_t kOpenRows = 40;  // longer tables start closed, but for the first two

bool IsLeft(Unit unit) { return unit == Unit::kText || unit == Unit::kBool; }

std::vector<std::size_t> RowOrder(const Table& table, const Column* by) {
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (by == nullptr) return order;
  std::vector<double> keys(table.rows());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = AsNumber(table.At(i, *by), -1);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  return order;
}

// A table of rows within rows: analysis/tables/tree_rows.h.
bool IsTree(const Table& table) {
  return table.Find("node") != nullptr && table.Find("parent") != nullptr &&
         table.Find("depth") != nullptr;
}
bool IsTreeColumn(const Column& column) {
  return column.id() == "node" || column.id() == "parent" || column.id() == "depth";
}

// The heaviest rows of the first tree, in the order of the tree. Times of a row are within those of
// the row around it, so that a row's ancestors are at least as heavy as it is.
std::vector<std::size_t> HeaviestOfTree(const Table& table, std::size_t count) {
  const Column* iteration = table.Find("iteration");
  const Column* rank = table.Find("rank");
  const auto tree_of = [&](std::size_t row) {
    return std::pair(iteration == nullptr ? 0 : iteration->IntegerAt(row),
                     rank == nullptr ? 0 : rank->IntegerAt(row));
  };
  std::vector<std::size_t> rows;
  std::vector<double> weights(table.rows());
  for (std::size_t row = 0; row < table.rows() && tree_of(row) == tree_of(0); ++row) {
    weights[row] = std::max(AsNumber(table.At(row, "host_total"), 0),
                            AsNumber(table.At(row, "device_total"), 0));
    weights[row] = std::max(weights[row], AsNumber(table.At(row, "active_time"), 0));
    const double parent = AsNumber(table.At(row, "parent"), -1);
    if (parent >= 0)
      weights[row] = std::min(weights[row], weights[static_cast<std::size_t>(parent)]);
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  rows.resize(std::min(rows.size(), count));
  std::sort(rows.begin(), rows.end());
  return rows;
}

void AppendCell(const Value& value, Unit unit, bool head, std::string& out) {
  const std::string_view tag = head ? "th scope=row" : "td";
  // The head and what folds up are the whole text, for who copies, sorts or searches.
  if (const auto* text = std::get_if<std::string>(&value)) {
    const Folded folded = Fold(*text);
    if (!folded.rest.empty()) {
      fmt::format_to(std::back_inserter(out),
                     "<{} align=left><details><summary data-tail=\"{}\">{}</summary>{}</details>",
                     tag, EscapeHtml(folded.tail), EscapeHtml(folded.head),
                     EscapeHtml(folded.rest));
      return;
    }
  }
  if (IsLeft(unit)) {
    fmt::format_to(std::back_inserter(out), "<{} align=left>{}", tag,
                   EscapeHtml(FormatValue(value, unit)));
    return;
  }
  const std::string text = FormatValue(value, unit);
  const std::string exact = ExactTitle(value, unit, text);
  if (exact.empty()) {
    fmt::format_to(std::back_inserter(out), "<{}>{}", tag, EscapeHtml(text));
    return;
  }
  // The exact value leads the title; report.js sorts by it.
  fmt::format_to(std::back_inserter(out), "<{} title=\"{}\">{}", tag, EscapeHtml(exact),
                 EscapeHtml(text));
}

struct StaticRows {
  std::string markup;
  std::size_t count = 0;
};

StaticRows Rows(const Table& table, const std::vector<const Column*>& columns,
                const std::vector<std::size_t>& order, std::size_t count, std::size_t bytes) {
  StaticRows rows;
  std::string& out = rows.markup;
  for (std::size_t i = 0; i < std::min(count, order.size()) && out.size() < bytes; ++i) {
    ++rows.count;
    out += "<tr>";
    for (const Column* column : columns) {
      Value cell = table.At(order[i], *column);
      if (column->id() == "name" && IsTree(table)) {
        const auto depth = static_cast<std::size_t>(AsNumber(table.At(order[i], "depth"), 0));
        std::string indent;
        for (std::size_t k = 0; k < std::min<std::size_t>(depth, 40); ++k) indent += "\u2003";
        cell = indent + FormatValue(cell, Unit::kText);
      }
      AppendCell(cell, column->unit(), column == columns.front(), out);
    }
    out += '\n';
  }
  return rows;
}

json::array ColumnViews(const std::vector<const Column*>& columns, const Column* by) {
  json::array heads;
  for (const Column* column : columns) {
    heads.push_back(json::object{{"id", column->id()},
                                 {"title", column->title()},
                                 {"unit", UnitName(column->unit())},
                                 {"align", IsLeft(column->unit()) ? "left" : "right"},
                                 {"sort", column == by ? "descending" : ""}});
  }
  return heads;
}

// Rows that travel with the page. Single launches are bulk, as the timeline is: one comes with the
// other.
std::size_t PayloadRows(const report::Report& report, const Table& table, const TableLook& look) {
  const std::size_t all = look.page_rows == 0 ? kPayloadRows : look.page_rows;
  if (!report.timeline.empty()) return all;
  if (table.id() == "launches") return 0;
  const std::size_t most = IsTree(table) ? kSmallPayloadRowsOfTrees
                           : look.is_main ? kSmallPayloadRows
                                         : kSmallPayloadRowsOfOthers;
  return std::min(all, most);
}

// Whether a column of every row's rank or GPU says the same everywhere.
bool IsConstantPlace(const Table& table, const Column& column) {
  if (column.id() != "rank" && column.id() != "gpu") return false;
  if (column.type() != CellType::kInteger || table.rows() < 2) return false;
  std::size_t same = 1;
  while (same < column.size() && column.IntegerAt(same) == column.IntegerAt(0)) ++same;
  return same == column.size();
}

// Whether most of a column's texts are long: lists of types and shapes, call stacks.
bool IsWide(const Table& table, const Column& column) {
  if (column.type() != CellType::kText) return false;
  constexpr std::size_t kRows = 100, kLong = 20;
  std::size_t bytes = 0, texts = 0;
  for (std::size_t row = 0; row < std::min(table.rows(), kRows); ++row) {
    if (column.IsAbsentAt(row)) continue;
    bytes += table.strings()[column.TextAt(row)].size();
    ++texts;
  }
  return texts > 0 && bytes / texts > kLong;
}

// What a row is comes first, in up to three columns, then what the table is sorted by; wide texts
// stand behind the numbers, so that these are in view.
void Arrange(const Table& table, const Column* by, std::vector<const Column*>& columns) {
  if (columns.size() < 2) return;
  const auto behind = columns.begin() + 1;
  std::stable_partition(behind, columns.end(), [&](const Column* column) {
    return !IsWide(table, *column) || column->id() == "name";
  });
  constexpr std::ptrdiff_t kMostKeys = 3;
  const auto number = std::find_if(columns.begin(), columns.end(),
                                   [](const Column* column) { return !IsLeft(column->unit()); });
  const auto keys = std::clamp<std::ptrdiff_t>(number - columns.begin(), 1, kMostKeys);
  const auto place =
      columns.begin() + std::min<std::ptrdiff_t>(keys, static_cast<std::ptrdiff_t>(columns.size()));
  const auto found = std::find(place, columns.end(), by);
  if (found != columns.end()) std::rotate(place, found, found + 1);
}

bool AllAbsent(const Table& table, const Column& column) {
  if (!column.absent_because().empty()) return true;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (!column.IsAbsentAt(i)) return false;
  }
  return table.rows() > 0;
}

}  // namespace

boost::json::object TableView(const Table& table, const TableLimits& limits, TablePacker* payload) {
  std::vector<const Column*> columns;
  std::vector<std::pair<std::string, std::string>> gaps;
  std::string constants;
  const bool is_tree = IsTree(table);
  for (const Column& column : table.columns()) {
    if (is_tree && IsTreeColumn(column)) continue;
    if (IsConstantPlace(table, column)) {
      constants += fmt::format("{}{} {}", constants.empty() ? "" : ", ", column.title(),
                               FormatValue(table.At(0, column), column.unit()));
    } else if (!AllAbsent(table, column)) {
      columns.push_back(&column);
    } else {
      gaps.emplace_back(column.title(), column.absent_because().empty()
                                            ? "nothing of it was recorded"
                                            : column.absent_because());
    }
  }
  const Column* by = report::HeaviestColumn(table);
  const bool has_gaps = !gaps.empty();
  std::vector<std::size_t> order = RowOrder(table, by);
  if (is_tree) {
    const auto name = std::find_if(columns.begin(), columns.end(),
                                   [](const Column* column) { return column->id() == "name"; });
    if (name != columns.end()) std::rotate(columns.begin(), name, name + 1);
  }
  Arrange(table, by, columns);
  const std::size_t bytes = limits.bytes > 0             ? limits.bytes
                            : limits.rows >= kStaticRows ? kStaticBytes
                            : is_tree                    ? kStaticBytesOfTrees
                                                         : kStaticBytesOfOthers;
  StaticRows rows = Rows(table, columns, is_tree ? HeaviestOfTree(table, limits.rows) : order,
                         limits.rows, bytes);
  std::string note;
  if (rows.count < table.rows()) {
    note = fmt::format("{} of {} rows{}; the rest needs scripts, or report.xlsx or report.json",
                       FormatCount(static_cast<std::int64_t>(rows.count)),
                       FormatCount(static_cast<std::int64_t>(table.rows())),
                       by == nullptr ? "" : fmt::format(", by {}", by->title()));
    if (payload != nullptr && limits.payload_rows > rows.count) {
      order.resize(std::min(order.size(), limits.payload_rows));
      payload->Add(table, order);
    }
  } else if (payload != nullptr && is_tree) {
    payload->Add(table, order);  // Where scripts run, its rows open and close.
  }
  return {{"id", table.id()},
          {"title", table.title()},
          {"count", fmt::format("{} {}", FormatCount(static_cast<std::int64_t>(table.rows())),
                                table.rows() == 1 ? "row" : "rows")},
          {"columns", ColumnViews(columns, by)},
          {"is_tree", is_tree},
          {"rows", MakeMarkup(std::move(rows.markup))},
          {"note", std::move(note)},
          {"constants", std::move(constants)},
          {"gaps", AbsentView(gaps)},
          {"has_gaps", has_gaps},
          {"open", false}};
}

boost::json::array TablesView(const report::Report& report, TablePacker& payload) {
  std::vector<std::pair<const Table*, TableLook>> order;
  for (const TableLook& look : report::TableLooks()) {
    const Table* table = look.other_section.empty() ? FindTable(report, look.id) : nullptr;
    if (table != nullptr) order.emplace_back(table, look);
  }
  for (const Table& table : report.tables) {
    if (report::FindTableLook(table.id()) == nullptr) order.emplace_back(&table, TableLook{});
  }
  json::array out;
  for (const auto& [table, look] : order) {
    if (table->rows() == 0) continue;
    json::object view = TableView(*table,
                                  {look.is_main     ? kStaticRows
                                   : IsTree(*table) ? kStaticRowsOfTrees
                                                    : kStaticRowsOfOthers,
                                   PayloadRows(report, *table, look),
                                   look.is_main && out.size() >= 2 ? kStaticBytesOfLater : 0},
                                  &payload);
    view["open"] = look.is_main && (table->rows() <= kOpenRows || out.size() < 2);
    view["charts"] = json::array();
    view["charts_note"] = "";
    if (table->id() == "sbuf_allocations") AddSbufCharts(*table, report.profile.ranks > 1, view);
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace profgauge::render::html
