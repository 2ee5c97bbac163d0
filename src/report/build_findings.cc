#include "report/build_findings.h"

#include "report/build_plan.h"
#include "report/build_sections.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/format.h"
#include "rules/rule_run.h"

namespace profgauge::report {
namespace {

/// The highest level that the rule can reach, for findings that did not fire.
rules::Level WorstLevelOf(const rules::Rule& rule) {
  if (rule.level) return *rule.level;
  const bool has_error = rule.metric && (rule.metric->error_above || rule.metric->error_below);
  return has_error ? rules::Level::kError : rules::Level::kWarn;
}

Quantity MetricOf(const rules::Finding& finding) {
  if (IsAbsent(finding.metric)) return {{}, finding.metric_unit, "–", finding.reason};
  return {finding.metric, finding.metric_unit, finding.metric_text, ""};
}

std::string ReasonOf(const rules::Finding& finding) {
  if (finding.waiver == nullptr) return finding.reason;
  return fmt::format("{} (owner: {}, until {})", finding.waiver->reason, finding.waiver->owner,
                     finding.waiver->expires);
}

// The source of more information; for built-in rules, a command that prints it.
std::string DocsOf(const rules::Rule& rule) {
  const bool is_derived = rule.docs.empty() || rule.docs.starts_with("rules/README.md#");
  if (!is_derived) return rule.docs;
  return "profgauge rules explain " + rule.id;
}

std::string PathOfRank(std::int64_t number, std::span<const Profile> ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t own = ranks[i].distributed.rank;
    if ((own < 0 ? static_cast<std::int64_t>(i) : own) == number) return ranks[i].source.path;
  }
  return {};
}

/// Returns the command with a path for each "<rank 3>". Empty if a path is unknown, or if two ranks
/// have the same path, because a file would be compared with itself.
std::string NextOf(std::string_view command, std::span<const Profile> ranks) {
  static const RE2 kRank("<rank (-?[0-9]{1,9})>");
  std::string out;
  std::vector<std::string> paths;
  re2::StringPiece rest(command.data(), command.size());
  std::int64_t number = 0;
  for (const char* from = rest.data(); RE2::FindAndConsume(&rest, kRank, &number);) {
    const std::string_view consumed(from, static_cast<std::size_t>(rest.data() - from));
    out += consumed.substr(0, consumed.rfind('<'));
    from = rest.data();
    const std::string path = PathOfRank(number, ranks);
    if (path.empty() || std::find(paths.begin(), paths.end(), path) != paths.end()) return {};
    paths.push_back(path);
    out += ShellWord(path);
  }
  out.append(rest.data(), rest.size());
  return out;
}

std::string UnknownRowsText(const rules::Finding& from) {
  return from.rows_unknown == 1
             ? std::string("1 row could not be judged.")
             : fmt::format("{} rows could not be judged.",
                           FormatCount(static_cast<std::int64_t>(from.rows_unknown)));
}

// Adds a sentence to the message.
void AddNote(const std::string& note, Finding& finding) {
  finding.message += " " + note;
  AddPart(finding.message_parts, TextPart::Kind::kText, " " + note);
}

Finding BuildFinding(const rules::Finding& from, const rules::Evaluation& evaluation,
                     std::span<const Profile> ranks) {
  Finding finding;
  finding.rule = from.rule->id;
  finding.key = from.key;
  finding.status = StateOf(rules::FindingStatusName(from.status));
  finding.level = rules::Fired(from.status) ? finding.status
                                            : StateOf(rules::LevelName(WorstLevelOf(*from.rule)));
  finding.title = from.title;
  finding.message = from.message;
  finding.message_parts = from.message_parts;
  finding.advice_parts = from.advice_parts;
  finding.metric = MetricOf(from);
  finding.metric_of = from.metric_of;
  finding.saves = BuildSaving(from.claim);
  for (const std::size_t symptom : from.symptoms) {
    finding.explains.push_back(evaluation.findings[symptom].rule->id);
  }
  finding.advice = from.advice;
  finding.docs = DocsOf(*from.rule);
  finding.next = NextOf(from.next, ranks);
  for (const rules::EvidenceHead& head : from.evidence_heads) {
    finding.evidence_heads.push_back(head.head);
    finding.evidence_units.push_back(head.unit);
  }
  finding.evidence = from.evidence;
  if (!from.evidence.empty()) {
    finding.evidence_of = static_cast<std::int64_t>(from.rows);
    if (const auto* table = rules::FindTableByRow(from.rule->for_each.text)) {
      finding.evidence_table = table->id;
      finding.evidence_rows = from.row_numbers;
    }
  }
  finding.reason = ReasonOf(from);
  finding.rows_unknown = static_cast<std::int64_t>(from.rows_unknown);
  if (rules::Fired(from.status) && from.rows_unknown > 0) AddNote(UnknownRowsText(from), finding);
  return finding;
}

}  // namespace

// Keeps the order of the evaluation, so indices in a plan are valid here, too.
std::vector<Finding> BuildFindings(const rules::Evaluation& evaluation,
                                   std::span<const Profile> ranks) {
  std::vector<Finding> findings;
  for (const rules::Finding& finding : evaluation.findings) {
    findings.push_back(BuildFinding(finding, evaluation, ranks));
  }
  // Findings that only show flaws of the profile save nothing, and neither do their symptoms.
  std::vector<std::size_t> flaws;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const rules::Finding& cause = evaluation.findings[i];
    if (rules::Fired(cause.status) && cause.rule->category == rules::kAboutRecording)
      flaws.push_back(i);
  }
  std::vector<bool> is_seen(findings.size());
  while (!flaws.empty()) {
    const std::size_t cause = flaws.back();
    flaws.pop_back();
    for (const std::size_t symptom : evaluation.findings[cause].symptoms) {
      if (is_seen[symptom]) continue;
      is_seen[symptom] = true;
      findings[symptom].saves = {};
      flaws.push_back(symptom);
    }
  }
  return findings;
}

}  // namespace profgauge::report
