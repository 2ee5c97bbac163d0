// From the results of a rule's groups to its findings: which are reported, and what they say.
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "model/devices.h"
#include "rules/rule_run.h"
#include "rules/rule_runner.h"

namespace profgauge::rules {

// Judged groups are sorted, the worst first, and those that could not be judged last. A rule that
// fires for one group says nothing of the others, so what could not be answered is said with it.
std::vector<Finding> RuleRun::Report() {
  std::size_t count = 1;
  if (rule_.rule->report == GroupReport::kEach) {
    while (count < judged_.size() && knowledge::kFindingsMostOfRule > count &&
           (Fired(judged_[count].status) || judged_[count].status == FindingStatus::kWaived)) {
      ++count;
    }
  }
  std::vector<Finding> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Word(judged_[i]));
  const Judged& last = judged_.back();  // Those with an unknown value come last.
  const bool is_partly = out.front().status != FindingStatus::kNotApplicable &&
                         last.status == FindingStatus::kNotApplicable;
  if (is_partly && out.front().unanswered.empty()) {
    out.front().unanswered = fmt::format("of {}: {}", last.group->label, last.reason);
  }
  if (!rule_.names.keys.empty() || options_.trace) {
    for (Judged& judged : judged_)
      out.front().groups.push_back(SummaryOf(rule_, std::move(judged)));
  }
  return out;
}

// Messages of what passed are never seen, so texts are made only for what is shown.
Finding RuleRun::Word(const Judged& judged) {
  Finding out = finding_;
  out.status = judged.status;
  out.unwaived = judged.unwaived;
  out.group = judged.group->label;
  if (!judged.group->key.empty()) out.key += "@" + judged.group->key;
  out.rows = judged.group->rows.size();
  out.limit = judged.limit;
  out.reason = judged.reason;
  out.missing_field = judged.missing_field;
  out.waiver = judged.waiver;
  if (rule_.metric) {
    out.metric = judged.metric.value;
    out.metric_unit = MetricUnit();
    if (!IsAbsent(out.metric)) {
      out.metric_text = expr::Format(out.metric, rule_.metric->type(), rule_.metric_display);
    }
  }
  if (judged.is_small) {
    out.reason = fmt::format("informational: it can save less than {:g} % of an iteration",
                             100 * options_.thresholds.findings_small_gain_share.value());
  }
  if (!judged.unknown_limit.empty() && Fired(judged.status)) {
    out.unanswered = "a stricter limit could not be evaluated: " + judged.unknown_limit;
    if (out.reason.empty()) out.reason = out.unanswered;
  }
  if (out.status == FindingStatus::kPass && !rule_.rule->title_pass.empty()) {
    out.title = InDeviceWords(rule_.rule->title_pass, run_.device_words());
  }
  out.is_sure = judged.surely && StatusOf(Chosen(*judged.surely)) <= judged.status;
  out.is_uncertain = judged.low_confidence && out.status == FindingStatus::kWarn;
  if (out.is_uncertain) {
    out.reason = judged.unsure_because.empty() ? "the number is too uncertain to be an error"
                                               : judged.unsure_because;
  }
  const bool is_shown = Fired(out.status) || out.status == FindingStatus::kWaived;
  // A plan may reach a rule that passes: what is limited once the steps before are done.
  const bool may_be_next = out.status == FindingStatus::kPass && rule_.scenario && rule_.change;
  if (!is_shown && !may_be_next) return out;

  std::vector<TraceValue> again;
  Prepare(*judged.group, again);
  if (!is_shown) {
    out.change = expr::RenderMessage(*rule_.change, data_, judged.group->rows);
    return out;
  }
  if (rule_.metric) data_[rule_.metric_slot].value = judged.metric.value;
  SetGain(judged, out);
  for (const expr::Program& condition : rule_.explains_when) {
    const expr::Outcome holds = expr::Evaluate(condition, data_, judged.group->rows);
    Trace(out.trace, "explains_when", condition, Shown(holds, condition));
    out.explains_when.push_back(!IsAbsent(holds.value) && std::get<bool>(holds.value));
  }
  AddTexts(rule_, data_, judged.group->rows, out);
  AddEvidence(rule_, data_, *judged.group, options_.evidence_rows, out);
  for (EvidenceHead& head : out.evidence_heads) {
    head.head = InDeviceWords(head.head, run_.device_words());
  }
  return out;
}

void RuleRun::SetGain(const Judged& judged, Finding& out) {
  std::optional<CappedGain> gain = GainOf(judged);
  if (!gain) return;
  if (!replayed_) replayed_ = run_.ReplayedGain(rule_);
  if (*replayed_) {
    const double estimate = gain->gain;
    gain = CapGain(**replayed_, std::nullopt, run_.FindMetric(metric::kIterationTimeMean));
    out.gain_replayed = true;
    out.gain_limit = std::max(estimate, gain->gain);
  }
  out.gain = gain->gain;
  out.gain_share = gain->share;
  data_[rule_.gain_slot].value = gain->gain;
}

}  // namespace profgauge::rules
