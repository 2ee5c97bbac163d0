#include "rules/rule_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/format.h"
#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "model/devices.h"
#include "rules/reason_words.h"
#include "rules/rule_runner.h"

namespace profgauge::rules {
namespace {

using expr::Outcome;
using expr::RowId;

/// The first of the known limits, most severe first, that `metric` passes; their number for none.
/// A value exactly on a limit does not pass it.
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

// A profile may give a number as a range (Metric::value and may_be), e.g. when a part of the time
// was not observed. All groups are judged again as if the other end were true:
//
//     error_above 30 %      idle is 34 %, may be 26 %      first error, then warn: surely a warning
//     warn_above  15 %      idle is 34 %, may be 31 %      error both times: surely an error
//
// An error that a group does not surely reach becomes a warning (DoubtError()); every other level
// stays that of the value.
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

// In this order, since each step may end it: a condition, the metric, limits, the gain, the waiver.
// What comes first is what a reader of `rules explain` sees first.
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
  out.unsure_because = fmt::format("`{}` is false, so this is a warning instead of an error",
                                   rule_.sure_when->Text());
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
    // A rule with limits judges nothing; one without looked for just this.
    out.is_left_out = !rule_.limits.empty();
    if (out.is_left_out) out.status = FindingStatus::kNotApplicable;
    out.reason = WhyNotWhen(rule_, run_, data_, group.rows);
    out.is_other_profile = IsOtherProfile(rule_, data_, group.rows);
    return false;
  }
  return true;
}

// An unknown limit does not matter where a more severe one is passed; where none is, the rule
// cannot say that the group is well.
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
  // Errors come first: the last one is the nearest.
  const std::size_t shown = fires ? passed : limits.size() - 1;
  out.limit = {AsNumber(limits[shown].value, 0), rule_.limits[shown].above, MetricUnit()};
  level = fires ? std::optional(rule_.limits[passed].level) : std::nullopt;
  // Of what never happened there is nothing to praise: no collective hides well on one GPU.
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

// Not for rules without a gain, not where the policy sets the level or the limit.
bool RuleRun::IsSmall(const Judged& judged) const {
  if (rule_.active.choice != RuleSetting::Choice::kDefault) return false;
  for (const CompiledRule::Limit& limit : rule_.limits) {
    if (limit.of_policy) return false;
  }
  const analysis::Metric* iteration = run_.FindMetric(metric::kIterationTimeMean);
  if (iteration == nullptr || AsNumber(iteration->value, 0) <= 0) return false;
  const std::optional<CappedGain> gain = GainOf(judged);
  // One iteration of seconds makes nothing of the others small.
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
    if (let != rule_.lets.end()) return IsUncertain(let->value);  // Only those before it.
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

// Last, so that a waived finding keeps its level, its numbers and its gain.
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
    throw;  // Not its fault.
  } catch (const std::exception& failure) {
    // The language is total: an exception means memory or a defect; it must not look like a pass.
    Finding broken;
    broken.rule = rule.rule;
    broken.key = rule.rule->id;
    broken.title = InDeviceWords(rule.rule->title, run.device_words());
    broken.status = FindingStatus::kBroken;
    broken.reason = failure.what();
    return {broken};
  }
}

}  // namespace profgauge::rules
