// Tables of the page. One function renders every table, by the units of its columns.
#include "render/html/view_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/whole.h"
#include "render/html/table_columns.h"
#include "render/html/view.h"
#include "render/html/view_parts.h"
#include "render/shared/columns.h"
#include "render/shared/escape.h"
#include "render/shared/template.h"
#include "report/labels.h"
#include "report/table_look.h"

namespace profgauge::render::html {
namespace {

namespace json = boost::json;
using report::TableLook;

constexpr std::size_t kShortLetters = 64;
constexpr std::size_t kOpenTables = 3;  // The first ones; a menu opens others.

// The order of rows: the heaviest ones, up to `most`. If `by` is nullptr, all in the table's order.
std::vector<std::size_t> RowOrder(const Table& table, const Column* by, std::size_t most) {
  std::vector<std::size_t> order(table.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (by == nullptr) return order;
  std::vector<double> keys(table.rows());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = AsNumber(table.At(i, *by), -1);
  const auto is_heavier = [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  };
  if (most < order.size()) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                     is_heavier);
    order.resize(most);
  }
  std::sort(order.begin(), order.end(), is_heavier);
  return order;
}

// The order of rows with equally many rows of each rank, its heaviest ones, so that a search finds
// rows of every rank. For tables without ranks, the same as RowOrder().
std::vector<std::size_t> RowOrderByRank(const Table& table, const Column* by, std::size_t most) {
  const Column* rank = table.Find("rank");
  const bool has_ranks = rank != nullptr && rank->absent_because().empty();
  if (by == nullptr || !has_ranks || table.rows() <= most) return RowOrder(table, by, most);
  std::map<std::int64_t, std::size_t> taken;
  for (std::size_t row = 0; row < table.rows(); ++row) taken[rank->IntegerAt(row)] = 0;
  const std::size_t each = std::max<std::size_t>(1, most / taken.size());
  std::vector<std::size_t> order = RowOrder(table, by, table.rows());
  std::erase_if(order, [&](std::size_t row) { return ++taken[rank->IntegerAt(row)] > each; });
  return order;
}

// The heaviest rows of the first tree, in tree order. Their ancestors are among them, because a
// row's time is part of its parent's.
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
    // In an edited report, the parent may be any number.
    if (parent >= 0 && parent < static_cast<double>(row))
      weights[row] = std::min(weights[row], weights[static_cast<std::size_t>(parent)]);
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  rows.resize(std::min(rows.size(), count));
  std::sort(rows.begin(), rows.end());
  return rows;
}

// How many of the last columns, at most three, are aligned left. The table has a class for it.
std::size_t LeftAtEnd(const std::vector<const Column*>& columns) {
  std::size_t count = 0;
  while (count + 1 < columns.size() && count < 3 &&
         IsLeft(columns[columns.size() - 1 - count]->unit())) {
    ++count;
  }
  return count;
}

enum class Exact : bool { kNo, kOnHover };

