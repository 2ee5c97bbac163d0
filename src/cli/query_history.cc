#include "cli/query_history.h"

#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "gate/history.h"

namespace profgauge::cli {
namespace {

Cell TextOrNone(std::string_view text) { return text.empty() ? Cell() : Cell(std::string(text)); }

}  // namespace

Status AddHistory(const std::string& path, const query::Places& wanted, query::Dataset& data) {
  const std::size_t runs_at = *query::FindRelation("history_runs");
  const std::size_t metrics_at = *query::FindRelation("history_metrics");
  if (!wanted.contains(runs_at) && !wanted.contains(metrics_at)) return {};
  PROFGAUGE_TRY(History history, History::OpenToRead(path));
  PROFGAUGE_TRY(const std::vector<HistoryLevel> levels, history.Levels());
  PROFGAUGE_TRY(const std::vector<HistoryEntry> entries,
                history.Last("", std::numeric_limits<std::int64_t>::max()));
  std::set<std::int64_t> accepted;
  for (const HistoryLevel& level : levels) {
    if (level.name.empty()) accepted.insert(level.run);
  }
  auto runs = std::make_shared<query::MadeRows>();
  auto metrics = std::make_shared<query::MadeRows>();
  for (const HistoryEntry& entry : entries) {
    runs->Add({entry.id, entry.time, TextOrNone(entry.branch), TextOrNone(entry.commit),
               TextOrNone(entry.model), TextOrNone(entry.snapshot.name),
               TextOrNone(entry.snapshot.Environment("gpu")),
               TextOrNone(entry.snapshot.Environment("world_size")), TextOrNone(entry.verdict),
               std::int64_t{accepted.contains(entry.id)}});
    for (const auto& [id, value] : entry.snapshot.metrics) {
      const MetricSpec* spec = FindMetric(id);
      metrics->Add({entry.id, id, value,
                    spec == nullptr ? Cell() : Cell(std::string(UnitName(spec->unit)))});
    }
  }
  data[runs_at].parts = {{"", std::nullopt, 0, std::move(runs)}};
  data[metrics_at].parts = {{"", std::nullopt, 0, std::move(metrics)}};
  return {};
}

}  // namespace profgauge::cli
