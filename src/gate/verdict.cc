#include "gate/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "gate/doubts.h"
#include "gate/limits.h"
#include "gate/reasons.h"
#include "gate/unrecorded.h"
#include "knowledge/gate.h"
#include "rules/compile.h"
#include "rules/waiver.h"

namespace profgauge::gate {
namespace {

/// The reasons of a verdict, by severity.
struct ReasonLists {
  std::vector<std::string> broken, failures, open;
};

void Count(const GateResult& result, const rules::Policy& policy, Verdict& verdict,
           ReasonLists& reasons) {
  const std::string sentence = fmt::format("{} {}", result.threshold.metric, result.reason);
  switch (result.status) {
    case GateStatus::kPass:
      ++verdict.passed;
      break;
    case GateStatus::kInfo:
      break;
    case GateStatus::kWarn:
      ++verdict.warnings;
      if (Fails(rules::Level::kWarn, policy.fail_on)) reasons.failures.push_back(sentence);
      break;
    case GateStatus::kLowConfidence:
      if (Fails(result.threshold.level, policy.fail_on)) {
        ++verdict.open;
        reasons.open.push_back(WithReason(sentence, kUncertainReason));
      } else {
        ++verdict.warnings;
      }
      break;
    case GateStatus::kError:
      ++verdict.errors;
      if (Fails(rules::Level::kError, policy.fail_on)) reasons.failures.push_back(sentence);
      break;
    case GateStatus::kMissing: {
      ++verdict.missing;
      const std::string missing =
          fmt::format("{} is missing: {}", result.threshold.metric, result.reason);
      const rules::Level level = result.threshold.level;
      if (OnMissingOf(result.threshold, policy) == rules::OnMissing::kFail) {
        if (Fails(level, policy.fail_on)) reasons.failures.push_back(missing);
      } else if (level != rules::Level::kInfo) {
        reasons.open.push_back(WithReason(missing, kMissingReason));
      }
      break;
    }
    case GateStatus::kSkipped:
    case GateStatus::kNotApplicable:
      ++verdict.not_applicable;
      break;
    case GateStatus::kCaution:
      ++verdict.cautions;
      break;
    case GateStatus::kWaived:
      ++verdict.waived_limits;
      break;
  }
}

/// The severity of a missed limit; 0 if it is not missed.
int WeightOf(const GateResult& result) {
  switch (result.status) {
    case GateStatus::kError:
      return 3;
    case GateStatus::kWarn:
    case GateStatus::kLowConfidence:
      return 2;
    case GateStatus::kInfo:
    case GateStatus::kCaution:
      return 1;
    default:
      return 0;
  }
}

/// The limit's effect on the verdict: 2 certainly fails it, 1 makes it undecided, 0 neither.
int EffectOf(const GateResult& result, rules::FailOn fail_on) {
  if (!Fails(result.threshold.level, fail_on)) return 0;
  if (result.status == GateStatus::kCaution) return 0;
  return result.status == GateStatus::kLowConfidence ? 1 : 2;
}

/// How grave a limit's answer is: by its effect on the verdict, then by its severity.
std::pair<int, int> GravityOf(const GateResult& result, rules::FailOn fail_on) {
  const int weight = WeightOf(result);
  return {weight == 0 ? 0 : EffectOf(result, fail_on), weight};
}

/// The gravest answer of each metric, the first of equal ones.
using Gravest = std::map<std::string_view, const GateResult*>;
Gravest GravestOf(const std::vector<GateResult>& gate, rules::FailOn fail_on) {
  Gravest gravest;
  for (const GateResult& result : gate) {
    const GateResult*& most = gravest[result.threshold.metric];
    if (most == nullptr || GravityOf(result, fail_on) > GravityOf(*most, fail_on)) most = &result;
  }
  return gravest;
}

/// The metric, if another limit on it counts instead of this one; else empty. A metric is missed
/// only once, by its gravest limit. A kept limit does not outweigh a missed one.
std::string OverruledBy(const GateResult& result, const Gravest& gravest, rules::FailOn fail_on) {
  const GateResult* most = gravest.at(result.threshold.metric);
  const bool is_missed = WeightOf(result) > 0;
  const bool is_overruled =
      is_missed ? most != &result
                : result.status == GateStatus::kPass && GravityOf(*most, fail_on).second > 0;
  return is_overruled ? result.threshold.metric : std::string();
}

bool IsRequired(const rules::Policy& policy, const rules::Rule& rule) {
  return std::any_of(
      policy.require.begin(), policy.require.end(), [&](const rules::RequiredRule& r) {
        return r.rule == rule.id ||
               std::find(rule.formerly.begin(), rule.formerly.end(), r.rule) != rule.formerly.end();
      });
}

/// A finding in one sentence: "io/dataloader-bound: The GPU waits for input data (31.4 %)".
std::string SentenceOf(const rules::Finding& finding) {
  std::string text = fmt::format("{}: {}", finding.rule->id, finding.title);
  if (!finding.metric_text.empty()) text += fmt::format(" ({})", finding.metric_text);
  if (!finding.group.empty()) text += fmt::format(", {}", finding.group);
  return text;
}

/// The status of a finding of the same severity as a missed limit.
std::optional<rules::FindingStatus> AsFinding(GateStatus status) {
  switch (status) {
    case GateStatus::kError:
      return rules::FindingStatus::kError;
    case GateStatus::kWarn:
    case GateStatus::kLowConfidence:
      return rules::FindingStatus::kWarn;
    case GateStatus::kInfo:
      return rules::FindingStatus::kInfo;
    default:
      return std::nullopt;
  }
}

/// Why a passed rule is not reported: a row of the plan covers it, or a finding or limit reports
/// the same fault, so a check mark would contradict it. Empty if it is reported.
std::string CoveredBy(const rules::Finding& finding, const JudgeOptions& options,
                      const std::vector<GateResult>& gate) {
  if (!rules::Passed(finding.status)) return {};
  const rules::Evaluation& evaluation = *options.evaluation;
  for (std::size_t step = 0; options.plan && step < options.plan->steps.size(); ++step) {
    for (const std::size_t at : options.plan->steps[step].findings) {
      if (evaluation.findings[at].rule == finding.rule)
        return fmt::format("see row {} of the plan", step + 1);
    }
  }
  const std::string_view metric = rules::MeasuredMetric(*finding.rule);
  for (const rules::Finding& other : evaluation.findings) {
    if (!rules::Fired(other.status)) continue;
    const bool explains = std::ranges::any_of(other.rule->explains, [&](const SourceText& id) {
      return GlobMatch(id.text, finding.rule->id);
    });
    const bool is_same_number = !metric.empty() && metric == rules::MeasuredMetric(*other.rule) &&
                                other.rule != finding.rule;
    if (explains || is_same_number) return fmt::format("see {}", other.title);
  }
  for (const GateResult& limit : gate) {
    const bool is_missed = AsFinding(limit.status).has_value();
    if (is_missed && !metric.empty() && limit.threshold.metric == metric)
      return "see the missed limit on the same number";
  }
  return {};
}

/// True if the finding prevents a verdict: it would fail the run if its number were certain.
bool LeavesOpen(const rules::Finding& finding, rules::FailOn fail_on) {
  return finding.is_uncertain && Fails(rules::Level::kError, fail_on) &&
         !Fails(rules::Level::kWarn, fail_on);
}

/// The metric of a missed limit that already counts this finding; else empty. The limit must be on
/// the rule's metric or on one that the rule explains, and be at least as severe. A limit that is
/// too uncertain to fail the run does not cover a finding that fails it by itself or certainly. A
/// limit that cannot fail the run does not cover an undecided finding.
std::string CountedAsLimit(const rules::Finding& finding, const std::vector<GateResult>& gate,
                           rules::FailOn fail_on) {
  if (!rules::Fired(finding.status)) return {};
  const rules::Rule& rule = *finding.rule;
  // A limit that is too uncertain counts as a warning, so it does not cover a more severe finding.
  const bool fails =
      finding.status == rules::FindingStatus::kWarn && Fails(rules::Level::kWarn, fail_on);
  const bool opens = LeavesOpen(finding, fail_on);
  const auto is_its = [&](const GateResult& limit) {
    const std::string& metric = limit.threshold.metric;
    if (opens && !Fails(limit.threshold.level, fail_on)) return false;
    const bool is_own = metric == rules::MeasuredMetric(rule);
    const bool doubts = limit.status == GateStatus::kLowConfidence;
    if (fails && doubts && (finding.is_sure || !is_own)) return false;
    return is_own || std::any_of(rule.explains.begin(), rule.explains.end(),
                                 [&metric](const SourceText& id) { return id.text == metric; });
  };
  const auto limit = std::find_if(gate.begin(), gate.end(), [&](const GateResult& result) {
    const auto status = AsFinding(result.status);
    return status && *status <= finding.status && is_its(result);
  });
  return limit == gate.end() ? std::string() : limit->threshold.metric;
}

void Count(const rules::Finding& finding, const rules::Policy& policy, Verdict& verdict,
           ReasonLists& reasons) {
  switch (finding.status) {
    case rules::FindingStatus::kError:
      ++verdict.errors;
      if (Fails(rules::Level::kError, policy.fail_on))
        reasons.failures.push_back(SentenceOf(finding));
      break;
    case rules::FindingStatus::kWarn:
      ++verdict.warnings;
      if (Fails(rules::Level::kWarn, policy.fail_on))
        reasons.failures.push_back(SentenceOf(finding));
      if (LeavesOpen(finding, policy.fail_on)) {
        reasons.open.push_back(WithReason(
            fmt::format("{}, but {}", SentenceOf(finding), finding.reason), kUncertainReason));
      }
      break;
    case rules::FindingStatus::kInfo:
      break;
    case rules::FindingStatus::kGood:
      ++verdict.passed;
      break;
    case rules::FindingStatus::kNotFound:
      ++verdict.not_found;
      break;
    case rules::FindingStatus::kWaived:
      ++verdict.waived;
      break;
    case rules::FindingStatus::kNotApplicable:
      ++verdict.not_applicable;
      break;
    case rules::FindingStatus::kBroken:
      ++verdict.broken;
      reasons.broken.push_back(fmt::format("{} cannot be evaluated: {} [rules/broken]",
                                           finding.rule->id, finding.reason));
      break;
  }
}

/// Adds a reason if a required rule could not evaluate everything.
void AskRequired(const rules::Finding& finding, const rules::Policy& policy, ReasonLists& reasons) {
  if (!IsRequired(policy, *finding.rule)) return;
  const std::string& id = finding.rule->id;
  if (finding.status == rules::FindingStatus::kNotApplicable && !finding.is_left_out) {
    reasons.open.push_back(
        fmt::format("{} is required, but not applicable: {} [rules/required]", id, finding.reason));
  } else if (!finding.unanswered.empty()) {
    reasons.open.push_back(fmt::format(
        "required rule {} has no complete result: {} [rules/required]", id, finding.unanswered));
  }
}

/// True if the rule about missing ranks reported them.
bool HasTold(std::span<const rules::Finding> findings) {
  return std::any_of(findings.begin(), findings.end(), [](const rules::Finding& finding) {
    return finding.rule->id == "recording/ranks-missing" && rules::Fired(finding.status);
  });
}

void CountMissingRanks(const std::string& sentence, const rules::Policy& policy,
                       std::span<const rules::Finding> findings, Verdict& verdict,
                       ReasonLists& reasons) {
  switch (policy.ranks.on_missing.value_or(rules::OnMissingRanks::kNoVerdict)) {
    case rules::OnMissingRanks::kNoVerdict:
      reasons.open.insert(reasons.open.begin(), sentence);
      break;
    case rules::OnMissingRanks::kWarn:
      verdict.notes.push_back(sentence);
      if (HasTold(findings)) break;
      ++verdict.warnings;
      if (Fails(rules::Level::kWarn, policy.fail_on)) {
        reasons.failures.insert(reasons.failures.begin(), sentence);
      }
      break;
    case rules::OnMissingRanks::kFail:
      ++verdict.errors;
      if (Fails(rules::Level::kError, policy.fail_on)) {
        reasons.failures.insert(reasons.failures.begin(), sentence);
      }
      break;
  }
}

/// Adds each reason once: a warning and an error limit on one metric give the same reason.
void AddOnce(std::vector<std::string>& reasons, std::vector<std::string> more) {
  for (std::string& reason : more) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(std::move(reason));
    }
  }
}

}  // namespace

