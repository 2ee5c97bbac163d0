// The result of an analysis, read by rules, gate and report: metrics by id, tables, selection.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/classify/knowledge.h"
#include "base/interval.h"
#include "base/metric_id.h"
#include "base/table.h"
#include "base/value.h"
#include "model/iteration_source.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::analysis::catalog {
struct Exposure;  // analysis/catalog/row_exposure.h
}  // namespace profgauge::analysis::catalog

namespace profgauge::analysis::trust {
struct JudgedSteps;  // analysis/trust/judged_steps.h
}  // namespace profgauge::analysis::trust

namespace profgauge::analysis {

/// The direction in which a metric improves. Limits on changes fail in the other direction.
enum class Direction : std::uint8_t { kHigherIsBetter, kLowerIsBetter, kNeutral };

/// How a metric over several iterations follows from its values over each single iteration.
enum class Pooling : std::uint8_t {
  kSum,       ///< The sum of the values.
  kRatio,     ///< A mean or a quotient of sums: between the smallest and the largest value.
  kQuantile,  ///< A quantile: between the smallest and the largest value.
  kMax,       ///< The largest value.
  kOther,     ///< Spread, drift, extremes over devices or ranks, windows: it does not follow.
};
/// "sum", "ratio", "quantile", "max", "other".
std::string_view PoolingName(Pooling pooling);

/// The data that a metric, a table or a column needs besides its own events. A profile without this
/// data cannot provide it (for `all_work`: only with doubt).
struct Basis {
  bool times = false;      ///< When events begin and end. Sums and durations do not show it.
  bool execution = false;  ///< That launched work ran. While a graph is captured, it does not.
  bool all_work = false;   ///< Every event of work: if some are lost, the device seems to wait.
  bool names = false;      ///< Names of kernels, which identify their work.
  bool gpu_units = false;  ///< Kernels, launches and units of GPUs. A NeuronCore has none.
  bool events = false;     ///< Events that summaries do not keep.
};

/// Smallest and largest value that a metric can have in any profile.
struct ValueRange {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// One entry of the metric catalog: the single source of every number's definition.
struct MetricSpec {
  std::string_view id;
  std::string_view title;
  Unit unit = Unit::kNumber;
  ValueRange range = {};
  Direction direction = Direction::kNeutral;
  Pooling pooling = Pooling::kOther;
  Basis basis = {};
  /// Raised whenever the meaning changes: values of different numbers are never compared.
  std::int32_t definition_number = 1;
  std::string_view definition;  ///< One sentence.
  std::string_view formula;     ///< May be empty if the definition is sufficient.
  std::string_view source;  ///< Origin of the definition: "DLProf", "TensorBoard plug-in", "HTA",
                            ///< "ours".
  /// The only kind of device that has the metric ("neuron"): reports of other runs omit it. Also
  /// the only kind of input that has it, e.g. kUnrecordedFamily.
  std::string_view family = {};
};
/// The family of metrics that follow from the times of unrecorded iterations.
inline constexpr std::string_view kUnrecordedFamily = "unrecorded";
/// The family of metrics that load tests report.
inline constexpr std::string_view kServingFamily = "serving";
/// The family of metrics computed from readings of the devices' clocks, power and temperature.
inline constexpr std::string_view kConditionsFamily = "conditions";
/// One entry for each of metric::kAll, in that order.
std::span<const MetricSpec> MetricCatalogue();
/// The entry of an id that the code names. It always exists. O(1).
const MetricSpec& SpecOf(MetricId id);
/// The entry of an id that a user or a file names; nullptr if the catalog has none. O(1).
const MetricSpec* FindMetric(std::string_view id);
/// Like FindMetric(), but also for metrics of scenarios, which users name: what_if.NAME.gain_share.
/// Their entries live as long as the returned pointer.
std::shared_ptr<const MetricSpec> DescribeMetric(std::string_view id);

/// One entry of the table catalog.
struct TableSpec {
  std::string_view id;        ///< "kernels_by_op"
  std::string_view row_name;  ///< "kernel": the word of a rule's for_each. Empty: not for rules.
  std::string_view title;
  std::string_view doc;
  std::span<const ColumnSpec> columns;
  std::string_view family = {};  ///< See MetricSpec.
  Basis basis = {};
};
/// Every table with its columns, in the order of reports. The span lives as long as the program.
std::span<const TableSpec> TableCatalogue();
/// The entry of a table that a user or a file names; nullptr if there is none.
const TableSpec* FindTable(std::string_view id);

/// A metric of one run: a value in the unit of `spec`, or the reason why it is missing. Missing is
/// never stored as 0.
struct Metric {
  const MetricSpec* spec = nullptr;
  Value value;  ///< Absent if the profile cannot provide it.
  /// The reason why the value is absent, in one clause, and the data to record.
  std::string absent_because;
  bool low_confidence = false;  ///< Reports show it; it never fails a gate by itself.
  std::string note;             ///< Reason for the low confidence, or a bound ("+ at most 3.1 %
                                ///< unknown").
  /// The other end of the range of the true value, if the profile does not determine it: infinite,
  /// or in the value's unit. A limit that only one of both ends meets is undecided.
  std::optional<double> may_be = std::nullopt;
  /// True if the range exists only because the profiler slows the host. An error that only a part
  /// of the range causes is then a warning; runs with the same profiler are compared by `value`.
  bool is_slowed = false;
  /// A second other end, on the opposite side, if only an interval is known: a corrected share.
  std::optional<double> may_also_be = std::nullopt;
};

/// A named moment, from the start of the profile.
struct Mark {
  std::string name;
  Ns time = 0;
};

/// The choices and the knowledge of the user who judges the run.
struct Selection {
  std::string iteration_marker;  ///< Regular expression; empty: automatic.
  std::string key_op;
  std::int64_t start = -1, stop = -1;  ///< Inclusive iteration indices; -1 open.
  /// The same as recorded numbers (5 of ProfilerStep#5); they take precedence.
  std::optional<std::int64_t> start_number, stop_number;
  std::int64_t warmup = 0;  ///< Iterations to leave out at the start.
  std::int64_t rank = -1;   ///< Only this rank; -1 all.
  /// Makes this part of the profile, in ns from the start, the only iteration. An event counts if
  /// it starts in it; busy time is clipped.
  std::optional<Span> range;
  std::vector<Mark> marks;  ///< Moments between which the profile is summed up, in time order.
  std::string source_root;  ///< Folder with the sources whose lines are shown; empty: none.
  classify::Knowledge knowledge;
  /// Ids of tables that no report or rule needs; the largest of them are not built.
  std::vector<std::string_view> unwanted_tables;
};

/// A proposal or remark about the data, not about performance.
struct Remark {
  std::string id;  ///< "unsteady-selection"
  std::string text;
};

/// The times of a rank's iterations, and their unobserved parts, for drawing them.
struct RankTime {
  std::int64_t rank = 0;
  std::vector<std::pair<std::int64_t, Span>> iterations;  ///< Selected, by number.
  std::vector<Span> unobserved;                           ///< A span list.
};

/// All results for one run. Rules, gate and report read them and never change them. Times are ns.
struct Analysis {
  /// In catalog order, one for every entry of the catalog; then the metrics of scenarios.
  std::vector<Metric> metrics;
  /// The catalog entries of the metrics of scenarios.
  std::vector<std::shared_ptr<const MetricSpec>> scenario_specs;
  /// In catalog order; tables that the profile cannot provide have 0 columns.
  std::vector<Table> tables;
  std::map<std::string, std::string, std::less<>> absent_tables;  ///< Reasons for missing tables.
  IterationSource iteration_source;
  std::int64_t iterations_total = 0, iterations_selected = 0;
  Ns window_start = 0, window_end = 0;
  /// For a run read only from summaries: why metrics and tables are missing that the profiles may
  /// have had. Empty for profiles.
  std::string not_kept;
  std::vector<Remark> remarks;
  /// The unrecorded iterations by which the run is judged; null if there are none.
  std::shared_ptr<const trust::JudgedSteps> steps;
  Certificate certificate;           ///< Whether the profile can be trusted.
  std::vector<RankTime> rank_times;  ///< Empty for a run read only from summaries.
  /// The maximum cost of rows, by table id (analysis/catalog/row_exposure.h). Only for tables whose
  /// rows represent work or calls.
  std::map<std::string, std::shared_ptr<const catalog::Exposure>, std::less<>> exposures;

  /// nullptr only if `metrics` was filled by hand and has no such id. O(1) otherwise.
  const Metric* Find(MetricId id) const;
  /// The metric of an id that a user or a file names, including those of scenarios.
  const Metric* Find(std::string_view id) const;
  const Table* FindTable(std::string_view id) const;
};

/// Computes all results of one run. `ranks` holds one profile per rank, in rank order.
/// Errors: kUsage if the selection matches no iteration or a marker is not a regular expression.
/// REQUIRES: ranks is not empty.
Result<Analysis> Analyze(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge::analysis
