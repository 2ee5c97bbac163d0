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

namespace profgauge::render::html {
namespace {

namespace json = boost::json;

// The order of the page; tables that are not listed follow in the report's order. Main ones are
// what most readers look for.
struct Place {
  std::string_view id;
  bool main = false;
  std::size_t payload_rows = kPayloadRows;
};
constexpr auto kPlaces = std::to_array<Place>({{"layers", true},
                                               {"engines", true},
                                               {"regions", true},
                                               {"engine_regions", true},
                                               {"opcodes", true},
                                               {"waits", true},
                                               {"collective_regions", true},
                                               {"source_files", true},
                                               {"source_lines", true},
                                               {"dma_queues", true},
                                               {"dma_engines"},
                                               {"dma_transfers"},
                                               {"cc_ops", true},
                                               {"flops_parts", true},
                                               {"throttles"},
                                               {"tensors"},
                                               {"sbuf_allocations", true},
                                               {"cores"},
                                               {"dlprof_advice", true},
                                               {"ops", true},
                                               {"kernels", true},
                                               {"op_tree"},
                                               {"modules"},
                                               {"kernels_by_op"},
                                               {"ops_by_shape"},
                                               {"ops_by_stack"},
                                               {"op_types"},
                                               {"op_groups"},
                                               {"tensor_core_ops"},
                                               {"roofline", false, 60},
                                               {"ranks", true},
                                               {"gpus", true},
                                               {"streams", true},
                                               {"memcpys", true},
                                               {"collectives", true},
                                               {"api_calls", true},
                                               {"os_calls"},
                                               {"threads"},
                                               {"gaps", false, 300},
                                               {"memory_ops"},
                                               {"memory_events", false, 5000},
                                               {"memory_curve", false, 5000},
                                               {"ops_by_iteration"},
                                               {"kernels_by_iteration"},
                                               {"launches", false, 20'000},
                                               {"semaphores"},
                                               {"instructions", false, 20'000},
                                               {"counter_curves", false, 5000},
                                               {"identities"}});
constexpr std::size_t kOpenRows = 40;  // longer tables start closed, but for the first two

// Tables are shown by the first of these columns that they have, largest first; others keep the
// order in which the report has them.
constexpr std::array<std::string_view, 6> kHeaviest = {"device_self", "time",       "device_total",
                                                       "host_self",   "total_time", "bytes"};
constexpr std::array<std::string_view, 20> kKeepOrder = {
    "dlprof_advice", "op_groups",      "top",        "iterations",     "gpus",
    "ranks",         "streams",        "launches",   "memory_curve",   "op_tree",
    "modules",       "layers",         "engines",    "cores",          "flops_parts",
    "regions",       "engine_regions", "identities", "counter_curves", "instructions"};

bool IsLeft(Unit unit) { return unit == Unit::kText || unit == Unit::kBool; }

const Column* SortColumn(const Table& table) {
  if (std::find(kKeepOrder.begin(), kKeepOrder.end(), table.id()) != kKeepOrder.end()) {
    return nullptr;
  }
  for (const std::string_view id : kHeaviest) {
    const Column* column = table.Find(id);
    if (column != nullptr && column->absent_because().empty()) return column;
  }
  return nullptr;
}

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
std::size_t PayloadRows(const report::Report& report, const Table& table, const Place& place) {
  if (!report.timeline.empty()) return place.payload_rows;
  if (table.id() == "launches") return 0;
  const std::size_t most = IsTree(table) ? kSmallPayloadRowsOfTrees
                           : place.main  ? kSmallPayloadRows
                                         : kSmallPayloadRowsOfOthers;
  return std::min(place.payload_rows, most);
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
  const Column* by = SortColumn(table);
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
  std::vector<std::pair<const Table*, Place>> order;
  for (const Place& place : kPlaces) {
    if (const Table* table = FindTable(report, place.id)) order.emplace_back(table, place);
  }
  for (const Table& table : report.tables) {
    const bool listed = std::any_of(kPlaces.begin(), kPlaces.end(),
                                    [&](const Place& place) { return place.id == table.id(); });
    if (!listed && table.id() != "iterations") order.emplace_back(&table, Place{table.id()});
  }
  json::array out;
  for (const auto& [table, place] : order) {
    if (table->rows() == 0) continue;
    json::object view = TableView(*table,
                                  {place.main       ? kStaticRows
                                   : IsTree(*table) ? kStaticRowsOfTrees
                                                    : kStaticRowsOfOthers,
                                   PayloadRows(report, *table, place),
                                   place.main && out.size() >= 2 ? kStaticBytesOfLater : 0},
                                  &payload);
    view["open"] = place.main && (table->rows() <= kOpenRows || out.size() < 2);
    view["charts"] = json::array();
    view["charts_note"] = "";
    if (table->id() == "sbuf_allocations") AddSbufCharts(*table, report.profile.ranks > 1, view);
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace profgauge::render::html
