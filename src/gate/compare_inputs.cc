#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/format.h"
#include "gate/change_text.h"
#include "gate/compare_metric.h"
#include "gate/constants.h"
#include "knowledge/gate.h"

namespace profgauge::gate {

void MetricComparer::NoteInputs(const InputMix& mix) {
  if (!mix.is_taken_off) return;
  const std::string more = std::abs(mix.longer) < knowledge::kGateMuchBetween.value()
                               ? std::string()
                               : fmt::format("; this run's inputs take {}, which is excluded",
                                             RelativeChange(mix.longer));
  AddOnce({"input shapes: iterations of the same shapes are compared" + more});
}

// Makes a result undecided if inputs have several lengths and some are unknown, because a change
// may come from them. A failure stays.
void MetricComparer::DoubtInputs(const InputMix& mix, MetricComparison& out) {
  if (mix.is_taken_off || mix.unknown_share <= 0 || out.verdict == stats::Change::kFail) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "{} of the iterations have input shapes that the baseline has not: record a baseline with "
      "them. As they are: {} [baseline/other-inputs]",
      FormatShare(mix.unknown_share), ChangeWithInterval(out.shift, out.low, out.high));
}

// A total over three limits is never a pass, even if only skipped inputs make it so long.
void MetricComparer::DoubtUnknownInputs(const InputMix& mix, MetricComparison& out) {
  if (!mix.is_taken_off || !out.total || out.verdict == stats::Change::kFail) return;
  const double all = (1 + *out.total) * (1 + mix.unknown_cost) - 1;
  if (all <= stats::kFarLimits * *out.total_limit) return;
  out.verdict = stats::Change::kInconclusive;
  out.over_limit = true;
  out.reason = fmt::format(
      "total {} with the {} of the iterations whose input shapes the baseline has not: record a "
      "baseline with them. Without them: {} [baseline/other-inputs]",
      RelativeChange(all), FormatShare(mix.unknown_share), out.reason);
}

}  // namespace profgauge::gate
