// Evaluates one rule on one run: groups of rows, results, savings, texts, order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/catalog/row_exposure.h"
#include "expr/eval.h"
#include "expr/message.h"
#include "knowledge/quantity.h"
#include "rules/bindings.h"
#include "rules/compile.h"
#include "rules/evaluator.h"

namespace profgauge::rules {

/// Returns at least one finding; with `report: each`, one per fired or waived group, worst first.
std::vector<Finding> RunRule(const CompiledRule& rule, RunData& run, const RuleRunOptions& options);

// Groups of a rule's rows.

struct RowGroup {
  std::string key;    ///< "rank=3", "rank=1,gpu=0", "name=aten::mm"; empty without group_by.
  std::string label;  ///< "rank 3", "rank 1, GPU 0", "aten::mm"; empty without group_by.
  std::vector<expr::RowId> rows;
};

// Results of a rule by group, and the finding that they become: order, summaries, gain and
// evidence.

/// The result of one group before texts are made. If no limit is exceeded, the status is kGood, or
/// kNotFound without limits, or kNotApplicable if a deciding number is absent. `surely` is absent
/// if the number, or its uncertain part, may be within all limits.
struct Judged {
  const RowGroup* group = nullptr;
  FindingStatus status = FindingStatus::kNotFound;
  FindingStatus unwaived = FindingStatus::kNotFound;  ///< Its status without its waiver.
  expr::Outcome metric, gain;
  std::optional<double> most_gain;  ///< Upper bound from the cost of the rows in ns; MostGain.
  std::optional<RuleLimit> limit;
  std::optional<Level> surely;  ///< The level that is certain despite uncertainty of the number.
  std::string unsure_because;   ///< The false `sure_when` of the rule; else empty.
  std::string unknown_limit;    ///< Why a more severe limit could not be evaluated; else empty.
  bool low_confidence = false;
  bool is_small = false;  ///< Its gain is too small for more than information.
  std::string reason, missing_field;
  bool is_left_out = false;       ///< Its `when` is false.
  bool is_other_profile = false;  ///< `when` is false because of the profile (IsOtherProfile()).
  const Waiver* waiver = nullptr;
  std::vector<TraceValue> trace;
};

/// Sorts fired groups before waived, passed and not applicable ones, then by severity: by the
/// metric or, without one, by the number of rows. Equal groups keep their order.
void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged);

/// The entry of a group in `groups` of a finding: without gain and texts.
GroupResult SummaryOf(const CompiledRule& rule, Judged judged);

/// A gain in ns and as a share of the iteration; the share is 0 if unknown.
struct CappedGain {
  double gain = 0, share = 0;
};
/// Limits a saving to the cost of its rows (`most`) and to an iteration; never negative.
/// `iteration`: the metric of the mean iteration time; nullptr or absent if unknown.
CappedGain CapGain(double gain, std::optional<double> most, const analysis::Metric* iteration);

/// At most this many rows of a finding keep their index, by which pages link to them.
inline constexpr std::size_t kMostRowNumbers = 10'000;

/// Adds the rows that the rule shows: at most `most`, or the rule's own limit if that is 0.
void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out);

// The upper bound of a rule's own estimate: time in which only its rows delay devices, if other
// work neither starts earlier nor overlaps more without them. A simulation is not bounded by it.

/// Bounds for the findings of one rule over one run.
class MostGain {
 public:
  /// Both arguments must outlive this.
  MostGain(const CompiledRule& rule, const RunData& run);

  /// The bound in ns per iteration. If the rule's gain is idle time: idle time next to its rows;
  /// otherwise time in which devices do only this work. Nothing if not recorded.
  std::optional<double> Of(std::span<const expr::RowId> rows);

 private:
  const RunData& run_;
  const analysis::catalog::Exposure* exposure_ = nullptr;
  bool is_idle_;
  bool each_delays_all_;
  std::optional<analysis::catalog::ExposureCosts> costs_;  // Computed at the first call.
};

// The trace of a rule for `rules explain`: the value of every name and of every step.

/// "31.4 %", or "absent: …".
std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display);

/// Names whose value a rule uses directly, outside of aggregates.
enum class Named : std::uint8_t {
  kOfRun,    ///< Metrics, facts, common values of GPUs: one value for all groups.
  kOfGroup,  ///< Columns of the group's rank, GPU or key.
};

/// Appends each such name of the rule's expressions once, by first appearance, except parameters.
/// REQUIRES: `data` is bound; for kOfGroup, to a group.
void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace);

// The order of findings: causes with their symptoms, by savings.

/// Category of rules about the profile itself. They come first, because other findings depend on
/// it.
inline constexpr std::string_view kAboutRecording = "recording";

}  // namespace profgauge::rules
