#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "knowledge/plan.h"
#include "model/devices.h"
#include "rules/finding_texts.h"
#include "rules/reason_words.h"
#include "rules/rule_runner.h"

namespace profgauge::rules {
namespace {

using expr::Outcome;
using expr::RowId;

// Findings of a rule with `report: each`; more of them would hide those of other rules.
constexpr std::size_t kMostOfRule = 20;

/// Index of the most severe known limit that `metric` exceeds, or the number of limits if it
/// exceeds none. A value exactly on a limit does not exceed it.
std::size_t PassedLimit(std::span<const CompiledRule::Limit> limits,
                        std::span<const Outcome> values, double metric) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (IsAbsent(values[i].value)) continue;
    const double value = AsNumber(values[i].value, 0);
    if (limits[i].above ? metric > value : metric < value) return i;
  }
  return limits.size();
}

}  // namespace

std::vector<Finding> RuleRun::Run() {
  data_ = run_.Bind(rule_);
  finding_.rule = rule_.rule;
  finding_.key = rule_.rule->id;
  finding_.title = InDeviceWords(rule_.rule->title, run_.device_words());
  finding_.most = MostLevel();
  TraceNames(Named::kOfRun, finding_.trace);
  if (!CheckRows() || !CheckNeeds() || !SelectRows()) return {std::move(finding_)};
  for (const RowGroup& group : grouping_.groups) judged_.push_back(Judge(group));
  JudgeWhatMayBe();
  for (Judged& judged : judged_) {
    if (unknown_because_.empty() || !Passed(judged.status)) continue;
    judged.status = FindingStatus::kNotApplicable;
    judged.reason = unknown_because_;
    judged.missing_field = unknown_field_;
  }
  SortWorstFirst(rule_, judged_);
  if (judged_.empty()) {
    NotApplicable("no row has a value for the group", "");
    return {std::move(finding_)};
  }
  return Report();
}

void RuleRun::Trace(std::vector<TraceValue>& trace, std::string name, const expr::Program& program,
                    std::string shown) const {
  if (!options_.trace) return;
  trace.push_back({std::move(name), program.Text(), std::move(shown)});
}

FindingStatus RuleRun::StatusOf(Level level) {
  switch (level) {
    case Level::kInfo:
      return FindingStatus::kInfo;
    case Level::kWarn:
      return FindingStatus::kWarn;
    case Level::kError:
      return FindingStatus::kError;
  }
  return FindingStatus::kError;
}

// Judges all groups again with the other end of uncertain numbers. A profile may give a number as a
// range (Metric::value and may_be), e.g. if part of the time was not observed.
//
//     error_above 30 %      idle is 34 %, may be 26 %      error, then warning: certain warning
//     warn_above  15 %      idle is 34 %, may be 31 %      error both times: certain error
//
// An error that is not certain becomes a warning (DoubtError()). All other levels are those of the
// value.
void RuleRun::JudgeWhatMayBe() {
  expr::Data data = data_;
  bool is_open = false;
  for (std::size_t slot = 0; slot < rule_.names.bindings.size(); ++slot) {
    const Binding& binding = rule_.names.bindings[slot];
    if (binding.kind != Binding::Kind::kMetric || IsAbsent(data[slot].value)) continue;
    const analysis::Metric* metric = run_.FindMetric(binding.name);
    if (metric == nullptr || !metric->may_be) continue;
    data[slot].value = *metric->may_be;
    is_open = true;
  }
  if (!is_open) return;
  std::swap(data, data_);
  for (Judged& judged : judged_) {
    if (!judged.surely) continue;
    const Judged other = Judge(*judged.group);
    if (other.status == FindingStatus::kWaived) continue;
    if (other.surely) {
      judged.surely = std::min(*judged.surely, other.is_small ? Level::kInfo : *other.surely);
    } else {
      judged.surely.reset();
    }
    DoubtError(judged);
  }
  std::swap(data, data_);
}

void RuleRun::DoubtError(Judged& judged) const {
  const bool is_sure = judged.surely && Chosen(*judged.surely) == Level::kError;
  if (judged.status != FindingStatus::kError || is_sure) return;
  judged.status = FindingStatus::kWarn;
  judged.low_confidence = true;
}