std::vector<std::string> WhyIncomplete(const rules::Policy& policy, const ImportLog& log,
                                       std::int64_t iterations, bool allow_incomplete) {
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::kCount_); ++i) {
    const auto counter = static_cast<Counter>(i);
    const CounterInfo& info = InfoOf(counter);
    if (allow_incomplete || info.severity != Severity::kDataLoss || log[counter] == 0) continue;
    const auto allowed =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, policy.ranks.allow_missing));
    if (counter == Counter::ranks_unreadable && log[counter] <= allowed) continue;
    reasons.push_back(
        fmt::format("the profile is incomplete: {} [recording/incomplete]", info.text));
  }
  const auto min = policy.iterations.min;
  if (min && iterations < *min) {
    reasons.push_back(
        fmt::format("{} iterations are selected, the policy demands {} "
                    "[iterations/too-few]",
                    FormatCount(iterations), FormatCount(*min)));
  }
  return reasons;
}

void AddLoosened(const std::vector<rules::Loosened>& loosened, const Acceptance& acceptance,
                 Verdict& verdict) {
  verdict.loosened = loosened;
  if (loosened.empty()) return;
  if (const AcceptanceLine* line = acceptance.About(kAcceptPolicy)) {
    verdict.accepted.push_back({line->what, {}, {}, false, line->reason, acceptance.owner, {}});
    return;
  }
  for (const rules::Loosened& one : loosened) {
    if (one.is_held) continue;
    verdict.reasons.push_back(
        fmt::format("{}, and the earlier one can no longer judge: restore it, or write "
                    "`Profgauge-Accept: policy: REASON` [policy/looser]",
                    rules::LoosenedText(one)));
    if (verdict.status == VerdictStatus::kPass) verdict.status = VerdictStatus::kNoVerdict;
  }
}

