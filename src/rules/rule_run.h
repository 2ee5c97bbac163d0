// One rule compared with one run, step by step: groups of rows, results, savings, texts, order.
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

/// At least one finding; with `report: each` one per group that fired or was waived, worst first.
std::vector<Finding> RunRule(const CompiledRule& rule, RunData& run, const RuleRunOptions& options);

// Rows of a rule, by group.

struct RowGroup {
  std::string key;    ///< "rank=3", "rank=1,gpu=0", "name=aten::mm"; empty without group_by.
  std::string label;  ///< "rank 3", "rank 1, GPU 0", "aten::mm"; empty without group_by.
  std::vector<expr::RowId> rows;
};

// The results of a rule by group of its rows, and how they become a finding: the order of
// groups, their summaries, the gain and the rows shown as evidence.

/// The result of one group, before it is worded. Where no limit is passed the status is kGood,
/// kNotFound without limits, or kNotApplicable if a number that decides is absent. `surely` is
/// nothing where the number, or its uncertain part, may keep all limits.
struct Judged {
  const RowGroup* group = nullptr;
  FindingStatus status = FindingStatus::kNotFound;
  FindingStatus unwaived = FindingStatus::kNotFound;  ///< Its status without its waiver.
  expr::Outcome metric, gain;
  std::optional<double> most_gain;  ///< The most that the rows can cost, in ns; MostGain.
  std::optional<RuleLimit> limit;
  std::optional<Level> surely;  ///< The level that is reached whatever is uncertain of the number.
  std::string unsure_because;   ///< The rule's condition (`sure_when`) that is false; else empty.
  std::string unknown_limit;  ///< Why a more severe limit than the passed one is absent, if one is.
  bool low_confidence = false;
  bool is_small = false;  ///< Its gain is too small for more than information.
  std::string reason, missing_field;
  bool is_left_out = false;       ///< Its `when` is false.
  bool is_other_profile = false;  ///< The same by what the profile is (IsOtherProfile()).
  const Waiver* waiver = nullptr;
  std::vector<TraceValue> trace;
};

/// Fired before waived before passed before not applicable; then the worse first, by the metric or,
/// without one, by the number of rows. Equal ones keep their order.
void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged);

/// The row of a group in `groups` of a finding: without gain and texts.
GroupResult SummaryOf(const CompiledRule& rule, Judged judged);

/// A gain in ns, and its share of the iteration; 0 when that is unknown.
struct CappedGain {
  double gain = 0, share = 0;
};
/// A saving is at most the cost of its rows (`most`), at most the iteration, and never
/// negative. `iteration`: the mean iteration time; nullptr or absent if unknown.
CappedGain CapGain(double gain, std::optional<double> most, const analysis::Metric* iteration);

/// Rows of a finding that are kept by number: pages lead to them in their table.
inline constexpr std::size_t kMostRowNumbers = 10'000;

/// The rows that the rule shows, at most `most` of them; the rule's own limit when that is 0.
void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out);

// The upper bound of a rule's own estimate: the time in which only its rows keep devices from
// finishing, if other work neither starts earlier nor overlaps more once they are gone. A
// simulation knows better and is not bounded by it.

/// For the findings of one rule over one run.
class MostGain {
 public:
  /// Both must outlive this.
  MostGain(const CompiledRule& rule, const RunData& run);

  /// In ns per iteration. Where the rule's gain is idle time, the idle time that its rows touch;
  /// otherwise the time in which devices do only their work. Nothing where not recorded.
  std::optional<double> Of(std::span<const expr::RowId> rows);

 private:
  const RunData& run_;
  const analysis::catalog::Exposure* exposure_ = nullptr;
  bool is_idle_;
  bool each_delays_all_;
  std::optional<analysis::catalog::ExposureCosts> costs_;  // From the first question on.
};

// The trace that `rules explain` shows of a rule's run: the value of every name and of every step.

/// "31.4 %", or "absent: …".
std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display);

/// Names whose value a rule uses as it is, outside of aggregates.
enum class Named : std::uint8_t {
  kOfRun,    ///< Metrics, facts, values common to all GPUs: the same for all groups.
  kOfGroup,  ///< Columns of the group's rank, GPU or key.
};

/// Appends each such name of the rule's expressions once, by first appearance. Parameters are not
/// among them: they are part of the rule. REQUIRES: `data` is bound, to a group for kOfGroup.
void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace);

// The order of findings: causes with their symptoms, by their savings.

/// The category of rules about the profile itself. They come first: when it cannot be trusted,
/// nothing else can.
inline constexpr std::string_view kAboutRecording = "recording";

}  // namespace profgauge::rules
