#include "report/report.h"

#include <algorithm>
#include <array>

namespace profgauge::report {
namespace {

// Bulk tables have one row for each event.
constexpr std::array<std::string_view, 5> kBulkTables = {
    "launches", "memory_events", "memory_curve", "instructions", "counter_curves"};
constexpr std::size_t kGapsInJson = 1'000;

// Order of priority of the exclusive breakdown.
constexpr std::array<std::string_view, 9> kParts = {
    "tensor_core_kernel", "other_kernel", "memcpy", "memset", "communication", "runtime",
    "dataloader",         "cpu",          "other"};

// The iteration nearest the median stands first; trees of the others are bulk.
std::size_t RowsOfFirstTree(const Table& table) {
  const Column* iteration = table.Find("iteration");
  const Column* rank = table.Find("rank");
  if (iteration == nullptr || rank == nullptr) return table.rows();
  std::size_t rows = 0;
  while (rows < table.rows() && iteration->IntegerAt(rows) == iteration->IntegerAt(0) &&
         rank->IntegerAt(rows) == rank->IntegerAt(0)) {
    ++rows;
  }
  return rows;
}

}  // namespace

const Metric* FindMetricById(const Report& report, std::string_view id) {
  const auto it = std::find_if(report.metrics.begin(), report.metrics.end(),
                               [&](const Metric& metric) { return metric.id == id; });
  return it == report.metrics.end() ? nullptr : &*it;
}

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

std::size_t RowsInJson(const Table& table) {
  const auto* const bulk = std::find(kBulkTables.begin(), kBulkTables.end(), table.id());
  if (bulk != kBulkTables.end()) return 0;
  if (table.id() == "op_tree") return RowsOfFirstTree(table);
  return table.id() == "gaps" ? std::min(table.rows(), kGapsInJson) : table.rows();
}

std::vector<BreakdownPart> Breakdown(const Report& report) {
  std::vector<BreakdownPart> parts;
  for (const std::string_view id : kParts) {
    const Metric* share = FindMetricById(report, "breakdown." + std::string(id));
    const Metric* time = FindMetricById(report, "breakdown." + std::string(id) + ".time");
    if (share == nullptr || IsAbsent(share->quantity.value)) continue;
    parts.push_back({std::string(id), share->title, share, time});
  }
  return parts;
}

}  // namespace profgauge::report
