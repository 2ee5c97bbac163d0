#include "gate/baseline_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "gate/change_text.h"
#include "gate/comparable.h"
#include "gate/compare_metric.h"
#include "gate/constants.h"
#include "gate/limits.h"
#include "gate/reasons.h"

namespace profgauge::gate {
namespace {

// The certain failures and the undecided questions of a comparison.
struct Added {
  std::vector<std::string> failures, open;
};

// The change as text, in the unit of the limit that is printed beside it.
std::string ChangeText(const MetricComparison& metric) {
  const bool is_share = metric.unit == Unit::kShare;
  if (!metric.is_relative || metric.base == 0) {
    if (is_share) return fmt::format("{:+.2f} percentage points", metric.change * 100);
    return (metric.change < 0 ? "−" : "+") +
           FormatValue(Value{std::abs(metric.change)}, metric.unit);
  }
  std::string text = fmt::format("{:+.1f} %", metric.change / metric.base * 100);
  // Shows both values, because a relative change of a share is easily mistaken for points.
  if (is_share) {
    text += fmt::format(" (from {} to {})", FormatShare(metric.base), FormatShare(metric.current));
  }
  return text;
}

std::string_view ReasonIdOf(stats::Open open) {
  switch (open) {
    case stats::Open::kLearning:
      return kLearningReason;
    case stats::Open::kTooFew:
      return kTooFewReason;
    case stats::Open::kStalls:
      return kStallsReason;
    case stats::Open::kStart:
      return kStartReason;
    case stats::Open::kNo:
    case stats::Open::kAgain:
    case stats::Open::kUncertain:
      return kAgainReason;
  }
  return kAgainReason;
}

// The sentence about a limit that is missed or undecided.
std::string ResultText(const MetricComparison& metric) {
  const bool is_sentence =
      metric.method == CompareMethod::kStatistics || metric.method == CompareMethod::kChance;
  if (is_sentence) return fmt::format("{}: {}", metric.metric, metric.reason);
  std::string text =
      fmt::format("{} changed by {} against the baseline", metric.metric, ChangeText(metric));
  if (!metric.limit.empty()) text += ", limit " + metric.limit;
  if (!metric.reason.empty()) text += ", but " + metric.reason;
  return text;
}

// Counts a metric that cannot be compared as `missing`. With `no_verdict` it also prevents a
// verdict (unless it is only information), and with `fail` it fails if its level can fail the run.
void CountMissing(const std::string& what, const std::string& why, rules::Level level,
                  const rules::Policy& policy, Verdict& verdict, Added& added) {
  ++verdict.missing;
  const std::string text =
      WithReason(fmt::format("{} cannot be compared: {}", what, why), "baseline/no-value");
  if (policy.on_missing == rules::OnMissing::kNoVerdict && level != rules::Level::kInfo) {
    added.open.push_back(text);
  } else if (policy.on_missing == rules::OnMissing::kFail && Fails(level, policy.fail_on)) {
    added.failures.push_back(text);
  }
}

void CountFailed(MetricComparison& metric, const rules::Policy& policy,
                 const Acceptance& acceptance, Verdict& verdict, Added& added) {
  AcceptanceAnswer answer = AnswerOf(acceptance, metric);
  if (answer.accepted) {
    metric.excuse = Excuse::kAccepted;
    verdict.accepted.push_back(*std::move(answer.accepted));
    return;
  }
  if (metric.level == rules::Level::kError) ++verdict.errors;
  if (metric.level == rules::Level::kWarn) ++verdict.warnings;
  // A change larger than its acceptance fails, with the line that would accept it.
  if (!answer.why_not.empty()) {
    metric.reason += (metric.reason.empty() ? "" : "; ") + answer.why_not;
  }
  if (Fails(metric.level, policy.fail_on)) added.failures.push_back(ResultText(metric));
}

// Counts an undecided change. If its estimate exceeds the limit, it is never a pass, whatever
// `on_inconclusive` is; but it only warns if a certain miss would not fail the run.
void CountInconclusive(const MetricComparison& metric, const rules::Policy& policy,
                       Verdict& verdict, Added& added) {
  verdict.needed = std::max(verdict.needed, static_cast<std::int64_t>(metric.needed));
  if (metric.level == rules::Level::kInfo) {  // Information never prevents a verdict.
    if (!metric.over_limit && policy.on_inconclusive == rules::OnInconclusive::kPass)
      ++verdict.passed;
    return;
  }
  const bool is_ignored =
      metric.open == stats::Open::kTooFew && policy.on_inconclusive == rules::OnInconclusive::kPass;
  if (metric.over_limit && !is_ignored) {
    if (Fails(metric.level, policy.fail_on)) {
      ++verdict.open;
      added.open.push_back(WithReason(ResultText(metric), ReasonIdOf(metric.open)));
    } else {
      ++verdict.warnings;
    }
    return;
  }
  switch (policy.on_inconclusive) {
    case rules::OnInconclusive::kWarn:
      ++verdict.warnings;
      break;
    case rules::OnInconclusive::kPass:
      ++verdict.passed;
      break;
    case rules::OnInconclusive::kNoVerdict:
      ++verdict.open;
      added.open.push_back(WithReason(ResultText(metric), ReasonIdOf(metric.open)));
      break;
  }
}

// True if the change is accepted. An accepted change needs no second profile, whether it is one of
// all iterations, of a few that stalled, or of the start.
bool IsAcceptedAtOnce(MetricComparison& metric, const Acceptance& acceptance, Verdict& verdict) {
  const bool shows_change =
      metric.open == stats::Open::kAgain || metric.open == stats::Open::kLearning ||
      metric.open == stats::Open::kStalls || metric.open == stats::Open::kStart;
  if (!shows_change) return false;
  AcceptanceAnswer answer = AnswerOf(acceptance, metric);
  if (!answer.accepted) return false;
  metric.excuse = Excuse::kAccepted;
  verdict.accepted.push_back(*std::move(answer.accepted));
  return true;
}

void Count(MetricComparison& metric, const rules::Policy& policy, const Acceptance& acceptance,
           Verdict& verdict, Added& added) {
  if (metric.is_missing)
    return CountMissing(metric.metric, metric.reason, metric.level, policy, verdict, added);
  switch (metric.verdict) {
    case stats::Change::kFail:
      return CountFailed(metric, policy, acceptance, verdict, added);
    case stats::Change::kInconclusive:
      if (IsAcceptedAtOnce(metric, acceptance, verdict)) return;
      return CountInconclusive(metric, policy, verdict, added);
    case stats::Change::kPass:
    case stats::Change::kImproved:
      ++verdict.passed;
      return;
  }
}

// Prevents a verdict for a run that ended early, unless the policy sets `iterations.min`.
void CountEndedEarly(const RunComparison& comparison, const rules::Policy& policy, Added& added) {
  if (!comparison.ended_early || policy.iterations.min) return;
  const EndedEarly& ended = *comparison.ended_early;
  added.open.push_back(fmt::format(
      "{} iteration{}, the baseline's runs have {}: did it break off? If that is meant, set "
      "`iterations.min` [baseline/ended-early]",
      ended.iterations, ended.iterations == 1 ? "" : "s", ended.of));
}

// Counts parts that are slower in the only run. If they could fail the run, a second run decides.
void CountOnce(const PartsComparison& parts, bool may_fail, Verdict& verdict, Added& added) {
  if (parts.once.empty()) return;
  if (!may_fail) return verdict.notes.push_back(parts.once);
  ++verdict.open;
  verdict.needed = std::max(verdict.needed, static_cast<std::int64_t>(stats::kRecordingsForDoubt));
  added.open.push_back(WithReason(parts.once, kPartOnceReason));
}

// Counts a kind of parts that is slower as a whole, without a missed limit on time. It is one
// warning, if two runs show it.
void CountCommon(const PartsComparison& parts, bool is_counted, const rules::Policy& policy,
                 Verdict& verdict, Added& added) {
  const bool warns = parts.is_common_confirmed && parts.level != rules::Level::kInfo;
  if (!is_counted) ++(warns ? verdict.warnings : verdict.passed);
  const bool fails = warns && Fails(rules::Level::kWarn, policy.fail_on);
  if (fails) return added.failures.push_back(fmt::format("{}: {}", parts.kind, parts.common));
  verdict.notes.push_back(parts.common);
}

// Counts a kind of parts once, however many of its parts are slower.
void CountParts(const RunComparison& comparison, const rules::Policy& policy,
                const Acceptance& acceptance, Verdict& verdict, Added& added) {
  for (const PartsComparison& parts : comparison.parts) {
    if (!parts.open.empty()) {
      ++verdict.open;
      added.open.insert(added.open.end(), parts.open.begin(), parts.open.end());
      continue;
    }
    if (!parts.missing.empty()) {
      CountMissing(parts.kind, parts.missing, parts.level, policy, verdict, added);
      continue;
    }
    const bool is_found = !parts.found.empty(), is_common = !parts.common.empty();
    if (!is_found && parts.once.empty() && !is_common) {
      ++verdict.passed;
      continue;
    }
    const bool may_fail = Fails(parts.level, policy.fail_on);
    AcceptanceAnswer answer = AnswerOf(acceptance, parts);
    if (answer.accepted && (is_found || parts.is_common_confirmed || may_fail)) {
      verdict.accepted.push_back(*std::move(answer.accepted));
      if (is_found) verdict.notes.push_back(parts.found);
      if (!parts.once.empty()) verdict.notes.push_back(parts.once);
      if (is_common) verdict.notes.push_back(parts.common);
      continue;
    }
    if (is_common) CountCommon(parts, is_found || !parts.once.empty(), policy, verdict, added);
    if (!is_found && parts.once.empty()) continue;
    CountOnce(parts, may_fail, verdict, added);
    if (!is_found) {
      if (!may_fail) ++verdict.passed;
      continue;
    }
    if (parts.level == rules::Level::kError) ++verdict.errors;
    if (parts.level == rules::Level::kWarn) ++verdict.warnings;
    if (!may_fail && parts.level == rules::Level::kWarn) {
      verdict.part_warnings.emplace_back(parts.kind, parts.found);
    } else {
      (may_fail ? added.failures : verdict.notes).push_back(parts.found);
    }
    std::vector<std::string>& said = may_fail ? added.failures : verdict.notes;
    if (!answer.why_not.empty()) said.push_back(fmt::format("{}: {}", parts.kind, answer.why_not));
  }
}

std::string Incomparable(const RunComparison& comparison) {
  const std::string text =
      "the baseline is not comparable: " + HardDifferences(comparison.differences);
  constexpr std::size_t kStart = kLoadProperty.size();
  for (const Difference& difference : comparison.differences) {
    if (!difference.is_hard || !difference.property.starts_with(kLoadProperty)) continue;
    return fmt::format(
        "{} is {} here and {} in the baseline: latencies under another load cannot be compared "
        "[baseline/other-load]",
        difference.property.substr(kStart), difference.current, difference.base);
  }
  const auto selects = [](const Difference& d) {
    return d.is_hard && d.property == kSelectionProperty;
  };
  if (std::any_of(comparison.differences.begin(), comparison.differences.end(), selects)) {
    return text +
           "; save it again as it is judged, with `profgauge baseline save --policy FILE` or "
           "`history add --policy FILE`, and the same options [baseline/other-selection]";
  }
  return text + " [baseline/not-comparable]";
}

}  // namespace

void AddMissingBaseline(const BaselineInfo& info, rules::OnBaselineMissing choice,
                        const rules::Policy& policy, Verdict& verdict) {
  if (info.state == BaselineState::kFirst) {
    ++verdict.warnings;
    return;
  }
  const std::string line =
      fmt::format("{} [baseline/{}]", BaselineLine(info),
                  info.state == BaselineState::kNoneComparable ? "none-comparable" : "lost");
  if (choice == rules::OnBaselineMissing::kNoVerdict) {
    if (verdict.status == VerdictStatus::kPass) verdict.status = VerdictStatus::kNoVerdict;
    verdict.reasons.push_back(line);
    return;
  }
  if (choice != rules::OnBaselineMissing::kWarn) return;
  ++verdict.warnings;
  if (!Fails(rules::Level::kWarn, policy.fail_on)) return;
  verdict.status = VerdictStatus::kFail;
  verdict.reasons.push_back(line);
}

void AddComparison(RunComparison& comparison, const rules::Policy& policy, Verdict& verdict,
                   const Acceptance& acceptance, std::optional<std::chrono::sys_days> today) {
  Added added;
  if (!comparison.is_judged) {
    added.open.push_back(Incomparable(comparison));
    verdict.not_applicable += static_cast<std::int64_t>(comparison.metrics.size());
  } else {
    for (MetricComparison& metric : comparison.metrics) {
      // A waiver accepts a change of speed, but not a change of the work.
      const bool is_speed = metric.verdict == stats::Change::kFail || !LeavesOpen(comparison.work);
      if (today && is_speed && IsWaivedChange(metric, policy, *today, verdict)) {
        metric.excuse = Excuse::kWaived;
      } else {
        Count(metric, policy, acceptance, verdict, added);
      }
    }
    CountParts(comparison, policy, acceptance, verdict, added);
    const AcceptanceLine* work = acceptance.About(kAcceptWork);
    if (work != nullptr && comparison.work.is_accepted) {
      verdict.accepted.push_back({work->what, {}, {}, false, work->reason, acceptance.owner, {}});
    }
    CountEndedEarly(comparison, policy, added);
    if (comparison.is_same_run) {
      added.open.emplace_back(
          "the baseline contains only this profile; a run compared with itself shows no change "
          "[baseline/same-run]");
    } else if (comparison.has_same_run) {
      added.open.emplace_back(
          "the baseline contains this profile, which hides a part of each change: leave it out "
          "[baseline/same-run]");
    }
  }
  if (!added.failures.empty() && !comparison.blame.empty()) {
    verdict.notes.push_back(comparison.blame);
  }
  if (!added.failures.empty()) {
    verdict.status = VerdictStatus::kFail;
  } else if (!added.open.empty() && verdict.status == VerdictStatus::kPass) {
    verdict.status = VerdictStatus::kNoVerdict;
  }
  verdict.recordings = comparison.current_runs;
  // Failures come before undecided reasons; failures of limits before those of the baseline.
  auto& reasons = verdict.reasons;
  const bool had_failures = verdict.status == VerdictStatus::kFail && !added.failures.empty();
  reasons.insert(had_failures ? reasons.begin() : reasons.end(), added.failures.begin(),
                 added.failures.end());
  reasons.insert(reasons.end(), added.open.begin(), added.open.end());
}

namespace {

// The limits of the policy that apply to a comparison with the anchor.
rules::PolicyBaseline ForAnchor(rules::PolicyBaseline policy) {
  if (!policy.anchor.max_increase) return policy;
  for (rules::BaselineLimit& limit : policy.limits) {
    if (limit.max_increase && limit.max_increase->relative) {
      limit.max_increase->value = *policy.anchor.max_increase;
    }
  }
  return policy;
}

bool IsGraver(const MetricComparison& a, const MetricComparison& b) {
  return Weight(a.verdict, a.over_limit) > Weight(b.verdict, b.over_limit);
}

// "creep: +6.4 % [+4.0, +8.9] since v2.3 (12 runs), of which this commit at most +1.9 %".
std::string CreepText(const MetricComparison& creep, const MetricComparison& window,
                      const BaselineInfo& info) {
  std::string text = creep.over_limit ? "creep, undecided: " : "creep: ";
  const bool has_interval = creep.method == CompareMethod::kStatistics;
  const bool is_relative = creep.unit != Unit::kShare || creep.is_relative;
  text += has_interval && is_relative ? ChangeWithInterval(creep.shift, creep.low, creep.high)
                                      : creep.reason;
  if (IsOfTotal(creep)) {
    text += ", total " + RelativeChange(*creep.total);
  }
  text += fmt::format(" since {} ({} run{})", info.anchor, info.since_anchor,
                      info.since_anchor == 1 ? "" : "s");
  // If the window's interval includes the whole creep, this commit may have caused all of it.
  const bool is_part = creep.method != CompareMethod::kStatistics || window.high < creep.shift;
  if (window.method == CompareMethod::kStatistics && is_relative && is_part) {
    text += ", of which this commit at most " + RelativeChange(window.high);
  }
  return text + "; accept it or find it: profgauge history check";
}

}  // namespace

void HoldAgainstAnchor(std::span<const Snapshot> anchor, std::span<const Snapshot> candidates,
                       const rules::PolicyBaseline& policy, const BaselineInfo& info,
                       RunComparison& comparison, std::span<const Snapshot> earlier) {
  std::vector<std::string> notes;  // Remarks on the anchor's runs do not concern this run.
  // Changes of work since the anchor were judged when they happened, so they are accepted.
  const WorkChange work = CompareWork(anchor, candidates, true);
  for (MetricComparison& creep : CompareMetrics(anchor, candidates, ForAnchor(policy), work, notes,
                                                ComparePurpose::kJudge, earlier)) {
    if (IsExact(creep.metric) || creep.is_missing) continue;
    const auto window =
        std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                     [&](const MetricComparison& metric) { return metric.metric == creep.metric; });
    if (window == comparison.metrics.end() || window->is_missing) continue;
    const bool is_over = creep.verdict == stats::Change::kFail || creep.over_limit;
    if (!is_over || !IsGraver(creep, *window)) continue;
    creep.reason = CreepText(creep, *window, info);
    creep.since = info.anchor;
    *window = std::move(creep);
  }
}

}  // namespace profgauge::gate
