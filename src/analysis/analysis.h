// The result of an analysis, for rules, gate and report: metrics by id, tables, and the selection.
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

/// Which way a change of a metric is an improvement. Limits on changes fail in the other direction.
enum class Direction : std::uint8_t { kHigherIsBetter, kLowerIsBetter, kNeutral };

/// How a metric over several iterations follows from the same metric over each only of them.
enum class Pooling : std::uint8_t {
  kSum,       ///< It is their sum.
  kRatio,     ///< A mean or a quotient of sums: between the least and the largest.
  kQuantile,  ///< A quantile: between the least and the largest.
  kMax,       ///< The largest of them.
  kOther,     ///< Spread, drift, extremes over devices or ranks, windows: it does not follow.
};
/// "sum", "ratio", "quantile", "max", "other".
std::string_view PoolingName(Pooling pooling);

/// The data from which a metric, a table or a column follows, besides its own events. A profile
/// without one of these cannot give it (`all_work`: only with doubt).
struct Basis {
  bool times = false;      ///< When events begin and end. Sums and durations do not show it.
  bool execution = false;  ///< That launched work ran. It did not if the profile captures a graph.
  bool all_work = false;   ///< Every piece of work: where some is lost the device seems to wait.
  bool names = false;      ///< Names of kernels, which identify their work.
  bool gpu_units = false;  ///< Kernels, launches and units of GPUs. A NeuronCore has none.
  bool events = false;     ///< Events that summaries do not keep.
};

/// Values that a metric can have, whatever the profile.
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
  /// Raised whenever the number changes its meaning: numbers of different definitions are never
  /// compared.
  std::int32_t definition_number = 1;
  std::string_view definition;  ///< One sentence.
  std::string_view formula;     ///< May be empty when the definition says it all.
  std::string_view source;  ///< Whose definition: "DLProf", "TensorBoard plug-in", "HTA", "ours".
  /// Kind only of device that has it ("neuron"): reports of runs without one leave it out. Also the
  /// only kind of input that has it: kUnrecordedFamily.
  std::string_view family = {};
};
/// The family of metrics that follow from the times of unrecorded iterations.
inline constexpr std::string_view kUnrecordedFamily = "unrecorded";
/// The family of metrics that load tests state.
inline constexpr std::string_view kServingFamily = "serving";
/// The family of metrics that follow from readings of the devices' clocks, power and temperature.
inline constexpr std::string_view kConditionsFamily = "conditions";
/// One entry for each of metric::kAll, in that order.
std::span<const MetricSpec> MetricCatalogue();
/// The entry of an id that the code names. It always exists. O(1).
const MetricSpec& SpecOf(MetricId id);
/// The entry of an id that a user or a file names; nullptr if the catalog has none. O(1).
const MetricSpec* FindMetric(std::string_view id);
/// The same for metrics of scenarios, too, which users name: what_if.NAME.gain_share. Their entries
/// live as long as the returned pointer.
std::shared_ptr<const MetricSpec> DescribeMetric(std::string_view id);

/// One entry of the table catalogue.
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

/// A metric of one run: a value in the unit of `spec`, or the reason why there is none. A missing
/// number is never 0.
struct Metric {
  const MetricSpec* spec = nullptr;
  Value value;  ///< Absent when the profile cannot give it; then…
  /// The reason why it is absent, in one clause, and the data to record.
  std::string absent_because;
  bool low_confidence = false;  ///< Shown as such; never fails a gate by itself.
  std::string note;             ///< Why low confidence, or a bound ("+ at most 3.1 % unknown").
  /// The far end of the range of the true value, where the profile does not show it: infinite, or
  /// in the value's unit. A limit that holds at only one of both ends is undecided.
  std::optional<double> may_be = std::nullopt;
  /// Whether the range is only of the profiler's slowing the host: then an error that not all of
  /// the range makes is a warning, and runs with the same profiler compare by `value`.
  bool is_slowed = false;
  /// The far end on the other side, of a value known only as an interval: a corrected share.
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
  /// The same as the numbers that were recorded (5 of ProfilerStep#5); they go first.
  std::optional<std::int64_t> start_number, stop_number;
  std::int64_t warmup = 0;  ///< Iterations to leave out at the start.
  std::int64_t rank = -1;   ///< Only this rank; -1 all.
  /// Only this part of the profile, as its one iteration; nanoseconds from the start. Work counts
  /// where it starts, busy time where it is.
  std::optional<Span> range;
  std::vector<Mark> marks;  ///< Moments between which the profile is summed up, in time order.
  std::string source_root;  ///< Folder with the sources whose lines are shown; empty: none.
  classify::Knowledge knowledge;
  /// Ids of tables that no one will look at: of those the largest are left out.
  std::vector<std::string_view> unwanted_tables;
};

/// A proposal or remark that is about the data, not about performance.
struct Remark {
  std::string id;  ///< "unsteady-selection"
  std::string text;
};

/// When a rank's iterations were and which parts of them were not observed: for pictures.
struct RankTime {
  std::int64_t rank = 0;
  std::vector<std::pair<std::int64_t, Span>> iterations;  ///< Selected; by number, as `rank_steps`.
  std::vector<Span> unobserved;                           ///< A span list.
};

/// Everything that is known of one run. Rules, gate and report read it and never change it. Times
/// are ns.
struct Analysis {
  /// In catalog order, with every entry of the catalog; then those of scenarios.
  std::vector<Metric> metrics;
  /// The entries of the metrics of scenarios.
  std::vector<std::shared_ptr<const MetricSpec>> scenario_specs;
  /// In catalog order; tables that a profile cannot give have 0 columns.
  std::vector<Table> tables;
  std::map<std::string, std::string, std::less<>> absent_tables;  ///< …and a reason here.
  IterationSource iteration_source;
  std::int64_t iterations_total = 0, iterations_selected = 0;
  Ns window_start = 0, window_end = 0;
  /// For a run that is known only by summaries: why metrics and tables are missing that the
  /// profiles may have had. Empty for recordings.
  std::string not_kept;
  std::vector<Remark> remarks;
  /// The unrecorded iterations by which the run is judged; null without any.
  std::shared_ptr<const trust::JudgedSteps> steps;
  Certificate certificate;           ///< Whether the profile can be trusted.
  std::vector<RankTime> rank_times;  ///< Empty for a run that is known only by summaries.
  /// The largest possible cost of rows, by table id; only for tables whose rows represent work or
  /// calls.
  std::map<std::string, std::shared_ptr<const catalog::Exposure>, std::less<>> exposures;

  /// nullptr only where `metrics` was filled by hand and does not have it. O(1) else.
  const Metric* Find(MetricId id) const;
  /// The same for an id that a user or a file names, also of a scenario.
  const Metric* Find(std::string_view id) const;
  const Table* FindTable(std::string_view id) const;
};

/// Derives everything from one run. `ranks` holds one profile per rank, in rank order.
/// Errors: kUsage when the selection matches no iteration or a marker is not a regular expression.
/// REQUIRES: ranks is not empty.
Result<Analysis> Analyze(std::span<const Profile> ranks, const Selection& selection);

}  // namespace profgauge::analysis
