// Where analyses put their results: metrics by id and tables by id, checked against the catalog.
// An Output collects, an Analysis (analysis/analysis.h) is read: MoveTo() turns one into the other.
// It computes no numbers.
//
// Several parts of an analysis run side by side, each with its own Output, which are joined in a
// fixed order, so that the result does not depend on which was done first.
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
/// for a known text. Not safe for several threads.
class Texts {
 public:
  /// Both must outlive this.
  Texts(const Profile& profile, StringPool& pool)
      : profile_(profile), pool_(pool), known_(profile.strings.size()) {}

  /// The same text in the output's pool; invalid stays invalid.
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

/// Bounds of numbers where graphs were recorded whole; only Nsight Systems does that.
inline constexpr std::string_view kWholeGraphs =
    "the kernels of graphs that were recorded as a whole are unknown; record with `nsys profile "
    "--cuda-graph-trace=node`";

/// Collects the results of one run. A metric that no analysis sets is absent, with a reason.
class Output {
 public:
  /// `hints` are for Gap(), which the run's first profile gives. The catalog's texts and hints may
  /// name parts of the device as `{{ device.core }}`; they come out in the words of `accelerator`.
  /// Reasons, notes and remarks stay as they are: names of parts of a device in them go through
  /// `Told()` before any recorded name joins it. `unwanted`: Selection::unwanted_tables.
  explicit Output(std::span<const RecordingHint> hints = {},
                  Accelerator accelerator = Accelerator::kUnknown,
                  std::vector<std::string_view> unwanted = {});

  /// The value in the metric's unit (ns for times, 0 to 1 for shares). For a value that is absent,
  /// SetAbsent() takes the reason. Setting again replaces value and reason; notes stay.
  void Set(MetricId id, Value value);
  /// No value, because of `reason`: one clause without a period, with the data to record.
  void SetAbsent(MetricId id, std::string reason);
  /// Reason for data that the profile does not have, with how this format records it.
  std::string Gap(Capability capability) const { return Told(CapabilityGap(capability, hints_)); }
  /// How this format records it, or `otherwise` when the profile does not say. In device words.
  std::string HowToRecord(Capability capability, std::string_view otherwise) const;
  /// Replaces the metric's note, and whether its confidence is low. The value stays.
  void SetNote(MetricId id, std::string note, bool low_confidence = false);
  /// The metric's value, if it has one, may be anything up or down to `other`; `why` joins its
  /// note. Where it may be more and less, the worse counts, and it is too uncertain to fail a gate.
  /// In the metric's unit. A second call on the same side keeps the farther end.
  void MayBe(MetricId id, double other, std::string_view why);
  /// The same for what the profiler may have added (Metric::is_slowed), unless something else has
  /// bounded the metric before.
  void SlowedTo(MetricId id, double other, std::string_view why);
  /// The metric's value, if it has one, is known by an interval; `why` joins its note. Replaces the
  /// ends that MayBe() set. REQUIRES: low <= high.
  void SetInterval(MetricId id, double low, double high, std::string_view why);
  /// The metric's value, if it has one, is too uncertain to fail a gate; `why` joins its note.
  void MarkUncertain(MetricId id, std::string_view why);

  /// A table with every column of its catalog entry, empty; filled by the caller. Texts go through
  /// strings(), which all tables share. The reference stays valid while tables are added, and until
  /// one is removed or replaced. REQUIRES: `id` is in the table catalog and was not added before.
  Table& AddTable(std::string_view id);
  /// Whether anybody will look at that table. Those that grow with the profile ask.
  bool Wants(std::string_view id) const;
  /// As AddTable, in place of a table that was added before, or was absent with a reason.
  Table& ReplaceTable(std::string_view id);
  /// Takes back a table that was added, if it was. It is absent for this reason in either case.
  void RemoveTable(std::string_view id, std::string reason);
  const Value& ValueOf(MetricId id) const;  ///< So far; absent when no one set it.
  bool IsSet(MetricId id) const;            ///< Whether the metric has a value so far.
  /// For a column of a table that was added, if it was: this profile has nothing for it.
  void MarkColumnAbsent(std::string_view table, std::string_view column, std::string reason);
  /// Whose devices the run is of, for advice that only one vendor has.
  Accelerator accelerator() const { return accelerator_; }
  /// A text of ours in the words of these devices. Not for recorded names: `{{` in a kernel's name
  /// would be taken for a word.
  std::string Told(std::string_view text) const;
  bool HasRows(std::string_view id) const;  ///< Whether the table was added and has rows so far.
  /// Why the table has no rows, as of SetAbsent(). A table that is added as well keeps its rows.
  void SetTableAbsent(std::string_view id, std::string reason);
  /// The profile has no such basis (`&Basis::times`): removes the metrics, tables and columns
  /// of it so far; they are absent for this reason.
  void SetLacking(bool Basis::*basis, const std::string& reason);
  /// As MarkUncertain, for every metric of that basis.
  void MarkUncertain(bool Basis::*basis, std::string_view why);
  /// The pool of all tables of this Output.
  StringPool& strings() { return *strings_; }
  const Table* Added(std::string_view id) const;  ///< So far; nullptr when no one added it.

  /// The row of a table that counts a row of a rank's device table, kNoRow where none does: for the
  /// bounds of savings by those rows. Empty until a table's builder fills it.
  static constexpr std::uint32_t kNoRow = kNoIndex;
  std::vector<std::uint32_t>& RowsOfDevice(std::string_view table, std::size_t rank);
  /// Replaces the table's exposure; rows are those of the table in its final order.
  void SetExposure(std::string_view table, Exposure exposure);

  /// A remark on the data. Reports show remarks in the order in which they are added; some ids
  /// leave a verdict undecided (gate/doubts.h).
  void AddRemark(std::string id, std::string text);
  /// A remark where `table` has fewer rows than the `all` that the data has: "of 120 000 rows of
  /// the table "Instructions", the report has the first 100 000". REQUIRES: the table was added.
  void RemarkCut(std::string_view table, std::size_t all, std::string_view which);

  /// An empty one for the same run: for a part of the analysis that runs beside others.
  Output Beside() const { return Output(hints_, accelerator_, unwanted_); }
  /// Takes over the results of a part, after those here; for a metric that both set,
  /// the part decides. Its tables keep separate strings. REQUIRES: it added no table that
  /// is here.
  void Join(Output part);

  /// Moves everything into `analysis`, in catalog order. Metrics not set are absent with a reason;
  /// a column shorter than its table is filled with absent cells.
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