bool Fails(rules::Level level, rules::FailOn fail_on) {
  return (level == rules::Level::kError && fail_on != rules::FailOn::kNever) ||
         (level == rules::Level::kWarn && fail_on == rules::FailOn::kWarn);
}

Verdict Judge(const rules::Policy& policy, const analysis::Analysis& analysis, const ImportLog& log,
              const JudgeOptions& options) {
  Verdict verdict;
  ReasonLists reasons;
  for (const rules::Threshold& threshold : policy.thresholds) {
    verdict.gate.push_back(JudgeThreshold(threshold, policy, analysis));
    KeepOpen(options.baselines, policy, analysis, verdict.gate.back());
    if (options.today) WaiveLimit(policy, *options.today, verdict.gate.back(), verdict);
  }
  const Gravest gravest = GravestOf(verdict.gate, policy.fail_on);
  for (GateResult& result : verdict.gate) {
    result.counted_with = OverruledBy(result, gravest, policy.fail_on);
    if (result.counted_with.empty()) Count(result, policy, verdict, reasons);
  }
  if (options.evaluation != nullptr) {
    for (const rules::Finding& finding : options.evaluation->findings) {
      verdict.findings_counted_with.push_back(
          CountedAsLimit(finding, verdict.gate, policy.fail_on));
      verdict.findings_covered.push_back(CoveredBy(finding, options, verdict.gate));
      if (!verdict.findings_covered.back().empty()) {
        ++verdict.not_applicable;
      } else if (verdict.findings_counted_with.back().empty()) {
        Count(finding, policy, verdict, reasons);
      }
      AskRequired(finding, policy, reasons);
    }
    for (const rules::WaiverUse& use : options.evaluation->waivers) {
      if (const auto note = rules::NoteOnWaiver(*use.waiver, use.expired, use.findings > 0)) {
        verdict.waiver_notes.push_back(*note);
      }
    }
  }
  if (options.baselines.empty() && rules::RequiresBaseline(policy)) {
    reasons.open.emplace_back(
        "the policy requires a baseline, and there is none [baseline/required]");
  }
  if (policy.baseline && options.baselines.empty() && !options.is_baseline_asked) {
    verdict.notes.emplace_back(
        "the policy limits changes against a baseline, and none was given: these limits judge "
        "nothing");
  }
  for (const rules::BaselineLimit& limit :
       policy.baseline ? policy.baseline->limits : std::vector<rules::BaselineLimit>()) {
    const bool is_wide = limit.max_increase && limit.max_increase->relative &&
                         limit.max_increase->value > knowledge::kGateWideLimit.value();
    if (!is_wide) continue;
    verdict.notes.push_back(
        fmt::format("the limit of +{:.3g} % on {} is so wide that it is hardly missed",
                    limit.max_increase->value * 100, limit.metric));
  }
  std::vector<std::string> open =
      WhyIncomplete(policy, log, analysis.iterations_selected, options.allow_incomplete);
  const std::span<const rules::Finding> findings =
      options.evaluation == nullptr ? std::span<const rules::Finding>()
                                    : std::span<const rules::Finding>(options.evaluation->findings);
  if (const auto missing = WhyRanksMissing(policy, analysis, !options.baselines.empty())) {
    CountMissingRanks(*missing, policy, findings, verdict, reasons);
  }
  AddOnce(open, DoubtsOf(policy, analysis, options.allow_incomplete));
  AddOnce(open, options.doubts);
  if (auto missing = WhyUnrecordedMissing(policy, analysis)) open.push_back(*std::move(missing));
  if (auto unjudged = WhyNotKept(analysis, verdict.gate, findings, policy)) {
    open.push_back(*std::move(unjudged));
  }
  open.insert(open.end(), reasons.open.begin(), reasons.open.end());

  std::vector<std::string> nothing = WhyNothingToJudge(policy, analysis, options.allow_incomplete);

  if (!nothing.empty()) reasons.failures.clear();

  // If a rule cannot be evaluated, or the profile does not have the work to judge, there is no
  // verdict, whatever else was found.
  verdict.status = !reasons.broken.empty() || !nothing.empty() ? VerdictStatus::kNoVerdict
                   : !reasons.failures.empty()                 ? VerdictStatus::kFail
                   : !open.empty()                             ? VerdictStatus::kNoVerdict
                                                               : VerdictStatus::kPass;
  AddOnce(verdict.reasons, std::move(reasons.broken));
  AddOnce(verdict.reasons, std::move(nothing));
  AddOnce(verdict.reasons, std::move(reasons.failures));
  AddOnce(verdict.reasons, std::move(open));
  return verdict;
}

