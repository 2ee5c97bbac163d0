#include "report/build_findings.h"

#include <fmt/format.h>

#include <cmath>

#include "base/format.h"
#include "knowledge/findings.h"

namespace profgauge::report {
namespace {

/// The worst level that the rule can reach, for findings that did not fire.
Level WorstLevelOf(const Rule& rule) {
  if (rule.level) return *rule.level;
  const bool has_error = rule.metric && (rule.metric->error_above || rule.metric->error_below);
  return has_error ? Level::kError : Level::kWarn;
}

Quantity MetricOf(const profgauge::Finding& finding) {
  if (IsAbsent(finding.metric)) return {{}, finding.metric_unit, "–", finding.reason};
  return {finding.metric, finding.metric_unit, finding.metric_text, ""};
}

Quantity TimeOf(const std::optional<double>& ns) {
  if (!ns) return {{}, Unit::kTime, "–", ""};
  return {static_cast<std::int64_t>(std::llround(*ns)), Unit::kTime, FormatDuration(*ns), ""};
}

std::string ReasonOf(const profgauge::Finding& finding) {
  if (finding.waiver == nullptr) return finding.reason;
  return fmt::format("{} (owner: {}, until {})", finding.waiver->reason, finding.waiver->owner,
                     finding.waiver->expires);
}

Bound BoundOf(GainBound bound) {
  switch (bound) {
    case GainBound::kUpper:
      return Bound::kUpper;
    case GainBound::kTypical:
      return Bound::kTypical;
    case GainBound::kMeasured:
      break;
  }
  return Bound::kMeasured;
}

// Where to read on. The built-in rules' page is not beside the report; the program has its text.
std::string DocsOf(const Rule& rule) {
  const bool is_derived = rule.docs.empty() || rule.docs.starts_with("rules/README.md#");
  if (!is_derived) return rule.docs;
  return "profgauge rules explain " + rule.id;
}

// What a simulation saves of what it could save at most: rounding of some nanoseconds is nothing.
bool SavesNothing(const profgauge::Finding& finding) {
  const double gain = finding.gain.value_or(0);
  return gain <= 0 || (finding.gain_limit &&
                       gain < knowledge::kFindingsNoGainShare * *finding.gain_limit);
}

Finding BuildFinding(const profgauge::Finding& from, const Evaluation& evaluation) {
  Finding finding;
  finding.rule = from.rule->id;
  finding.key = from.key;
  finding.status = StateOf(FindingStatusName(from.status));
  finding.level =
      Fired(from.status) ? finding.status : StateOf(LevelName(WorstLevelOf(*from.rule)));
  finding.title = from.title;
  finding.message = from.message;
  finding.message_parts = from.message_parts;
  finding.advice_parts = from.advice_parts;
  finding.metric = MetricOf(from);
  finding.gain = TimeOf(from.gain);
  if (from.gain && from.rule->gain) finding.gain_bound = BoundOf(from.rule->gain->bound);
  if (from.gain_replayed) {
    finding.gain_bound = Bound::kReplayed;
    const std::string limit = from.gain_limit ? FormatDuration(*from.gain_limit) : "";
    const bool says_more = !limit.empty() && *from.gain_limit > knowledge::kFindingsBoundExcess *
                                                                    from.gain.value_or(0);
    if (SavesNothing(from)) finding.gain.text = "nothing";
    finding.gain.text +=
        says_more ? fmt::format(" (simulated; at most {})", limit) : " (simulated)";
  }
  for (const std::size_t symptom : from.symptoms) {
    finding.explains.push_back(evaluation.findings[symptom].rule->id);
  }
  finding.advice = from.advice;
  finding.docs = DocsOf(*from.rule);
  for (const EvidenceHead& head : from.evidence_heads) {
    finding.evidence_heads.push_back(head.head);
    finding.evidence_units.push_back(head.unit);
  }
  finding.evidence = from.evidence;
  finding.reason = ReasonOf(from);
  return finding;
}

}  // namespace

std::vector<Finding> BuildFindings(const Evaluation& evaluation) {
  std::vector<Finding> findings;
  for (const profgauge::Finding& finding : evaluation.findings) {
    findings.push_back(BuildFinding(finding, evaluation));
  }
  return findings;
}

}  // namespace profgauge::report
