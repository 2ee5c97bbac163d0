// What a rule came to in each group of its rows, and how that becomes a finding: the order of
// groups, their summaries, the gain and the rows shown as evidence.
#pragma once

#include <string>
#include <vector>

#include "expr/eval.h"
#include "rules/compile.h"
#include "rules/evaluator.h"
#include "rules/groups.h"

namespace profgauge {

/// What one group came to, before anything is worded.
struct Judged {
  const RowGroup* group = nullptr;
  FindingStatus status = FindingStatus::kPass;
  expr::Outcome metric, gain;
  std::string limit_text;
  bool low_confidence = false;
  std::string reason, missing_field;
  const Waiver* waiver = nullptr;
  std::vector<TraceValue> trace;
};

/// Fired before waived before passed before not applicable; then the worse first, by the metric or,
/// without one, by the number of rows. Equal ones keep their order.
void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged);

GroupResult SummaryOf(const CompiledRule& rule, Judged judged);

/// Sets the gain, in ns, and its share of the iteration: no saving is larger than what is there to
/// save, and none is negative. `iteration`: the mean iteration time; nullptr or absent if unknown.
void CapGain(double gain, const Metric* iteration, Finding& out);

/// The rows that the rule shows, at most `most` of them; the rule's own limit when that is 0.
void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out);

}  // namespace profgauge