void AppendCell(const Value& value, Unit unit, bool head, Exact exact_values, std::size_t fold,
                std::string& out) {
  const std::string_view tag = head ? "th scope=row" : "td";
  // The head and the folded part are the whole text, so that it can be copied, sorted and searched.
  if (const auto* text = std::get_if<std::string>(&value)) {
    const Folded folded = Fold(*text, fold);
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
  const std::string exact =
      exact_values == Exact::kOnHover ? ExactTitle(value, unit, text) : std::string();
  if (exact.empty()) {
    fmt::format_to(std::back_inserter(out), "<{}>{}", tag, EscapeHtml(text));
    return;
  }
  // The title starts with the exact value, by which report.js sorts.
  fmt::format_to(std::back_inserter(out), "<{} title=\"{}\">{}", tag, EscapeHtml(exact),
                 EscapeHtml(text));
}

// A cell of a table with many rows: a long name is cut in its middle, and a number has no exact
// value. `by_class`: a class of the table aligns the cell left.
void AppendShortCell(const Value& value, Unit unit, bool head, bool by_class,
                     const std::map<std::string, std::string>& names, std::string& out) {
  // The table's class also aligns heads of rows, because that makes the page smaller.
  const std::string_view tag = head ? "th" : IsLeft(unit) && !by_class ? "td align=left" : "td";
  const std::string text = FormatValue(value, unit);
  const auto name = names.find(text);
  fmt::format_to(std::back_inserter(out), "<{}>{}", tag,
                 EscapeHtml(name == names.end() ? CutName(text, kShortLetters) : name->second));
}

// The short forms of a column's names in these rows.
std::map<std::string, std::string> ShortNames(const Table& table, const Column& column,
                                              std::span<const std::size_t> rows) {
  std::set<std::string> names;
  for (const std::size_t row : rows) {
    const Value cell = table.At(row, column);
    if (const auto* text = std::get_if<std::string>(&cell)) names.insert(*text);
  }
  return CutNames(names, kShortLetters);
}

// How cells are written. kBare: whole names and shown numbers, because scripts render these rows
// again from the payload, with exact values.
enum class Cells : std::uint8_t { kWhole, kBare, kShort };

struct StaticRows {
  std::string markup;
  std::size_t count = 0;
  bool is_short = false;
};

// The recorded name of an iteration if it differs from its number; nullptr otherwise.
const std::string* IterationLabel(const Table& table, const Column& column, const Value& cell,
                                  const TableLimits& limits) {
  const bool is_iteration =
      column.id() == "iteration" || (column.id() == "index" && table.id() == "iterations");
  const auto* position = std::get_if<std::int64_t>(&cell);
  if (!is_iteration || position == nullptr || limits.iterations == nullptr) return nullptr;
  const auto label = limits.iterations->find(*position);
  return label == limits.iterations->end() ? nullptr : &label->second;
}

StaticRows Rows(const Table& table, const std::vector<const Column*>& columns,
                const std::vector<std::size_t>& order, Cells cells, std::size_t count,
                std::size_t bytes, const TableLimits& limits) {
  StaticRows rows;
  const std::size_t left_at_end = LeftAtEnd(columns);
  std::string& out = rows.markup;
  std::vector<std::map<std::string, std::string>> names(columns.size());
  for (std::size_t k = 0; cells == Cells::kShort && k < columns.size(); ++k) {
    names[k] =
        ShortNames(table, *columns[k], std::span(order).first(std::min(count, order.size())));
  }
  for (std::size_t i = 0; i < std::min(count, order.size()) && out.size() < bytes; ++i) {
    ++rows.count;
    out += "<tr>";
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Column* column = columns[k];
      Value cell = table.At(order[i], *column);
      if (column->id() == "name" && report::IsTree(table)) {
        const std::int64_t depth = AsWhole(table.At(order[i], "depth"), 0);
        std::string indent;
        for (std::int64_t d = 0; d < std::min<std::int64_t>(depth, 40); ++d) indent += "\u2003";
        cell = indent + FormatValue(cell, Unit::kText);
      }
      const bool is_head = column == columns.front();
      if (const std::string* label = IterationLabel(table, *column, cell, limits)) {
        // The title starts with the exact value, as in other cells.
        fmt::format_to(std::back_inserter(out), "<{} title=\"{}\">{}",
                       is_head ? "th scope=row" : "td", std::get<std::int64_t>(cell),
                       EscapeHtml(*label));
        continue;
      }
      if (cells == Cells::kShort) {
        AppendShortCell(cell, column->unit(), is_head, k + left_at_end >= columns.size(), names[k],
                        out);
      } else {
        AppendCell(cell, column->unit(), is_head,
                   cells == Cells::kBare ? Exact::kNo : Exact::kOnHover, limits.fold, out);
      }
    }
    out += '\n';
  }
  return rows;
}

