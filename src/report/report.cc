#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/catalog/op_columns.h"
#include "analysis/catalog/rank_columns.h"
#include "analysis/catalog/row_writer.h"
#include "base/format.h"
#include "report/table_look.h"

namespace profgauge::report {
namespace {

// Default number of rows; larger than any table of an ordinary profile.
constexpr std::size_t kJsonRows = 10'000;

}  // namespace

const Metric* FindMetricById(const Report& report, std::string_view id) {
  const auto it = std::find_if(report.metrics.begin(), report.metrics.end(),
                               [&](const Metric& metric) { return metric.id == id; });
  return it == report.metrics.end() ? nullptr : &*it;
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return std::string(text);
  std::string word = "'";
  for (const char letter : text) word.append(letter == '\'' ? "'\\''" : std::string(1, letter));
  return word + "'";
}

// Finds the interval of a row of evidence by the heads of its columns, which all rules with times
// share. A row needs both a start and a length.
std::optional<Interval> FindInterval(const Finding& finding, const std::vector<Value>& row) {
  std::int64_t start = -1, length = -1, rank = -1;
  for (std::size_t k = 0; k < std::min(row.size(), finding.evidence_heads.size()); ++k) {
    const auto* number = std::get_if<std::int64_t>(&row[k]);
    if (number == nullptr) continue;
    const std::string& head = finding.evidence_heads[k];
    if (head == "Start") start = *number;
    if (head == "Length" || head == "Duration") length = *number;
    if (head == "Rank") rank = *number;
  }
  if (start < 0 || length < 0) return std::nullopt;
  return Interval{start, start + length, rank};
}

const Table* FindTableById(const Report& report, std::string_view id) {
  const auto it = std::find_if(report.tables.begin(), report.tables.end(),
                               [&](const Table& table) { return table.id() == id; });
  return it == report.tables.end() ? nullptr : &*it;
}

bool HasFired(const Finding& finding) {
  return std::ranges::find(kLevels, finding.status) != kLevels.end();
}

const Finding* CauseOf(const Report& report, const Finding& finding) {
  if (!HasFired(finding)) return nullptr;
  // The search ends at the finding, so a cycle in report.json is harmless.
  for (const Finding& cause : report.findings) {
    if (&cause == &finding) return nullptr;
    if (HasFired(cause) &&
        std::ranges::find(cause.explains, finding.rule) != cause.explains.end()) {
      return &cause;
    }
  }
  return nullptr;
}

bool IsTree(const Table& table) {
  using analysis::catalog::ColumnOf;
  using analysis::catalog::columns::kTree;
  return ColumnOf<kTree>(table, "node"_col) != nullptr &&
         ColumnOf<kTree>(table, "parent"_col) != nullptr &&
         ColumnOf<kTree>(table, "depth"_col) != nullptr;
}

// `op_tree` has the trees of several iterations and ranks, one after the other. Outputs without
// scripts show the first. REQUIRES: the table is `op_tree`, or has no such columns.
std::size_t RowsOfFirstTree(const Table& table) {
  const Column* iteration =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kOpTree>(table, "iteration"_col);
  const Column* rank =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kOpTree>(table, "rank"_col);
  if (iteration == nullptr || rank == nullptr) return table.rows();
  std::size_t rows = 0;
  while (rows < table.rows() && iteration->IntegerAt(rows) == iteration->IntegerAt(0) &&
         rank->IntegerAt(rows) == rank->IntegerAt(0)) {
    ++rows;
  }
  return rows;
}

std::size_t CountRowsInJson(const Table& table) {
  const TableLook* look = FindTableLook(table.id());
  if (look != nullptr && look->is_bulk) return 0;
  std::size_t most = look == nullptr || look->json_rows == 0 ? kJsonRows : look->json_rows;
  if (table.id() == "op_tree") most = std::min(most, RowsOfFirstTree(table));
  return std::min(table.rows(), most);
}

// Selects the rows of a table for report.json, in the order of the table:
//
//     bulk tables                   none
//     without `json_rows`, sorted   the heaviest: by device time, time, bytes, ...
//     trees                         the first rows: any prefix is a tree
//     others                        those with the largest `sheet_by`, else the first
std::vector<std::size_t> RowsInJson(const Table& table) {
  const std::size_t most = CountRowsInJson(table);
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() == most) return rows;
  const TableLook* look = FindTableLook(table.id());
  const Column* by = look == nullptr || look->json_rows > 0 ? nullptr : HeaviestColumn(table);
  // In trees, rows follow their parents, so the first rows are a tree.
  const bool is_tree = analysis::catalog::ColumnOf<analysis::catalog::columns::kOpTree>(
                           table, "depth"_col) != nullptr ||
                       analysis::catalog::ColumnOf<analysis::catalog::columns::kOpTree>(
                           table, "parent"_col) != nullptr;
  if (by == nullptr && !is_tree) return TellingRows(table, most);
  if (by == nullptr) {
    rows.resize(most);
    return rows;
  }
  const auto weight = [by](std::size_t row) {
    if (by->IsAbsentAt(row)) return -std::numeric_limits<double>::infinity();
    return by->type() == CellType::kReal ? by->RealAt(row)
                                         : static_cast<double>(by->IntegerAt(row));
  };
  std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                   [&](std::size_t a, std::size_t b) {
                     return std::pair(-weight(a), a) < std::pair(-weight(b), b);
                   });
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<BreakdownPart> Breakdown(const Report& report) {
  std::vector<BreakdownPart> parts;
  for (const Category category : BreakdownCategories()) {
    const PartMetrics& id = BreakdownMetricsOf(category);
    const Metric* share = FindMetricById(report, id.share);
    const Metric* time = FindMetricById(report, id.time);
    if (share == nullptr || IsAbsent(share->quantity.value)) continue;
    parts.push_back({category, share->title, share, time});
  }
  return parts;
}