// Judges one group: `when`, metric, limits, gain, waiver. Each step may be the last, so the order
// matters; the trace of `rules explain` has the same order.
Judged RuleRun::Judge(const RowGroup& group) {
  Judged out;
  out.group = &group;
  Prepare(group, out.trace);
  if (!CheckWhen(group, out)) return out;
  std::optional<Level> level = rule_.rule->level;
  out.surely = level;
  if (rule_.metric) {
    out.metric = expr::Evaluate(*rule_.metric, data_, group.rows);
    Trace(out.trace, "metric", *rule_.metric,
          Shown(out.metric, *rule_.metric, rule_.metric_display));
    if (IsAbsent(out.metric.value)) {
      MarkAbsent(out, out.metric);
      return out;
    }
    data_[rule_.metric_slot].value = out.metric.value;
    if (!rule_.limits.empty() && !CheckLimits(group, out, level)) return out;
  }
  if (rule_.gain) {
    out.gain = expr::Evaluate(*rule_.gain, data_, group.rows);
    Trace(out.trace, "gain", *rule_.gain, Shown(out.gain, *rule_.gain));
    if (rule_.gain_slot != expr::Schema::kNone) data_[rule_.gain_slot].value = out.gain.value;
  }
  if (!level) return out;
  if (UsesLowConfidence()) out.surely.reset();
  CheckSure(group, out);
  out.most_gain = most_gain_.Of(group.rows);
  TraceBound(out);
  out.is_small = Chosen(*level) != Level::kInfo && IsSmall(out);
  out.status = out.is_small ? FindingStatus::kInfo : StatusOf(Chosen(*level));
  DoubtError(out);
  Waive(group, out);
  return out;
}

void RuleRun::CheckSure(const RowGroup& group, Judged& out) {
  if (!rule_.sure_when || out.surely != Level::kError) return;
  const Outcome sure = expr::Evaluate(*rule_.sure_when, data_, group.rows);
  Trace(out.trace, "sure_when", *rule_.sure_when, Shown(sure, *rule_.sure_when));
  if (!IsAbsent(sure.value) && std::get<bool>(sure.value)) return;
  out.surely = Level::kWarn;
  // `rules explain` shows the condition; readers of a report did not write it.
  out.unsure_because = "the rule asks for more to be sure of an error, so this is a warning";
}

void RuleRun::Prepare(const RowGroup& group, std::vector<TraceValue>& trace) {
  BindGroup(rule_, run_, group.rows.front(), data_);
  TraceNames(Named::kOfGroup, trace);
  for (const CompiledRule::Let& let : rule_.lets) {
    const Outcome outcome = expr::Evaluate(let.value, data_, group.rows);
    data_[let.slot].value = outcome.value;
    data_[let.slot].absent_because = outcome.absent_because;
    Trace(trace, "let " + schema()[let.slot].name, let.value, Shown(outcome, let.value));
  }
}

std::string RuleRun::WhyAbsent(const Outcome& outcome) const {
  return WhyUnknown(rule_, run_, data_, outcome);
}

void RuleRun::MarkAbsent(Judged& out, const Outcome& outcome) const {
  out.status = FindingStatus::kNotApplicable;
  out.reason = WhyAbsent(outcome);
  out.missing_field = outcome.absent_field;
}

bool RuleRun::CheckWhen(const RowGroup& group, Judged& out) {
  if (!rule_.when) return true;
  const Outcome when = expr::Evaluate(*rule_.when, data_, group.rows);
  Trace(out.trace, "when", *rule_.when, Shown(when, *rule_.when));
  if (IsAbsent(when.value)) {
    MarkAbsent(out, when);
    return false;
  }
  if (!std::get<bool>(when.value)) {
    // If `when` is false, a rule with limits judges nothing, one without has found no problem.
    out.is_left_out = !rule_.limits.empty();
    if (out.is_left_out) out.status = FindingStatus::kNotApplicable;
    out.reason = WhyNotWhen(rule_, run_, data_, group.rows);
    out.is_other_profile = IsOtherProfile(rule_, data_, group.rows);
    return false;
  }
  return true;
}

