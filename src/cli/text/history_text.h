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

/// The runs of a history, and the marks between them.
struct ListedHistory {
  std::span<const gate::HistoryEntry> entries;  ///< Oldest first.
  std::span<const gate::HistoryLevel> levels;   ///< By run. Some are of runs not listed.
  /// One trend for each branch, over its runs that are comparable with the last one. REQUIRES: each
  /// trend has a series of the median iteration time.
  std::span<const report::Trend> trends;
};

/// The prefix of the keys in a run's environment that a user set with --label.
inline constexpr std::string_view kLabelPrefix = "label ";

/// One line for each run. A change of the median's level is above the run with which it begins; an
/// accepted level is below its first run. Changes of other metrics follow the table.
std::string HistoryText(const ListedHistory& listed);
/// One row for each run, with its levels. A run of the trend also has its values and the changes
/// that begin with it.
JsonList HistoryList(const ListedHistory& listed);

/// Writes one row for each of `rows`, in `format`: "csv", "jsonl" or "parquet". Errors: of the
/// history and of outputs.
Status WriteHistoryRows(gate::History& history, std::span<const gate::HistoryRow> rows,
                        const std::string& format, std::size_t output, Outputs& outputs);

}  // namespace profgauge::cli