json::array ColumnViews(const std::vector<const Column*>& columns, const Column* by,
                        const TableLimits& limits, std::string_view docs_of) {
  json::array heads;
  for (const Column* column : columns) {
    const std::string_view doc = report::ColumnDoc(docs_of, column->id());
    heads.push_back(json::object{{"id", column->id()},
                                 {"title", column->title()},
                                 {"unit", UnitName(column->unit())},
                                 {"align", IsLeft(column->unit()) ? "left" : "right"},
                                 {"doc", report::TextFor(limits.accelerator, doc)},
                                 {"sort", column == by ? "descending" : ""}});
  }
  return heads;
}

// The rows in the page itself: whole if they fit, else short. At least a few.
StaticRows RowsOfPage(const Table& table, const std::vector<const Column*>& columns,
                      const std::vector<std::size_t>& order, const TableLimits& limits,
                      bool may_be_short) {
  const std::size_t bytes = limits.bytes > 0             ? limits.bytes
                            : limits.rows >= kStaticRows ? kStaticBytes
                            : report::IsTree(table)      ? kStaticBytesOfTrees
                                                         : kStaticBytesOfOthers;
  StaticRows rows = Rows(table, columns, order, Cells::kWhole, limits.rows, bytes, limits);
  const std::size_t least = limits.rows >= kStaticRows ? kStaticRows : kLeastStaticRows;
  const std::size_t wanted = std::min({least, limits.rows, order.size()});
  if (rows.count >= wanted || !may_be_short) return rows;
  rows = Rows(table, columns, order, Cells::kShort, wanted, std::string::npos, limits);
  rows.is_short = true;
  return rows;
}

// A table of one row as text: one column after the other, with cut names.
std::string LineOf(const Table& table, const std::vector<const Column*>& columns,
                   const TableLimits& limits) {
  constexpr std::size_t kMostLetters = 64;
  std::string line;
  for (const Column* column : columns) {
    const Value cell = table.At(0, *column);
    if (IsAbsent(cell)) continue;
    const std::string* label = IterationLabel(table, *column, cell, limits);
    const std::string text = label != nullptr ? *label : FormatValue(cell, column->unit());
    line += fmt::format("{}{}: {}", line.empty() ? "" : " · ", column->title(),
                        CutName(text, kMostLetters));
  }
  return line;
}

// The file that has more of the table; empty if the note for all tables of the page names it.
std::string RestOf(const Table& table, bool is_whole) {
  std::string rest = is_whole ? std::string() : report::WhereRowsAre(table);
  return rest == "--json writes all of them" ? std::string() : rest;
}

// How many rows are not in the page, and where they are.
std::string NoteOf(const Table& table, const StaticRows& rows, const Column* by) {
  const std::string sorted = by == nullptr ? "" : fmt::format(", by {}", by->title());
  if (rows.count == table.all_rows()) return "long names are cut; " + report::WhereRowsAre(table);
  const std::string rest = RestOf(table, false);
  return fmt::format("{} of {} rows{}{}{}", FormatCount(static_cast<std::int64_t>(rows.count)),
                     FormatCount(static_cast<std::int64_t>(table.all_rows())), sorted,
                     rest.empty() ? "" : "; ", rest);
}

std::string IdsOf(const std::vector<const Column*>& columns) {
  std::string ids;
  for (const Column* column : columns) ids += (ids.empty() ? "" : " ") + column->id();
  return ids;
}

// The number of rows in the payload.
std::size_t PayloadRows(const report::Report& report, const Table& table, const TableLook& look) {
  const std::size_t all = look.page_rows == 0 ? kPayloadRows : look.page_rows;
  if (!report.timeline.empty()) return all;
  if (look.needs_timeline) return 0;
  // A table must be complete if scripts sum its rows for a chosen rank or range.
  if (look.is_summed_again) return kSummedRows;
  const auto ranks = static_cast<std::size_t>(std::max<std::int64_t>(report.profile.ranks, 1));
  if (look.has_rows_of_each_rank && ranks > kManyRanks) return ranks * kRowsOfEachRank;
  if (look.page_rows > 0) return std::min(all, kSmallPayloadRowsOfOthers * 2);
  const std::size_t most = report::IsTree(table) ? kSmallPayloadRowsOfTrees
                           : look.is_main        ? kSmallPayloadRows
                                                 : kSmallPayloadRowsOfOthers;
  return std::min(all, most);
}