// Compares the metric with the limits. An unknown limit does not matter if a more severe one is
// exceeded. If none is exceeded, the group cannot pass.
bool RuleRun::CheckLimits(const RowGroup& group, Judged& out, std::optional<Level>& level) {
  std::vector<Outcome> limits;
  for (const CompiledRule::Limit& limit : rule_.limits) {
    limits.push_back(limit.of_policy ? Outcome{*limit.of_policy, {}, {}, 0}
                                     : expr::Evaluate(limit.value, data_, group.rows));
    TraceLimit(limit, limits.back(), out.trace);
  }
  const auto unknown = std::find_if(limits.begin(), limits.end(),
                                    [](const Outcome& one) { return IsAbsent(one.value); });
  const std::size_t passed = PassedLimit(rule_.limits, limits, AsNumber(out.metric.value, 0));
  const bool fires = passed < limits.size();
  if (!fires && unknown != limits.end()) {
    MarkAbsent(out, *unknown);
    return false;
  }
  // If no limit is exceeded, the last one is the nearest, because error limits come first.
  const std::size_t shown = fires ? passed : limits.size() - 1;
  out.limit = {AsNumber(limits[shown].value, 0), rule_.limits[shown].above, MetricUnit()};
  level = fires ? std::optional(rule_.limits[passed].level) : std::nullopt;
  // A value of 0 is no good result: e.g. on one GPU, no collective is overlapped well.
  const bool is_nothing = rule_.limits.back().above && AsNumber(out.metric.value, 0) == 0;
  if (!fires) out.status = is_nothing ? FindingStatus::kNotFound : FindingStatus::kGood;
  out.surely = level;
  if (fires && unknown < limits.begin() + static_cast<std::ptrdiff_t>(passed)) {
    out.unknown_limit = WhyAbsent(*unknown);
  }
  return true;
}

void RuleRun::TraceLimit(const CompiledRule::Limit& limit, const Outcome& outcome,
                         std::vector<TraceValue>& trace) const {
  if (!options_.trace) return;
  trace.push_back({fmt::format("{}_{}", LevelName(limit.level), limit.above ? "above" : "below"),
                   limit.of_policy ? "the policy's limit on this metric" : limit.value.Text(),
                   Shown(outcome, limit.value, rule_.metric_display)});
}

Level RuleRun::MostLevel() const {
  Level most = rule_.rule->level.value_or(Level::kInfo);
  for (const CompiledRule::Limit& limit : rule_.limits) most = std::max(most, limit.level);
  return Chosen(most);
}

Level RuleRun::Chosen(Level own) const {
  switch (rule_.active.choice) {
    case RuleSetting::Choice::kInfo:
      return Level::kInfo;
    case RuleSetting::Choice::kWarn:
      return Level::kWarn;
    case RuleSetting::Choice::kError:
      return Level::kError;
    default:
      return own;
  }
}

void RuleRun::TraceBound(Judged& out) const {
  if (!options_.trace || !rule_.gain || !out.most_gain) return;
  out.trace.push_back(
      {"gain at most", "cost of these rows on a device", FormatDuration(*out.most_gain)});
}

std::optional<CappedGain> RuleRun::GainOf(const Judged& judged) const {
  if (!rule_.gain || IsAbsent(judged.gain.value)) return std::nullopt;
  return CapGain(AsNumber(judged.gain.value, 0), judged.most_gain,
                 run_.FindMetric(metric::kIterationTimeMean));
}

// False for rules without a gain, and if the policy sets the rule's level or limit.
bool RuleRun::IsSmall(const Judged& judged) const {
  if (rule_.active.choice != RuleSetting::Choice::kDefault) return false;
  for (const CompiledRule::Limit& limit : rule_.limits) {
    if (limit.of_policy) return false;
  }
  const analysis::Metric* iteration = run_.FindMetric(metric::kIterationTimeMean);
  if (iteration == nullptr || AsNumber(iteration->value, 0) <= 0) return false;
  const std::optional<CappedGain> gain = GainOf(judged);
  // Uses the median, too, because one very long iteration must not make other savings look small.
  const double mean = AsNumber(iteration->value, 0);
  const analysis::Metric* median = run_.FindMetric(metric::kIterationTimeMedian);
  const double usual = median == nullptr ? mean : AsNumber(median->value, mean);
  return gain &&
         gain->share * mean < options_.thresholds.findings_small_gain_share * std::min(mean, usual);
}

