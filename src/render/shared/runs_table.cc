#include "render/shared/runs_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/metric_id.h"
#include "base/value.h"
#include "render/shared/change.h"
#include "render/shared/changed_values.h"

namespace profgauge::render {
namespace {

using report::Metric;
using report::Report;
using report::Runs;

// The number if it is finite; else nullopt. A run without a value cannot be the best.
std::optional<double> ValueOf(const report::Quantity* quantity) {
  if (quantity == nullptr || IsAbsent(quantity->value)) return std::nullopt;
  const double value = AsNumber(quantity->value, std::nan(""));
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The largest change relative to the first run with the metric.
double ChangeIn(const RunsRow& row) {
  std::optional<double> base;
  double most = 0;
  for (const report::Quantity* cell : row.cells) {
    const std::optional<double> value = ValueOf(cell);
    if (!value) continue;
    if (!base) base = value;
    const double change = std::abs(*value - *base);
    if (cell->unit == Unit::kShare && change < kLeastShownPoints) continue;
    if (change > 0) {
      most = std::max(
          most, *base == 0 ? std::numeric_limits<double>::infinity() : change / std::abs(*base));
    }
  }
  return most;
}

// Marks the best runs. If no direction is better or all runs are equal, marks none, because a mark
// on every cell would be useless.
void MarkBest(const Runs& runs, RunsRow& row) {
  row.is_best.assign(row.cells.size(), false);
  RunsRow competing = row;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!IsLikeFirst(runs, i)) competing.cells[i] = nullptr;
  }
  if (row.metric->better == report::Better::kNeutral || ChangeIn(competing) == 0) return;
  const bool is_higher = row.metric->better == report::Better::kHigher;
  std::optional<double> best;
  for (const report::Quantity* cell : competing.cells) {
    const std::optional<double> value = ValueOf(cell);
    if (value && (!best || (is_higher ? *value > *best : *value < *best))) best = value;
  }
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    row.is_best[i] = best && ValueOf(competing.cells[i]) == best;
  }
}

RunsRow RowOf(const Runs& runs, const Metric& metric, bool is_limited) {
  RunsRow row;
  row.metric = &metric;
  row.is_limited = is_limited;
  for (const Report& run : runs.runs) {
    const Metric* own = report::FindMetricById(run, metric.id);
    row.cells.push_back(own == nullptr ? nullptr : &own->quantity);
  }
  MarkBest(runs, row);
  return row;
}

bool HasRow(const std::vector<RunsRow>& rows, std::string_view id) {
  return std::any_of(rows.begin(), rows.end(),
                     [id](const RunsRow& row) { return row.metric->id == id; });
}

bool HasValue(const RunsRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [](const report::Quantity* cell) { return ValueOf(cell).has_value(); });
}

/// Adds iteration time, the most important row, first, even if no policy limits it.
void AddIterationTime(const Runs& runs, std::vector<RunsRow>& rows) {
  for (const Report& run : runs.runs) {
    const Metric* metric = report::FindMetricById(run, metric::kIterationTimeMedian);
    if (metric == nullptr || IsAbsent(metric->quantity.value)) continue;
    const bool is_limited = std::any_of(run.gate.begin(), run.gate.end(), [](const auto& limit) {
      return limit.metric == metric::kIterationTimeMedian;
    });
    rows.push_back(RowOf(runs, *metric, is_limited));
    return;
  }
}

/// Adds the metrics that a policy limits, in the policy's order.
void AddLimited(const Runs& runs, std::vector<RunsRow>& rows) {
  for (const Report& run : runs.runs) {
    for (const report::GateRow& limit : run.gate) {
      const Metric* metric = report::FindMetricById(run, limit.metric);
      if (metric == nullptr || HasRow(rows, limit.metric)) continue;
      RunsRow row = RowOf(runs, *metric, true);
      if (HasValue(row)) rows.push_back(std::move(row));
    }
  }
}

}  // namespace

bool IsLikeFirst(const Runs& runs, std::size_t run) {
  return std::ranges::none_of(runs.pairs, [run](const Runs::Pair& pair) {
    if (pair.base != 0 || pair.current != run || !pair.report.comparison) return false;
    if (!pair.report.comparison->comparable) return true;
    const Speed speed = SpeedOf(*pair.report.comparison);
    return speed == Speed::kNotComparable || speed == Speed::kOtherWork;
  });
}

std::vector<RunsRow> RowsOfRuns(const Runs& runs, bool all, std::size_t most) {
  std::vector<RunsRow> rows, changed, others;
  AddIterationTime(runs, rows);
  AddLimited(runs, rows);
  for (const Report& run : runs.runs) {
    for (const Metric& metric : run.metrics) {
      if (HasRow(rows, metric.id) || HasRow(changed, metric.id) || HasRow(others, metric.id)) {
        continue;
      }
      RunsRow row = RowOf(runs, metric, false);
      if (!HasValue(row)) continue;
      (ChangeIn(row) >= kLeastShownChange ? changed : others).push_back(std::move(row));
    }
  }
  std::stable_sort(changed.begin(), changed.end(),
                   [](const RunsRow& a, const RunsRow& b) { return ChangeIn(a) > ChangeIn(b); });
  const auto add = [&rows](std::vector<RunsRow>& more) {
    for (RunsRow& row : more) rows.push_back(std::move(row));
  };
  add(changed);
  if (all) add(others);
  if (most > 0 && rows.size() > most) rows.resize(most);
  return rows;
}

std::string RunsCell(const RunsRow& row, std::size_t run) {
  const report::Quantity* cell = row.cells[run];
  return ValueOf(cell) ? cell->text : "–";
}

}  // namespace profgauge::render