int ExitCodeOf(const Verdict& verdict, bool exit_zero) {
  if (verdict.broken > 0) return 2;
  if (exit_zero) return 0;
  switch (verdict.status) {
    case VerdictStatus::kFail:
      return 1;
    case VerdictStatus::kNoVerdict:
      return 3;
    case VerdictStatus::kPass:
    case VerdictStatus::kNotJudged:
      return 0;
  }
  return 0;
}

std::string_view VerdictStatusName(VerdictStatus status) {
  switch (status) {
    case VerdictStatus::kPass:
      return "pass";
    case VerdictStatus::kFail:
      return "fail";
    case VerdictStatus::kNoVerdict:
      return "no_verdict";
    case VerdictStatus::kNotJudged:
      return "not_judged";
  }
  return "not_judged";
}

std::string_view GateStatusName(GateStatus status) {
  switch (status) {
    case GateStatus::kPass:
      return "pass";
    case GateStatus::kWarn:
      return "warn";
    case GateStatus::kError:
      return "error";
    case GateStatus::kInfo:
      return "info";
    case GateStatus::kMissing:
      return "missing";
    case GateStatus::kSkipped:
      return "skipped";
    case GateStatus::kNotApplicable:
      return "not_applicable";
    case GateStatus::kLowConfidence:
      return "low_confidence";
    case GateStatus::kWaived:
      return "waived";
    case GateStatus::kCaution:
      return "caution";
  }
  return "missing";
}

}  // namespace profgauge::gate
