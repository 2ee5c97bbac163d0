// ProfGauge as a library: Load, Evaluate, Render.
//
//   auto recording = profgauge::Load({"run7.pt.trace.json.gz"}, {});
//   if (!recording) return Complain(recording.error());
//   auto judged = profgauge::Evaluate(*recording, {.policy = "policy.yaml"});
//   if (!judged) return Complain(judged.error());  // all that is wrong with the policy
//   for (const auto& metric : judged->metrics()) Plot(metric.id, metric.value, metric.unit);
//   std::string page = *profgauge::Render(*judged, profgauge::Format::kHtml);
//   return judged->passed() ? 0 : 1;
//
// Everything here is a value and cheap to copy: handles share immutable data. Nothing throws except
// std::bad_alloc. Different handles may be used from different threads. The program's command line
// is the stable interface; this one may still change between minor versions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profgauge/error.h"

namespace profgauge {

struct LoadOptions {
  /// Accept truncated input; data loss is in the report. Default: refuse it.
  bool allow_incomplete = false;
  /// Threads to read with; 0 is one per core. Never changes the result.
  unsigned threads = 0;
  /// Files whose ranks nothing states are ranks 0, 1, … of one run, in the order given. Default:
  /// they are refused ("input/ranks-unknown").
  bool ranks_as_listed = false;
};

/// Loaded profiles: one per rank.
class Recording {
 public:
  struct Data;
  explicit Recording(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::size_t ranks() const;
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// Reads profiles: files, or folders with one file per rank; "-" is standard input. The ranks are
/// in the order of their recorded numbers afterwards. Files without numbers keep the order of
/// `paths` with `ranks_as_listed`, which numbers them by it.
/// All of them are in memory together, while `profgauge check` reads folders of over 64 ranks, or
/// of more than fits into memory, one after the other: for those give summaries (`profgauge
/// summarize`). A profile in a folder that cannot be read fails, where `profgauge check` judges the
/// others without it.
/// Errors: kInput, with the place in the file; "input/no-profiles" for an empty list,
/// "input/ranks-unknown" where nothing states that the files are ranks of one run.
Result<Recording> Load(const std::vector<std::string>& paths, const LoadOptions& options);

/// How much of the profile's events a page keeps for its timeline.
enum class EventsInPage : std::uint8_t {
  kAuto,  ///< As much as fits a page of some megabytes; the page counts the rest.
  kAll,
  kNone,
};

struct EvaluateOptions {
  /// A file, or builtin:recommended, builtin:strict, builtin:report-only, builtin:cpu. Empty:
  /// builtin:recommended; builtin:cpu for a profile of a program that used no GPU.
  std::string policy;
  /// The iterations to judge; unset: those of the policy, else all.
  std::optional<std::int64_t> iter_start, iter_stop, rank;
  /// The same as the numbers that were recorded (5 of ProfilerStep#5); they go first.
  std::optional<std::int64_t> iter_start_number, iter_stop_number;
  std::optional<std::string> key_op, iteration_marker;
  /// Only this part of the profile: nanoseconds from its start, [first, second).
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  /// Moments by name, in time order, between which the profile is summed up.
  std::vector<std::pair<std::string, std::int64_t>> marks;
  /// Folder with the sources whose lines the report shows. Empty: none.
  std::string source_root;
  bool allow_incomplete = false;
  /// Files of `profgauge baseline save`, for the comparison.
  std::vector<std::string> baselines;
  /// The day for which waivers are judged, "2027-03-31", if it is later than today and
  /// $SOURCE_DATE_EPOCH.
  std::string now;
  EventsInPage events = EventsInPage::kAuto;
};

namespace api {

/// A value: nothing, a switch, a whole number (times in ns, counts, bytes), a real (shares 0..1,
/// rates), or a text.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// One entry of the metric catalog, with this run's value.
struct Metric {
  std::string id, title, definition;
  std::string unit;  ///< "ns", "ratio", "bytes", "count", …: like in report.json.
  std::optional<double> value;
  std::string text;            ///< As every report shows it: "31.4 %".
  std::string absent_because;  ///< Why there is no value; empty when there is one.
};

/// A column of a table. `unit`: as in Metric; it holds for every cell of the column.
struct TableColumn {
  std::string id, title, unit;
  std::string absent_because;  ///< Why no row has a value; may be empty.
};
/// A table by value: as many cells in each row as there are columns.
struct TableData {
  std::string id, title;
  std::vector<TableColumn> columns;
  std::vector<std::vector<Cell>> rows;  ///< Cells in the order of columns.
};

/// The result of a rule.
struct Finding {
  std::string rule;    ///< "io/dataloader-bound"
  std::string level;   ///< "error", "warn" or "info": how bad it is where it fires.
  std::string status;  ///< `level` if it fired; else "pass", "waived", "not_applicable", "broken".
  std::string title, message, advice;
  std::optional<double> gain;  ///< ns per iteration that fixing it saves; absent: unknown.
  std::string gain_text;       ///< "saves at most 2.44 ms": how that is known.
  std::string reason;          ///< Why it passes or does not apply, or who waived it; may be empty.
};

}  // namespace api

/// A run that was analyzed and judged: everything that reports are drawn from.
class Judgement {
 public:
  struct Data;
  explicit Judgement(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  /// "pass", "fail" or "no_verdict".
  std::string_view status() const;
  bool passed() const { return status() == "pass"; }
  /// The exit code of `profgauge check`: 0, 1 or 3.
  int exit_code() const;
  /// A metric's value in its base unit (ns, 0..1, bytes, counts); nothing when the profile cannot
  /// give it or there is no such metric. To distinguish the two, look for the id in metrics(): it
  /// has the reason of an absent value. Metrics that reports of this kind of device leave out are
  /// found here, too.
  std::optional<double> Metric(std::string_view id) const;
  /// Every metric that reports of this kind of device list, in catalog order.
  std::vector<api::Metric> metrics() const;
  /// Ids of the tables that the run has, in catalog order.
  std::vector<std::string> tables() const;
  /// All of a table; nothing when the run does not have it. A copy of every cell: O(rows x columns)
  /// time and memory.
  std::optional<api::TableData> Table(std::string_view id) const;
  /// All rules: those that cannot be evaluated, then those that fired: errors and warnings
  /// about the profile first, then the largest saving; a symptom follows its cause.
  /// Waived, passed and not applicable ones are last, with their reason.
  std::vector<api::Finding> findings() const;
  const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// Analyzes a run and compares the policy with it, as `profgauge check` does. The recording is only
/// read, and may be evaluated several times, by different policies and from several threads.
/// Errors, never none: kConfig, all that is wrong with the policy; else all that is with its rules;
/// else the first that is with the baselines; kUsage for the day and the selection. A run that
/// fails its limits is no error: it is a judgement whose status() is "fail".
tl::expected<Judgement, std::vector<Error>> Evaluate(const Recording& recording,
                                                     const EvaluateOptions& options);

enum class Format : std::uint8_t { kHtml, kMarkdown, kXlsx, kJson, kText };

/// The bytes of a report: those that `profgauge check` writes of the same run, policy and choices.
/// The same judgement gives the same bytes. kText is the terminal's output without color, 100
/// columns wide. Errors: kOutput for kXlsx, when its library fails.
Result<std::string> Render(const Judgement& judgement, Format format);

}  // namespace profgauge
