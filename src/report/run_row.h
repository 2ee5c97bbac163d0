// One row of numbers per run, with the same columns for every run: for data warehouses, which read
// thousands of them. `check --write row=FILE` and `history list --format` write it.
//
//   column                               of a report           of an ending   of a history
//   run, time, commit, branch, job       yes                   yes, no run    yes
//   verdict, reasons, findings           yes                   codes          verdict
//   baseline, change, movement           yes                   no             no
//   one for each metric                  yes                   no             yes
//
// A row has no names of hosts, users or files. Columns are only added; removing one or changing its
// meaning raises kRowSchema.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/units.h"
#include "gate/history.h"
#include "gate/snapshot.h"
#include "report/report.h"

namespace profgauge::report {

inline constexpr int kRowSchema = 1;

/// A row. Empty texts, absent numbers and NaN are unknown: null in every format.
struct RunRow {
  std::string run;             ///< RunIdOf(); the same for a profile on every machine.
  std::string time, captured;  ///< ISO 8601, UTC: when it was judged and recorded.
  std::string tool, format, branch, commit, job;
  std::vector<std::pair<std::string, std::string>> labels;  ///< Columns label_NAME.
  std::string gpu;  ///< Names of models, without duplicates.
  std::optional<double> gpus, ranks, world_size, iterations;
  std::string framework, driver;
  std::string verdict;  ///< "pass", "fail" or "no_verdict".
  std::optional<double> exit_code;
  /// Metrics that failed, or codes of reasons for no verdict.
  std::optional<std::vector<std::string>> reasons;
  std::optional<std::vector<std::string>> findings;  ///< Keys of fired findings.
  std::string policy, baseline_state;
  std::optional<double> baseline_runs;
  /// Change of the time of an iteration or step against the baseline, as shares.
  std::optional<double> change, change_low, change_high, total;
  std::string movement;
  std::vector<double> metrics;  ///< One for each of metric::kAll; empty: none known.
};

/// Facts about a run that its report does not have.
struct RowFacts {
  std::int64_t time = 0;  ///< When it was judged, Unix seconds.
  std::string branch, commit, job;
  std::vector<std::pair<std::string, std::string>> labels;
  int exit_code = 0;
  bool is_redacted = false;  ///< The run's name is a digest; branch and job are hidden.
};

/// Returns the first 16 digits of the content hash; for several ranks, of the hash of their hashes
/// in order, like Snapshot::source. `is_redacted`: uses digests, because hashes could be looked up.
/// Empty: unknown.
std::string RunIdOf(std::vector<std::string> hashes, bool is_redacted);

/// The row of a judged run. A comparison without a profile has only a verdict.
RunRow RowOf(const Report& report, const RowFacts& facts);
/// The row of a run that ended early, with the codes of its errors.
RunRow RowOf(std::vector<std::string> codes, const RowFacts& facts);
/// The row of a run of a history.
RunRow RowOf(const gate::HistoryEntry& entry);
/// Sets the description of the run, and its metrics, from the compared run.
void DescribeRun(const gate::Snapshot& run, bool is_redacted, RunRow& row);

/// Null, a number, a text, or a list of texts.
using RowCell = std::variant<std::monostate, double, std::string, std::vector<std::string>>;

struct RowColumnSpec {
  enum class Type : std::uint8_t { kText, kTexts, kWhole, kReal };
  std::string name;
  Type type = Type::kText;
  Unit unit = Unit::kText;
  std::string doc;
};
/// The columns, including one for each label, in the order of cells.
std::vector<RowColumnSpec> RowColumns(const std::set<std::string>& labels = {});
/// The cells of the row, as many as RowColumns(labels).
std::vector<RowCell> RowCells(const RunRow& row, const std::set<std::string>& labels);
/// The names of the row's labels.
std::set<std::string> RowLabels(const RunRow& row);

/// JSON Schema of a row as JSON.
std::string RowSchema();

}  // namespace profgauge::report