// How many rows of each table are in the payload. In a page without a timeline, unused space goes
// to tables that then fit completely, smallest first: a search of such a table misses nothing.
std::vector<std::size_t> PayloadRowsOf(
    const report::Report& report, const std::vector<std::pair<const Table*, TableLook>>& tables) {
  std::vector<std::size_t> rows;
  std::vector<std::pair<std::size_t, std::size_t>>
      lacking;  // The cells left out, and the table's index.
  std::size_t cells = 0;
  for (const auto& [table, look] : tables) {
    const std::size_t some = std::min(table->rows(), PayloadRows(report, *table, look));
    const std::size_t columns = table->columns().size();
    // Rows that a choice needs do not count for that limit.
    if (!look.is_summed_again && !look.has_rows_of_each_rank) cells += some * columns;
    if (some < table->rows()) lacking.emplace_back((table->rows() - some) * columns, rows.size());
    rows.push_back(some);
  }
  if (!report.timeline.empty()) return rows;
  std::sort(lacking.begin(), lacking.end());
  for (const auto& [missing, place] : lacking) {
    cells += missing;
    if (cells > kPayloadCells) break;
    rows[place] = tables[place].first->rows();
  }
  return rows;
}

using IterationLabels = std::map<std::int64_t, std::string>;

TableLimits LimitsOf(const report::Report& report, const Table& table, const TableLook& look,
                     std::size_t payload_rows, const IterationLabels& labels) {
  TableLimits limits;
  limits.rows = look.is_long            ? kStaticRows
                : report::IsTree(table) ? kStaticRowsOfTrees
                : look.is_main          ? kStaticRowsOfMain
                                        : kStaticRowsOfOthers;
  limits.payload_rows = payload_rows;
  limits.always_packs = look.opens_rows;
  // Only a page with a timeline has space for all.
  if (report::IsTree(table) && report.timeline.empty()) limits.bytes = kStaticBytesOfTrees * 2 / 3;
  const std::size_t of_main =
      report.timeline.empty() ? kStaticBytesOfMain * 3 / 4 : kStaticBytesOfMain;
  if (look.is_main && !look.is_long) limits.bytes = of_main;
  limits.accelerator = report.profile.accelerator;
  limits.iterations = &labels;
  return limits;
}

}  // namespace

namespace {

// The CSS classes of a table.
std::string LookOfRows(const StaticRows& rows, const std::vector<const Column*>& columns) {
  if (!rows.is_short || columns.empty()) return {};
  std::string look = IsLeft(columns.front()->unit()) ? " short" : "";
  if (const std::size_t left = LeftAtEnd(columns); left > 0) look += fmt::format(" l{}", left);
  return look;
}

// The constants of a table. An operator tree names its iteration; other tables cover all.
std::string ConstantsOf(const Table& table, const TableLimits& limits, std::string constants) {
  const Column* iteration = table.Find("iteration");
  if (table.id() != "op_tree" || iteration == nullptr || table.rows() == 0) return constants;
  const Value first = table.At(0, *iteration);
  if (IsAbsent(first)) return constants;
  std::string label = FormatValue(first, Unit::kCount);
  if (limits.iterations != nullptr) {
    const auto known = limits.iterations->find(AsWhole(first, 0));
    if (known != limits.iterations->end()) label = known->second;
  }
  // By the choice above the table, users may see other iterations.
  const std::string whose = fmt::format("of one iteration, first {}", label);
  return constants.empty() ? whose : constants + " · " + whose;
}

}  // namespace