bool RuleRun::IsUncertain(const expr::Program& value) const {
  const std::vector<expr::Slot> fields = value.Fields();
  return std::any_of(fields.begin(), fields.end(), [this](expr::Slot slot) {
    const auto let = std::find_if(rule_.lets.begin(), rule_.lets.end(),
                                  [slot](const auto& some) { return some.slot == slot; });
    if (let != rule_.lets.end()) return IsUncertain(let->value);  // Only earlier ones.
    const analysis::Metric* metric = run_.FindMetric(SureAs(rule_.names.bindings[slot]));
    return metric != nullptr && metric->low_confidence;
  });
}

std::string_view RuleRun::SureAs(const Binding& binding) {
  if (binding.kind == Binding::Kind::kMetric) return binding.name;
  if (binding.table == nullptr) return {};
  for (const ColumnSpec& column : binding.table->columns) {
    if (column.id == binding.name) return column.as_sure_as;
  }
  return {};
}

// Applies a waiver: the last step, so that a waived finding keeps level, numbers and gain.
void RuleRun::Waive(const RowGroup& group, Judged& out) {
  for (const CompiledRule::Waived& waived : rule_.waivers) {
    if (options_.today && HasExpired(*waived.waiver, *options_.today)) continue;
    if (waived.where) {
      const Outcome fits = expr::Evaluate(*waived.where, data_, group.rows);
      if (IsAbsent(fits.value) || !std::get<bool>(fits.value)) continue;
    }
    out.unwaived = out.status;
    out.status = FindingStatus::kWaived;
    out.waiver = waived.waiver;
    out.reason = fmt::format("{} ({}, until {})", waived.waiver->reason, waived.waiver->owner,
                             waived.waiver->expires);
    return;
  }
}

std::vector<Finding> RunRule(const CompiledRule& rule, RunData& run,
                             const RuleRunOptions& options) {
  try {
    return RuleRun(rule, run, options).Run();
  } catch (const std::bad_alloc&) {
    throw;  // Not an error of the rule.
  } catch (const std::exception& failure) {
    // An exception is a defect of the program, which must not look like a pass.
    Finding broken;
    broken.rule = rule.rule;
    broken.key = rule.rule->id;
    broken.title = InDeviceWords(rule.rule->title, run.device_words());
    broken.status = FindingStatus::kBroken;
    broken.reason = failure.what();
    return {broken};
  }
}

// Makes the findings of a rule from the results of its groups.

