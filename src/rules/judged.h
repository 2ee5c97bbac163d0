// The results of a rule by group of its rows, and how they become a finding: the order of
// groups, their summaries, the gain and the rows shown as evidence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expr/eval.h"
#include "rules/compile.h"
#include "rules/evaluator.h"
#include "rules/groups.h"

namespace profgauge {

/// The result of one group, before it is worded.
struct Judged {
  const RowGroup* group = nullptr;
  FindingStatus status = FindingStatus::kPass;
  FindingStatus unwaived = FindingStatus::kPass;  ///< Its status without its waiver.
  expr::Outcome metric, gain;
  std::optional<double> most_gain;  ///< The most that the rows can cost, in ns; MostGain.
  std::optional<RuleLimit> limit;
  std::optional<Level> surely;  ///< The level that is reached whatever is uncertain of the number.
  std::string unsure_because;   ///< The rule's condition (`sure_when`) that is false; else empty.
  std::string unknown_limit;  ///< Why a more severe limit than the passed one is absent, if one is.
  bool low_confidence = false;
  bool is_small = false;  ///< Its gain is too small for more than information.
  std::string reason, missing_field;
  const Waiver* waiver = nullptr;
  std::vector<TraceValue> trace;
};

/// Fired before waived before passed before not applicable; then the worse first, by the metric or,
/// without one, by the number of rows. Equal ones keep their order.
void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged);

GroupResult SummaryOf(const CompiledRule& rule, Judged judged);

/// A gain in ns, and its share of the iteration; 0 when that is unknown.
struct CappedGain {
  double gain = 0, share = 0;
};
/// A saving is at most the cost of its rows (`most`), at most the iteration, and never
/// negative. `iteration`: the mean iteration time; nullptr or absent if unknown.
CappedGain CapGain(double gain, std::optional<double> most, const Metric* iteration);

/// The rows that the rule shows, at most `most` of them; the rule's own limit when that is 0.
void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out);

}  // namespace profgauge
