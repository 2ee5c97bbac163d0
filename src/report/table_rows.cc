// Which rows of a table an output has, and in which order.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "report/report.h"
#include "report/table_look.h"

namespace profgauge::report {
namespace {

// Tables without a separate order are sorted by the first of these that they have.
constexpr std::array<std::string_view, 7> kHeaviest = {
    "device_self", "time", "device_total", "host_self", "total_time", "bytes", "self_increase"};

}  // namespace

std::size_t RowsInWorkbook(const Table& table) {
  const TableLook* look = FindTableLook(table.id());
  const std::size_t most = look == nullptr || look->sheet_rows == 0 ? kXlsxRows : look->sheet_rows;
  if (table.rows() <= most) return table.rows();
  // A part cannot be summed or pivoted: the page shows its extremes.
  const bool is_chosen = look != nullptr && look->sheet_rows > 0 && !look->sheet_by.empty();
  return is_chosen ? std::min(most, kXlsxTellingRows) : most;
}

// The rows with the largest values of table_look.h's `sheet_by`, of equal values the earlier ones;
// without that column the first rows. In the order of the table. A selection, not a sort of all.
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
  return fmt::format(
      "report.{} has {}", json ? "json" : "xlsx",
      most == table.rows() ? "all of them" : FormatCount(static_cast<std::int64_t>(most)));
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