// Makes findings from the groups: worst first, those that could not be judged last. The first also
// names a group that could not be judged, because it says nothing about other groups.
std::vector<Finding> RuleRun::Report() {
  std::size_t count = 1;
  if (rule_.rule->report == GroupReport::kEach) {
    while (count < judged_.size() && count < kMostOfRule &&
           (Fired(judged_[count].status) || judged_[count].status == FindingStatus::kWaived)) {
      ++count;
    }
  }
  std::vector<Finding> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(Word(judged_[i]));
  const Judged& last = judged_.back();  // Groups with an unknown value come last.
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

// Text for a passed rule: "2.9 % of the window without any GPU work (warns above 15 %)". It is made
// from the number, so it is always true. If rows were checked: "Kernels: 0 of 312".
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

// Makes the finding of a group. Passed findings get no texts, because these are not shown.
Finding RuleRun::Word(const Judged& judged) {
  Finding out = finding_;
  out.status = judged.status;
  out.unwaived = judged.unwaived;
  out.group = judged.group->label;
  if (!judged.group->key.empty()) out.key += "@" + judged.group->key;
  out.rows = judged.group->rows.size();
  const Table* table = rule_.names.table == nullptr ? nullptr : run_.FindTable(*rule_.names.table);
  // Rows beyond a table's limit concern a finding that concerns every row.
  if (table != nullptr && out.rows == table->rows() && !rule_.where) out.rows = table->all_rows();
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
  // A plan may include a passed rule, because it may become the bottleneck after earlier steps.
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

// Sets the low end of the saving if the host reacts. If that may be 0, the saving is a bound.
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

// Sets the estimate of a passed rule. It is not limited by the cost of the rows.
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

// The claim is the simulated saving or, without a simulation, the rule's estimate:
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
    const analysis::simulation::Prediction& found = *simulated_->prediction;
    const CappedGain simulated =
        CapGain(found.recorded_time - found.iteration_time, std::nullopt, iteration);
    // A saving of a few nanoseconds is rounding.
    const bool is_nothing =
        simulated.gain <= 0 ||
        (estimate && simulated.gain < knowledge::kFindingsNoGainShare * estimate->gain);
    if (is_nothing && estimate && estimate->gain > 0 && run_.MayMissWaits()) {
      claim.basis = Basis::kAtMost;
      claim.why = "the host may wait for the device without a recorded call";
    } else {
      claim.basis = Basis::kSimulated;
      claim.is_best_case = rule_.scenario->is_to_target();
      claim.is_typical = rule_.scenario->is_typical();
      if (claim.is_typical) claim.why = "how much of the work remains is usual, not recorded";
      saved = is_nothing ? CappedGain() : simulated;
      SetLow(*simulated_, saved->gain, claim);
      claim.saves = saved->gain;
      if (rule_.scenario->changes_host()) {
        AllowForExcess(run_.host_excess(), knowledge::kPlanLeastGainShare.Of(found.recorded_time),
                       claim);
      }
    }
  } else if (simulated_->is_without_rows && rule_.rule->gain->bound != GainBound::kUpper) {
    // The estimate is of work that the change would not shorten, or that it does not know. An upper
    // bound stays one.
    claim.basis = Basis::kUnknown;
    claim.why = "no launch is known to be one that the change shortens";
    data_[rule_.gain_slot].value = {};
    data_[rule_.gain_slot].absent_because = claim.why;
    return;
  } else if (estimate) {
    claim.basis = BasisOf(rule_.rule->gain->bound);
    claim.why = simulated_->absent_because;
    if (most_gain_.is_device_work()) {
      saved = CapGain(saved->gain, run_.SavingOfAllDeviceWork(), iteration);
    }
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

// Explains "16.2 %" of 867 ms beside "saves 170 ms". If the metric is no share of the iteration, or
// the rule estimates another part of it, there is nothing to compare.
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

namespace {

/// Orders groups of equal status; higher is worse. Uses the metric or, without one, the number of
/// rows.
double Badness(const CompiledRule& rule, const Judged& judged) {
  if (rule.metric && !IsAbsent(judged.metric.value)) {
    const bool below = !rule.limits.empty() && !rule.limits.front().above;
    return AsNumber(judged.metric.value, 0) * (below ? -1 : 1);
  }
  return static_cast<double>(judged.group->rows.size());
}

int PlaceOf(FindingStatus status) {
  if (Fired(status)) return static_cast<int>(status);
  if (status == FindingStatus::kWaived) return 3;
  return Passed(status) ? 4 : 5;
}

}  // namespace

void SortWorstFirst(const CompiledRule& rule, std::vector<Judged>& judged) {
  const auto key = [&rule](const Judged& one) {
    return std::tuple(PlaceOf(one.status), -Badness(rule, one));
  };
  std::stable_sort(judged.begin(), judged.end(),
                   [&key](const Judged& a, const Judged& b) { return key(a) < key(b); });
}

std::string LimitText(const RuleLimit& limit) {
  return fmt::format("{} {}", limit.fires_above ? ">" : "<", FormatLimit(limit.value, limit.unit));
}

GroupResult SummaryOf(const CompiledRule& rule, Judged judged) {
  GroupResult out;
  out.label = judged.group->label;
  out.status = judged.status;
  out.rows = judged.group->rows.size();
  out.metric = judged.metric.value;
  if (rule.metric) {
    out.metric_text = expr::Format(out.metric, rule.metric->type(), rule.metric_display);
  }
  out.waiver = judged.waiver;
  out.limit = judged.limit;
  out.reason = std::move(judged.reason);
  out.trace = std::move(judged.trace);
  return out;
}

CappedGain CapGain(double gain, std::optional<double> most, const analysis::Metric* iteration) {
  CappedGain out;
  out.gain = std::max(0.0, most ? std::min(gain, *most) : gain);
  if (iteration != nullptr && !IsAbsent(iteration->value)) {
    const double whole = AsNumber(iteration->value, 0);
    out.gain = std::min(out.gain, whole);
    if (whole > 0) out.share = out.gain / whole;
  }
  return out;
}

void AddEvidence(const CompiledRule& rule, const expr::Data& data, const RowGroup& group, int most,
                 Finding& out) {
  if (rule.columns.empty()) return;
  const std::size_t numbered = std::min(kMostRowNumbers, group.rows.size());
  out.row_numbers.assign(group.rows.begin(),
                         group.rows.begin() + static_cast<std::ptrdiff_t>(numbered));
  const RuleEvidence& spec = *rule.rule->evidence;
  const auto limit = static_cast<std::size_t>(most > 0 ? most : spec.limit);
  std::vector<expr::RowId> rows;
  if (rule.order_by) {
    rows = expr::Sorted(*rule.order_by, data, group.rows, limit);
  } else {
    const std::size_t count = std::min(limit, group.rows.size());
    rows.assign(group.rows.begin(), group.rows.begin() + static_cast<std::ptrdiff_t>(count));
  }
  for (std::size_t i = 0; i < rule.columns.size(); ++i) {
    const CompiledRule::Column& column = rule.columns[i];
    out.evidence_heads.push_back({spec.columns[i].head,
                                  expr::DisplayUnit(column.display, column.value.type()),
                                  column.display, spec.columns[i].is_code});
  }
  for (const expr::RowId row : rows) {
    std::vector<Value> cells;
    for (std::size_t i = 0; i < rule.columns.size(); ++i) {
      cells.push_back(expr::ToCell(expr::EvaluateRow(rule.columns[i].value, data, row).value,
                                   out.evidence_heads[i].unit));
    }
    out.evidence.push_back(std::move(cells));
  }
}

namespace {

/// The slots that the rule's expressions use, in the order of evaluation.
std::vector<expr::Slot> SlotsOf(const CompiledRule& rule) {
  std::vector<expr::Slot> slots;
  const auto add = [&slots](const expr::Program& program) {
    for (const expr::Slot slot : program.Fields()) {
      if (std::find(slots.begin(), slots.end(), slot) == slots.end()) slots.push_back(slot);
    }
  };
  if (rule.where) add(*rule.where);
  for (const CompiledRule::Let& let : rule.lets) add(let.value);
  if (rule.when) add(*rule.when);
  if (rule.metric) add(*rule.metric);
  for (const CompiledRule::Limit& limit : rule.limits) add(limit.value);
  if (rule.sure_when) add(*rule.sure_when);
  if (rule.gain) add(*rule.gain);
  if (rule.gain_at_most) add(*rule.gain_at_most);
  return slots;
}

bool Is(Named which, Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::kMetric:
    case Binding::Kind::kFact:
    case Binding::Kind::kCommon:
      return which == Named::kOfRun;
    case Binding::Kind::kColumn:
    case Binding::Kind::kJoined:
      return which == Named::kOfGroup;
    case Binding::Kind::kParam:
    case Binding::Kind::kComputed:
      break;
  }
  return false;
}

}  // namespace

std::string ShownOutcome(const expr::Outcome& outcome, const expr::Type& type,
                         const expr::Display& display) {
  if (!IsAbsent(outcome.value)) return expr::Format(outcome.value, type, display);
  return outcome.absent_because.empty() ? "absent" : "absent: " + outcome.absent_because;
}

void AddNames(const CompiledRule& rule, const expr::Data& data, Named which,
              std::vector<TraceValue>& trace) {
  for (const expr::Slot slot : SlotsOf(rule)) {
    const expr::Field& field = rule.names.schema[slot];
    if (field.scope == expr::Scope::kRow || !Is(which, rule.names.bindings[slot].kind)) continue;
    const expr::Source& source = data[slot];
    trace.push_back({field.name, "",
                     ShownOutcome({source.value, source.absent_because, field.name},
                                  expr::TypeOf(field.unit), {})});
  }
}

}  // namespace profgauge::rules
