// From the results of a rule's groups to its findings: which are reported, and what they say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "knowledge/plan.h"
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
                         last.status == FindingStatus::kNotApplicable && !last.is_left_out;
  if (is_partly && out.front().unanswered.empty()) {
    out.front().unanswered = fmt::format("of {}: {}", last.group->label, last.reason);
  }
  if (!rule_.names.keys.empty() || options_.trace) {
    for (Judged& judged : judged_)
      out.front().groups.push_back(SummaryOf(rule_, std::move(judged)));
  }
  return out;
}

// "2.9 % of the window without any GPU work (warns above 15 %)": a title made of the number cannot
// be false. "Kernels: 0 of 312" where rows were looked at.
std::string RuleRun::WhatIsFine(const Finding& found) const {
  if (found.status == FindingStatus::kGood && found.limit) {
    const std::string& is = rule_.rule->metric->is;
    const bool is_error = rule_.limits.back().level == Level::kError;
    const std::string limit = fmt::format("{} {} {}", is_error ? "fails" : "warns",
                                          found.limit->fires_above ? "above" : "below",
                                          FormatLimit(found.limit->value, found.limit->unit));
    const std::string of = InDeviceWords(is, run_.device_words());
    constexpr std::string_view kShare = "share ";
    if (of.starts_with("share of ")) {
      return fmt::format("{} {} ({})", found.metric_text, of.substr(kShare.size()), limit);
    }
    return fmt::format("{} ({}{}{})", found.metric_text, of, of.empty() ? "" : "; ", limit);
  }
  if (rule_.names.table == nullptr || !rule_.where) return {};
  return fmt::format("{}: 0 of {}", InDeviceWords(rule_.names.table->title, run_.device_words()),
                     FormatCount(static_cast<std::int64_t>(looked_at_)));
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
  out.is_left_out = judged.is_left_out;
  out.is_other_profile = judged.is_other_profile;
  if (Passed(out.status) && out.reason.empty()) out.reason = WhatIsFine(out);
  out.is_sure = judged.surely && StatusOf(Chosen(*judged.surely)) <= judged.status;
  out.is_uncertain = judged.low_confidence && out.status == FindingStatus::kWarn;
  if (out.is_uncertain) {
    out.reason = judged.unsure_because.empty() ? "the number is too uncertain to be an error"
                                               : judged.unsure_because;
  }
  const bool is_shown = Fired(out.status) || out.status == FindingStatus::kWaived;
  // A plan may reach a rule that passes: what is limited once the steps before are done.
  const bool may_be_next = (Passed(out.status) || out.is_left_out) && !out.is_other_profile &&
                           rule_.scenario && rule_.change;
  if (!is_shown && !may_be_next) return out;

  std::vector<TraceValue> again;
  Prepare(*judged.group, again);
  if (!is_shown) {
    out.change = expr::RenderMessage(*rule_.change, data_, judged.group->rows);
    SetEstimate(*judged.group, out);
    return out;
  }
  if (rule_.metric) data_[rule_.metric_slot].value = judged.metric.value;
  SetClaim(judged, out);
  for (const expr::Program& condition : rule_.explains_when) {
    const expr::Outcome holds = expr::Evaluate(condition, data_, judged.group->rows);
    Trace(out.trace, "explains_when", condition, Shown(holds, condition));
    out.explains_when.push_back(!IsAbsent(holds.value) && std::get<bool>(holds.value));
  }
  AddTexts(rule_, data_, judged.group->rows, out);
  AddExcess(judged, out);
  AddEvidence(rule_, data_, *judged.group, options_.evidence_rows, out);
  for (EvidenceHead& head : out.evidence_heads) {
    head.head = InDeviceWords(head.head, run_.device_words());
  }
  return out;
}

namespace {

Basis BasisOf(GainBound bound) {
  return bound == GainBound::kUpper ? Basis::kAtMost : Basis::kAbout;
}

// The least that it saves where the host reacts. Where that may be nothing, the saving is a bound.
void SetLow(const ScenarioOutcome& simulated, double saved, Claim& claim) {
  if (!simulated.slower_host || saved <= 0) return;
  const double recorded = simulated.prediction->recorded_time;
  const double low = std::clamp(recorded - *simulated.slower_host, 0.0, saved);
  const double least = knowledge::kPlanLeastGainShare.Of(recorded);
  if (low >= least) {
    if (saved - low >= least) claim.low = low;
    return;
  }
  claim.basis = Basis::kAtMost;
  claim.why = "slower work of the host may take all that it saves";
}

}  // namespace