// Returns the number of iterations over all ranks, at least 1. Values per iteration are sums of a
// table divided by it.
std::int64_t SummedIterations(const Report& report) {
  const Table* ranks = FindTableById(report, "ranks");
  const Column* iterations =
      analysis::catalog::ColumnOf<analysis::catalog::columns::kRanks>(ranks, "iterations"_col);
  // With many ranks, a stored report has only some of the rows.
  if (iterations == nullptr ||
      iterations->size() !=
          static_cast<std::size_t>(std::max<std::int64_t>(report.profile.ranks, 0))) {
    return std::max<std::int64_t>(report.profile.iterations_selected, 1) *
           std::max<std::int64_t>(report.profile.ranks, 1);
  }
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < iterations->size(); ++row) {
    if (!iterations->IsAbsentAt(row)) sum += iterations->IntegerAt(row);
  }
  return std::max<std::int64_t>(sum, 1);
}

namespace {

// True if only the total of all iterations is over its limit, not the typical iteration.
bool IsOnlyTotalOver(const ComparedMetric& metric) {
  if (IsAbsent(metric.total_limit.value)) return false;
  const double limit = AsNumber(metric.total_limit.value, 0);
  return metric.change.unit == Unit::kShare && AsNumber(metric.change.value, 0) <= limit &&
         AsNumber(metric.total.value, 0) > limit;
}

}  // namespace

bool IsOfTotal(const ComparedMetric& metric) {
  return metric.result == State::kFail && IsOnlyTotalOver(metric);
}

bool PassesInSpiteOfTotal(const ComparedMetric& metric) {
  const bool passes = metric.result == State::kPass || metric.result == State::kImproved;
  return passes && !metric.limit.empty() && IsOnlyTotalOver(metric);
}

// Selects and orders the rows of a table for an output.

namespace {

// Other tables are sorted by the first of these columns that they have.
constexpr std::array<std::string_view, 7> kHeaviest = {
    "device_self", "time", "device_total", "host_self", "total_time", "bytes", "self_increase"};

}  // namespace

std::size_t RowsInWorkbook(const Table& table) {
  const TableLook* look = FindTableLook(table.id());
  const std::size_t most = look == nullptr || look->sheet_rows == 0 ? kXlsxRows : look->sheet_rows;
  if (table.rows() <= most) return table.rows();
  // A part of the rows cannot be summed or pivoted; the page shows the extremes.
  const bool is_chosen = look != nullptr && look->sheet_rows > 0 && !look->sheet_by.empty();
  return is_chosen ? std::min(most, kXlsxTellingRows) : most;
}

// Returns rows with the largest values of `sheet_by` (of equal values, the earlier), else the first
// rows, in the order of the table. Uses a selection instead of a full sort.
std::vector<std::size_t> TellingRows(const Table& table, std::size_t most) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= most) return rows;
  const TableLook* look = FindTableLook(table.id());
  const Column* by =
      look == nullptr || look->sheet_by.empty() ? nullptr : table.Find(look->sheet_by);
  if (by != nullptr) {
    std::vector<double> keys(rows.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = AsNumber(table.At(i, *by), -1);
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most), rows.end(),
                     [&](std::size_t a, std::size_t b) {
                       return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
                     });
  }
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::string WhereRowsAre(const Table& table) {
  const std::size_t in_json = CountRowsInJson(table), in_workbook = RowsInWorkbook(table);
  const bool json = in_json >= in_workbook;
  const std::size_t most = std::max(in_json, in_workbook);
  if (most == 0) return {};
  const std::string count = FormatCount(static_cast<std::int64_t>(most));
  if (table.all_rows() > table.rows()) return fmt::format("summaries keep {}", count);
  return fmt::format("--{} writes {}", json ? "json" : "xlsx",
                     most == table.rows() ? "all of them" : count);
}

const Column* HeaviestColumn(const Table& table) {
  const TableLook* look = FindTableLook(table.id());
  if (look == nullptr || look->order == TableLook::Order::kAsItStands) return nullptr;
  for (const std::string_view id : kHeaviest) {
    const Column* column = table.Find(id);
    if (column != nullptr && column->absent_because().empty()) return column;
  }
  return nullptr;
}

}  // namespace profgauge::report