boost::json::object TableView(const Table& table, const TableLimits& limits, TablePacker* payload) {
  const Column* by = report::HeaviestColumn(table);
  const ColumnChoice choice = ChooseColumns(table, by);
  const bool is_tree = report::IsTree(table);
  const bool packs = payload != nullptr && limits.payload_rows > 0;
  // If a table is small, it has all columns, because readers without scripts cannot open them.
  std::vector<const Column*> columns = choice.shown;
  const std::size_t cells = table.rows() * (choice.shown.size() + choice.extra.size());
  // A table with one row becomes a line of text, which scripts turn into a table.
  const bool is_line = packs && table.rows() == 1 && !is_tree;
  const bool has_all =
      payload == nullptr || (cells <= kSmallCells && !limits.always_packs && !is_line);
  if (has_all) columns.insert(columns.end(), choice.extra.begin(), choice.extra.end());
  std::vector<std::size_t> order =
      RowOrderByRank(table, by, std::max(limits.rows, limits.payload_rows));
  const std::vector<std::size_t> shown = is_tree ? HeaviestOfTree(table, limits.rows) : order;
  StaticRows rows = RowsOfPage(table, columns, shown, limits, payload != nullptr);
  const bool is_whole = rows.count == table.rows() && !rows.is_short;
  const bool says_all = is_whole && table.all_rows() == table.rows();
  const bool packed = packs && (is_tree || limits.always_packs || is_line || !is_whole || !has_all);
  if (packed) {
    if (!rows.is_short) {
      rows = Rows(table, columns, shown, Cells::kBare, rows.count, std::string::npos, limits);
    }
    order.resize(std::min(order.size(), std::max(limits.payload_rows, rows.count)));
    payload->Add(table, order);
  }
  const std::string_view docs_of = limits.docs_of.empty() ? table.id() : limits.docs_of;
  json::array heads = ColumnViews(columns, by, limits, docs_of);
  // If scripts read the payload, it has the units and definitions.
  if (payload != nullptr) {
    if (!packed) {
      payload->AddDocs(table, docs_of);
      payload->NoteOrder(table, std::span(shown).first(rows.count));
    }
    for (json::value& head : heads) {
      if (packed) head.as_object()["unit"] = "";
      head.as_object()["doc"] = "";
    }
  }
  return {{"id", table.id()},
          {"title", table.title()},
          {"count", fmt::format("{} {}", FormatCount(static_cast<std::int64_t>(table.all_rows())),
                                table.rows() == 1 ? "row" : "rows")},
          {"many", table.rows() > 1},
          {"columns", std::move(heads)},
          {"extra", IdsOf(choice.extra)},
          {"is_tree", is_tree},
          {"look", LookOfRows(rows, columns)},
          {"line", is_line ? LineOf(table, columns, limits) : ""},
          {"ids", is_line ? IdsOf(columns) : ""},
          {"rows", MakeMarkup(std::move(rows.markup))},
          {"note", says_all || is_line ? std::string() : NoteOf(table, rows, by)},
          {"rest", RestOf(table, says_all)},
          {"constants", ConstantsOf(table, limits, choice.constants)},
          {"gaps", AbsentView(choice.gaps)},
          {"has_gaps", !choice.gaps.empty()},
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
  const IterationLabels labels = report::IterationLabels(report);
  const std::vector<std::size_t> rows = PayloadRowsOf(report, order);
  json::array out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [table, look] = order[i];
    if (table->rows() == 0) continue;
    json::object view =
        TableView(*table, LimitsOf(report, *table, look, rows[i], labels), &payload);
    view["open"] = look.is_main && table->rows() > 1 && out.size() < kOpenTables;
    view["charts"] = json::array();
    view["charts_note"] = "";
    if (table->id() == "sbuf_allocations") AddSbufCharts(*table, report.profile.ranks > 1, view);
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace profgauge::render::html