// Of a rule that passes; without the upper bound of its rows, which findings need.
void RuleRun::SetEstimate(const RowGroup& group, Finding& out) {
  if (!rule_.gain) return;
  if (rule_.metric) {
    data_[rule_.metric_slot].value = expr::Evaluate(*rule_.metric, data_, group.rows).value;
  }
  const expr::Outcome gain = expr::Evaluate(*rule_.gain, data_, group.rows);
  if (IsAbsent(gain.value)) return;
  out.estimate =
      CapGain(AsNumber(gain.value, 0), std::nullopt, run_.FindMetric(metric::kIterationTimeMean))
          .gain;
}

// The rule's own estimate, or the simulation of its scenario:
//
//     estimate   simulated   upper bound          typical, measured
//     4 ms       3 ms        saves 3 ms           saves 3 ms
//     4 ms       -           saves at most 4 ms   saves about 4 ms
//     9 of 10    -           saving unknown       saves about 9 ms
void RuleRun::SetClaim(const Judged& judged, Finding& out) {
  if (!rule_.gain) return;
  Claim& claim = out.claim;
  const analysis::Metric* iteration = run_.FindMetric(metric::kIterationTimeMean);
  const std::optional<CappedGain> estimate = GainOf(judged);
  if (estimate) out.estimate = estimate->gain;
  if (!simulated_) simulated_ = run_.Simulate(rule_);
  std::optional<CappedGain> saved = estimate;
  if (saved && rule_.gain_at_most) {
    const expr::Outcome most = expr::Evaluate(*rule_.gain_at_most, data_, judged.group->rows);
    Trace(out.trace, "gain at most", *rule_.gain_at_most, Shown(most, *rule_.gain_at_most));
    saved = CapGain(saved->gain, AsNumber(most.value, saved->gain), iteration);
  }
  if (simulated_->prediction) {
    const analysis::path::Prediction& found = *simulated_->prediction;
    const CappedGain simulated =
        CapGain(found.recorded_time - found.iteration_time, std::nullopt, iteration);
    // The rounding of some nanoseconds saves nothing.
    const bool is_nothing =
        simulated.gain <= 0 ||
        (estimate && simulated.gain < knowledge::kFindingsNoGainShare * estimate->gain);
    if (is_nothing && estimate && estimate->gain > 0 && run_.MayMissWaits()) {
      claim.basis = Basis::kAtMost;
      claim.why = "the host may wait for the device without a recorded call";
    } else {
      claim.basis = Basis::kSimulated;
      saved = is_nothing ? CappedGain() : simulated;
      SetLow(*simulated_, saved->gain, claim);
      claim.saves = saved->gain;
      if (rule_.scenario->changes_host()) {
        AllowForProfiler(run_.profiler_delay(),
                         knowledge::kPlanLeastGainShare.Of(found.recorded_time), claim);
      }
    }
  } else if (estimate) {
    claim.basis = BasisOf(rule_.rule->gain->bound);
    claim.why = simulated_->absent_because;
  } else {
    claim.basis = Basis::kUnknown;
    claim.why = judged.gain.absent_because;
    return;
  }
  out.about_time = std::max(estimate ? estimate->gain : 0, saved->gain);
  out.worth = saved->share;
  const bool has_times = iteration != nullptr && !IsAbsent(iteration->value);
  if (claim.basis == Basis::kAtMost &&
      (!has_times || saved->share >= knowledge::kFindingsUnknownShare.value())) {
    claim.basis = Basis::kUnknown;
    claim.saves = 0;
    claim.why = has_times ? fmt::format("its upper bound is {} of the iteration time",
                                        FormatShare(saved->share))
                          : "the profile has no iteration times";
    data_[rule_.gain_slot].value = {};
    data_[rule_.gain_slot].absent_because = claim.why;
    return;
  }
  claim.saves = saved->gain;
  data_[rule_.gain_slot].value = claim.saves;
}

// "16.2 %" beside "saves 170 ms" of 867 ms needs a word. Where the metric is no share of the
// iteration, or the rule expects another part of it, there is nothing to compare.
void RuleRun::AddExcess(const Judged& judged, Finding& out) {
  const analysis::Metric* iteration = run_.FindMetric(metric::kIterationTimeMean);
  if (!out.claim.is_simulated() || iteration == nullptr || out.metric_unit != Unit::kShare) return;
  const double whole = AsNumber(iteration->value, 0);
  const double own = AsNumber(out.metric, 0) * whole;
  const double least = knowledge::kPlanLeastGainShare.Of(whole);
  const bool is_expected = std::abs(AsNumber(judged.gain.value, 0) - own) < least;
  if (own <= 0 || !is_expected || out.claim.saves - own < least) return;
  const std::string text = fmt::format(
      " Of the {}, {} is this time; the rest is later work that starts sooner.",
      FormatValue(Value(out.claim.saves), Unit::kTime), FormatValue(Value(own), Unit::kTime));
  AddPart(out.message_parts, TextPart::Kind::kText, text);
  out.message = profgauge::TextOf(out.message_parts);
}

}  // namespace profgauge::rules
