#include "analysis/recording/unrecorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/metric_id.h"
#include "model/reported.h"

namespace profgauge::analysis::recording {
namespace {

/// One cell in the column's own type; a value of another type is taken as absent.
void AddCell(const Value& value, Column& column, StringPool& strings) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* text = std::get_if<std::string>(&value);
  const bool is_number = !IsAbsent(value) && text == nullptr;
  if (column.type() == CellType::kText && text != nullptr) {
    column.AddText(strings.Intern(*text));
  } else if (column.type() == CellType::kReal && is_number) {
    column.AddReal(AsNumber(value, 0));
  } else if (column.type() == CellType::kInteger && integer != nullptr) {
    column.AddInteger(*integer);
  } else if (column.unit() == Unit::kBool && std::holds_alternative<bool>(value)) {
    column.AddInteger(std::get<bool>(value) ? 1 : 0);
  } else {
    column.AddAbsent();
  }
}

void FillTable(const ReportedTable& reported, Table& table) {
  for (Column& column : table.columns()) {
    const auto at = std::find(reported.columns.begin(), reported.columns.end(), column.id());
    if (at == reported.columns.end()) {
      column.MarkAbsent("the tables stored in the profile have no such column");
    }
    const auto index = static_cast<std::size_t>(at - reported.columns.begin());
    for (const std::vector<Value>& row : reported.rows) {
      AddCell(index < row.size() ? row[index] : Value{}, column, table.strings());
    }
  }
}

/// Counts of which a file knows more than it holds: the ranks that it sums up, GPUs that it counts
/// and does not name all.
bool IsMoreThanHeld(const ReportedMetric& metric, const tables::Output& out) {
  if (metric.id != metric::kProfileRanks && metric.id != metric::kProfileGpusListed) return false;
  return AsNumber(metric.value, 0) > AsNumber(out.ValueOf(metric.id), 0);
}

}  // namespace

namespace {

// Counters that each rank sampled of its devices: their mean, by the time of each rank's window.
void SetMeansOfRanks(std::span<const context::RankContext> ranks, tables::Output& out) {
  for (const MetricId id :
       {metric::kGpuMeasuredTensorActive, metric::kGpuMeasuredSmActive,
        metric::kGpuMeasuredDramRead, metric::kGpuMeasuredDramWrite, metric::kGpuMeasuredDram}) {
    double sum = 0, time = 0;
    std::size_t sampled = 0;
    for (const context::RankContext& rank : ranks) {
      const auto& metrics = rank.profile->reported.metrics;
      const auto found = std::ranges::find(metrics, id, &ReportedMetric::id);
      if (found == metrics.end() || IsAbsent(found->value)) continue;
      const auto length = static_cast<double>(rank.window().length());
      sum += AsNumber(found->value, 0) * length;
      time += length;
      ++sampled;
    }
    if (sampled == 0 || out.IsSet(id)) continue;
    if (sampled < ranks.size() || time <= 0) {
      out.SetAbsent(id, fmt::format("{} of {} ranks sampled it; the others are unknown", sampled,
                                    ranks.size()));
      continue;
    }
    out.Set(id, sum / time);
    out.SetNote(id, fmt::format("mean of {} ranks, each by its recorded time", ranks.size()));
  }
}

}  // namespace

bool IsOfRecorder(std::string_view table) { return table == "op_types"; }

void AddReported(std::span<const context::RankContext> ranks, bool range_chosen,
                 tables::Output& out) {
  if (ranks.size() > 1) SetMeansOfRanks(ranks, out);
  // With several ranks each states its own numbers; those of the host are of the whole run.
  const Profile* stating = nullptr;
  for (const context::RankContext& rank : ranks) {
    const Reported& reported = rank.profile->reported;
    if (reported.metrics.empty() && reported.tables.empty()) continue;
    if (stating != nullptr) return;
    stating = rank.profile;
  }
  const bool of_host = stating != nullptr && !stating->reported.metrics.empty() &&
                       stating->reported.metrics.front().id.text().starts_with("host.");
  if (stating == nullptr || (ranks.size() != 1 && !of_host)) return;
  const Reported& reported = stating->reported;
  for (const ReportedMetric& metric : reported.metrics) {
    if (out.IsSet(metric.id) && !IsMoreThanHeld(metric, out)) continue;
    // Stated, and no number: the note says why.
    if (IsAbsent(metric.value)) {
      if (!metric.note.empty()) out.SetAbsent(metric.id, metric.note);
      continue;
    }
    out.Set(metric.id, metric.value);
    if (!metric.note.empty()) out.SetNote(metric.id, metric.note);
  }
  for (const ReportedTable& table : reported.tables) {
    if (FindTable(table.id) == nullptr) continue;
    if (out.HasRows(table.id) && (range_chosen || !IsOfRecorder(table.id))) continue;
    FillTable(table, out.ReplaceTable(table.id));
  }
}

}  // namespace profgauge::analysis::recording
