#include "exports/nsys/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace profgauge::exports::nsys {
namespace {

constexpr double kMegabyte = 1e6;

struct Row {
  Summary summary;
  std::vector<std::string> labels;
};

// By total, the largest first; equal totals by labels, so that the order does not depend on the
// profile's rows.
std::vector<Row> InOrder(std::vector<Group> groups) {
  std::vector<Row> rows;
  for (Group& group : groups) {
    if (group.values.empty()) continue;
    rows.push_back({Summarize(std::move(group.values)), std::move(group.labels)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.summary.total != b.summary.total ? a.summary.total > b.summary.total
                                              : a.labels < b.labels;
  });
  return rows;
}

}  // namespace

Summary Summarize(std::vector<std::int64_t> values) {
  Summary summary;
  summary.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return summary;
  std::sort(values.begin(), values.end());
  summary.total = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  summary.min = values.front();
  summary.max = values.back();
  const auto count = static_cast<double>(summary.count);
  summary.mean = static_cast<double>(summary.total) / count;
  const std::size_t middle = values.size() / 2;
  summary.median = static_cast<double>(values[middle]);
  if (values.size() % 2 == 0) {
    summary.median = (summary.median + static_cast<double>(values[middle - 1])) / 2;
  }
  if (values.size() > 1) {
    double squares = 0;
    for (const std::int64_t value : values) {
      const double off = static_cast<double>(value) - summary.mean;
      squares += off * off;
    }
    summary.stddev = std::sqrt(squares / (count - 1));
  }
  return summary;
}

// Percent are of the table's own total, as nsys has it, not of any run time.
ReportTable TimeTable(std::vector<Group> groups, const char* count,
                      const std::vector<std::string>& labels) {
  ReportTable table;
  table.heads = {"Time (%)", "Total Time (ns)", count,      "Avg (ns)",
                 "Med (ns)", "Min (ns)",        "Max (ns)", "StdDev (ns)"};
  table.heads.insert(table.heads.end(), labels.begin(), labels.end());
  const std::vector<Row> rows = InOrder(std::move(groups));
  double all = 0;
  for (const Row& row : rows) all += static_cast<double>(row.summary.total);
  for (const Row& row : rows) {
    const Summary& s = row.summary;
    std::vector<std::string> cells = {
        fmt::format("{:.1f}", all > 0 ? 100 * static_cast<double>(s.total) / all : 0),
        fmt::format("{}", s.total),
        fmt::format("{}", s.count),
        fmt::format("{:.1f}", s.mean),
        fmt::format("{:.1f}", s.median),
        fmt::format("{}", s.min),
        fmt::format("{}", s.max),
        fmt::format("{:.1f}", s.stddev)};
    cells.insert(cells.end(), row.labels.begin(), row.labels.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Rows by bytes, the most first.
ReportTable SizeTable(std::vector<Group> groups, const std::string& label) {
  ReportTable table;
  table.heads = {"Total (MB)", "Count",    "Avg (MB)",    "Med (MB)",
                 "Min (MB)",   "Max (MB)", "StdDev (MB)", label};
  const auto megabytes = [](double bytes) { return fmt::format("{:.3f}", bytes / kMegabyte); };
  for (const Row& row : InOrder(std::move(groups))) {
    const Summary& s = row.summary;
    std::vector<std::string> cells = {megabytes(static_cast<double>(s.total)),
                                      fmt::format("{}", s.count),
                                      megabytes(s.mean),
                                      megabytes(s.median),
                                      megabytes(static_cast<double>(s.min)),
                                      megabytes(static_cast<double>(s.max)),
                                      megabytes(s.stddev)};
    cells.insert(cells.end(), row.labels.begin(), row.labels.end());
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace profgauge::exports::nsys
