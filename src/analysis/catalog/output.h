// Collects the results of analyses: metrics by id and tables by id, checked against the catalog.
// MoveTo() converts an Output, which is written, to an Analysis (analysis/analysis.h), which is
// read. It computes no numbers.
//
// Parts of an analysis run in parallel, each with its own Output. These are joined in a fixed
// order, so that the result does not depend on which part ends first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/catalog/row_exposure.h"
#include "base/numbers.h"
#include "base/string_pool.h"
#include "model/devices.h"
#include "model/profile.h"

namespace profgauge::analysis::catalog {

/// Moves texts from one pool to another, each once: millions of rows have hundreds of names. O(1)
/// for known texts. Not thread-safe.
class Texts {
 public:
  /// Both must outlive this.
  Texts(const Profile& profile, StringPool& pool)
      : profile_(profile), pool_(pool), known_(profile.strings.size()) {}

  /// The id of the same text in the output's pool; invalid ids stay invalid.
  StringId operator()(StringId id) {
    if (!id.valid()) return {};
    StringId& known = known_[id.value];
    if (!known.valid()) known = pool_.Intern(profile_.Name(id));
    return known;
  }

 private:
  const Profile& profile_;
  StringPool& pool_;
  std::vector<StringId> known_;
};

/// The reason for bounds due to graphs recorded as one event, which only Nsight Systems does.
inline constexpr std::string_view kWholeGraphs =
    "the kernels of graphs that were recorded as a whole are unknown; record with `nsys profile "
    "--cuda-graph-trace=node`";

/// The reason for missing numbers of work.
inline constexpr std::string_view kNothingCounted = "no operator's FLOPs can be counted";

/// The reason for missing data on kernels where device work was recorded.
inline constexpr std::string_view kNoKernelRan = "no kernel ran in the judged time";

/// Collects the results of one run. A metric that no analysis sets is absent with a reason.
class Output {
 public:
  /// `hints`: of the run's first profile, for Gap(). Texts of the catalog and hints may contain
  /// words of the device, e.g. `{{ device.core }}`; those of `accelerator` replace them. In
  /// reasons, notes and remarks they are not replaced: pass such a text through Told() before
  /// adding recorded names. `unwanted`: Selection::unwanted_tables.
  explicit Output(std::span<const RecordingHint> hints = {},
                  Accelerator accelerator = Accelerator::kUnknown,
                  std::vector<std::string_view> unwanted = {});

  /// Sets the value in the metric's unit (ns for times, 0 to 1 for shares). For an absent value,
  /// use SetAbsent(). Setting again replaces value and reason; notes stay.
  void Set(MetricId id, Value value);
  /// Sets no value, but the `reason`: one clause without a period, with the data to record.
  void SetAbsent(MetricId id, std::string reason);
  /// The reason for missing data, with instructions to record it in this format.
  std::string Gap(Capability capability) const { return Told(CapabilityGap(capability, hints_)); }
  /// The reason for missing FLOPs and bytes of operators: input shapes were not recorded, or (with
  /// `has_shapes`) the work of none of the operators can be counted.
  std::string GapOfWork(bool has_shapes) const {
    return has_shapes ? std::string(kNothingCounted) : Gap(Capability::kShapes);
  }
  /// How this format records the data, in device words; `otherwise` if the profile has no hint.
  std::string HowToRecord(Capability capability, std::string_view otherwise) const;
  /// Replaces the metric's note, and whether its confidence is low. Does not change the value.
  void SetNote(MetricId id, std::string note, bool low_confidence = false);
  /// Notes that the true value may be anything up or down to `other`, in the metric's unit; appends
  /// `why` to the note. Ignored without a value. A second call on the same side keeps the farther
  /// end. If the ends are on both sides, the worse one is kept, and the value is too uncertain to
  /// fail a gate.
  void MayBe(MetricId id, double other, std::string_view why);
  /// Like MayBe(), for a possible effect of the profiler. Sets Metric::is_slowed only if the metric
  /// had no other end before.
  void SlowedTo(MetricId id, double other, std::string_view why);
  /// Notes that the value, if any, is only known as an interval; `why` is appended to the note.
  /// Replaces ends set by MayBe(). REQUIRES: low <= high.
  void SetInterval(MetricId id, double low, double high, std::string_view why);
  /// Marks the value, if any, as too uncertain to fail a gate; `why` is appended to the note.
  void MarkUncertain(MetricId id, std::string_view why);

