// The outputs of `profgauge history list`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/json_list.h"
#include "cli/outputs.h"
#include "gate/history.h"
#include "report/runs.h"

namespace profgauge::cli {

/// Runs of a history with the marks among them.
struct ListedHistory {
  std::span<const gate::HistoryEntry> entries;  ///< Oldest first.
  std::span<const gate::HistoryLevel> levels;   ///< Accepted ones, also of other runs, by run.
  /// One of each branch, of those runs that are comparable with the last. REQUIRES: each has a
  /// series, of the median iteration time.
  std::span<const report::Trend> trends;
};

/// Keys of a run's environment that a user gave with --label.
inline constexpr std::string_view kLabelPrefix = "label ";

/// A line for each run. The level that a run begins is below it, a change of the level of the
/// median above it; changes of other metrics follow the table.
std::string HistoryText(const ListedHistory& listed);
/// A row for each run, with its levels, and of those of the trend its values and the changes that
/// begin with it.
JsonList HistoryList(const ListedHistory& listed);

/// Writes a row for each of `rows`, in `format`: "csv", "jsonl" or "parquet". Errors: of the
/// history and of outputs.
Status WriteHistoryRows(gate::History& history, std::span<const gate::HistoryRow> rows,
                        const std::string& format, std::size_t output, Outputs& outputs);

}  // namespace profgauge::cli