  /// Adds an empty table with every column of its catalog entry, for the caller to fill. Texts use
  /// strings(), which all tables share. The reference is valid while tables are added, until one is
  /// removed or replaced. REQUIRES: `id` is in the table catalog and was not added before.
  Table& AddTable(std::string_view id);
  /// Whether the table is needed. Builders of tables that grow with the profile check this.
  bool Wants(std::string_view id) const;
  /// Like AddTable(), but replaces an existing table, or its reason for being absent.
  Table& ReplaceTable(std::string_view id);
  /// Removes the table, if it was added, and makes it absent with this reason.
  void RemoveTable(std::string_view id, std::string reason);
  const Value& ValueOf(MetricId id) const;  ///< Current value; may be absent.
  bool IsSet(MetricId id) const;            ///< Whether it has a value now.
  /// Marks a column of a table, if added, as absent: this profile has no data for it.
  void MarkColumnAbsent(std::string_view table, std::string_view column, std::string reason);
  /// The manufacturer of the run's devices, for advice that depends on it.
  Accelerator accelerator() const { return accelerator_; }
  /// Replaces words of the device in a text. Not for recorded names, because `{{` in a kernel's
  /// name would be replaced.
  std::string Told(std::string_view text) const;
  bool HasRows(std::string_view id) const;  ///< Whether the table has rows now.
  /// Sets the reason why the table has no rows. A table that is also added keeps its rows.
  void SetTableAbsent(std::string_view id, std::string reason);
  /// For a profile without this basis (e.g. `&Basis::times`): removes the metrics, tables and
  /// columns that need it, and makes them absent with this reason.
  void SetLacking(bool Basis::*basis, const std::string& reason);
  /// Like MarkUncertain(), for every metric with this basis.
  void MarkUncertain(bool Basis::*basis, std::string_view why);
  /// The string pool of all tables of this Output.
  StringPool& strings() { return *strings_; }
  const Table* Added(std::string_view id) const;  ///< nullptr if not added so far.

  /// By row of a rank's device table, the row of `table` that counts it, or kNoRow. Used to bound
  /// the savings of rows. Empty until the builder of the table fills it.
  static constexpr std::uint32_t kNoRow = kNoIndex;
  std::vector<std::uint32_t>& RowsOfDevice(std::string_view table, std::size_t rank);
  /// Replaces the table's exposure; row numbers are those of the final table.
  void SetExposure(std::string_view table, Exposure exposure);

  /// Adds a remark on the data. Reports show remarks in this order; some ids leave a verdict
  /// undecided (gate/doubts.h).
  void AddRemark(std::string id, std::string text);
  /// Adds a remark if `table` has fewer than `all` rows: "of 120 000 rows of the table
  /// "Instructions", the report has the first 100 000". REQUIRES: the table was added.
  void RemarkCut(std::string_view table, std::size_t all, std::string_view which);

  /// An empty Output for the same run, for a part of the analysis that runs in parallel.
  Output Beside() const { return Output(hints_, accelerator_, unwanted_); }
  /// Appends the results of a part. If both Outputs set a metric, the part's value is used. Its
  /// tables keep separate strings. REQUIRES: no table was added to both.
  void Join(Output part);

  /// Moves everything into `analysis`, in catalog order. Metrics that were not set become absent
  /// with a reason; columns shorter than their table are filled with absent cells.
  void MoveTo(Analysis& analysis);

 private:
  std::span<const RecordingHint> hints_;
  Accelerator accelerator_;
  std::vector<std::string_view> unwanted_;
  Metric& Touched(MetricId id) {
    is_touched_[id.place()] = true;
    return metrics_[id.place()];
  }

  std::vector<Metric> metrics_;  // In catalog order.
  std::vector<bool> is_touched_;
  std::shared_ptr<StringPool> strings_;
  std::deque<Table> tables_;
  std::map<std::string, std::string, std::less<>> absent_tables_;
  std::vector<Remark> remarks_;
  std::map<std::pair<std::string, std::size_t>, std::vector<std::uint32_t>> device_rows_;
  std::map<std::string, std::shared_ptr<const Exposure>, std::less<>> exposures_;
};

}  // namespace profgauge::analysis::catalog
