// Evaluates rules on an analysis; returns findings in the order of importance.
//
//   auto active = SelectRules(rules, policy);
//   auto compiled = CompileRules(*active, policy);
//   Evaluation result = EvaluateRules(*compiled, analysis, CollectFacts(ranks, analysis), options);
//
// Every rule returns at least one finding: a problem, a pass, or the reason why it does not apply.
// A rule never fires because of missing data.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/rich_text.h"
#include "knowledge/tunable.h"
#include "rules/claim.h"
#include "rules/compile.h"
#include "rules/facts.h"
#include "rules/waiver.h"

namespace profgauge::rules {

/// The result of a rule, most severe first. Code compares the first three values by this order.
enum class FindingStatus : std::uint8_t {
  kError,
  kWarn,
  kInfo,
  kGood,           ///< The number is within all limits, and not a 0 below an upper limit.
  kNotFound,       ///< The rule was evaluated and found no such problem.
  kWaived,         ///< Fired, but a waiver accepts it.
  kNotApplicable,  ///< Judges nothing: see missing_field, is_left_out, reason.
  kBroken,         ///< The rule failed with an error: a configuration error, exit 2.
};
std::string_view FindingStatusName(FindingStatus status);  ///< "error", …, "not_applicable"
inline bool Fired(FindingStatus status) { return status <= FindingStatus::kInfo; }
/// True if the rule was evaluated and found no problem.
inline bool Passed(FindingStatus status) {
  return status == FindingStatus::kGood || status == FindingStatus::kNotFound;
}

/// A named value in the evaluation of a group, for `rules explain`.
struct TraceValue {
  std::string
      name;  ///< "where", "let wait", "when", "metric", "warn_above", "gain", or a name used
  std::string expression;  ///< Canonical text; empty for names.
  std::string shown;       ///< "31.4 %", "true", "4 of 120 rows (2 unknown)", or "absent: …".
};

/// A limit of a rule, in the unit of its metric. `fires_above` is false for a lower limit.
struct RuleLimit {
  double value = 0;
  bool fires_above = false;
  Unit unit = Unit::kNumber;
};
/// The limit as text: "> 20 %".
std::string LimitText(const RuleLimit& limit);

/// The result of one group of a rule.
struct GroupResult {
  std::string label;  ///< "rank 3"; empty without group_by.
  FindingStatus status = FindingStatus::kNotFound;
  std::uint64_t rows = 0;
  Value metric;
  std::string metric_text;
  std::optional<RuleLimit> limit;  ///< The limit that was exceeded, or the nearest.
  std::string reason;              ///< Why it did not fire, does not apply, or is waived.
  const Waiver* waiver = nullptr;  ///< The waiver that accepts it; nullptr: none.
  std::vector<TraceValue> trace;   ///< Only with RuleRunOptions::trace.
};

struct EvidenceHead {
  std::string head;
  Unit unit = Unit::kText;
  expr::Display display;  ///< For expr::Format; kAuto shows the unit.
  bool is_code = false;
};

/// One result of one rule. Numbers are in base units (ns, bytes, shares of 1). The rule set and the
/// policy own `rule` and `waiver`, so they must outlive it.
struct Finding {
  const Rule* rule = nullptr;
  FindingStatus status = FindingStatus::kNotFound;
  FindingStatus unwaived = FindingStatus::kNotFound;  ///< The status without the waiver, if waived.
  Level most = Level::kInfo;  ///< The highest level that the rule could reach.
  bool is_uncertain = false;  ///< A warning that would be an error if its number were certain.
  bool is_sure = false;       ///< Its level is certain, even if its number is not.
  /// Why a part could not be evaluated although the rule applies: a limit more severe than the
  /// exceeded one, or a group. Empty if all parts could be.
  std::string unanswered;
  /// `RULE` or, with groups, `RULE@GROUP`. The key identifies the same finding in other runs.
  std::string key;
  std::string group;                   ///< Label of its group; empty without group_by.
  std::string title;                   ///< With the terms of the run's devices.
  std::string message, advice;         ///< With values; empty unless it fired or was waived.
  RichText message_parts;              ///< `message` with its parts.
  std::vector<RichText> advice_parts;  ///< `advice` with its parts, by point.
  std::string next;    ///< A command that continues the investigation; may be empty.
  std::string change;  ///< Name of its scenario in a plan; may be empty.
  Value metric;        ///< The measured number in metric_unit; absent if there is none.
  Unit metric_unit = Unit::kNumber;
  std::string metric_text;
  std::string metric_of;  ///< The rank etc. of the metric: "rank 3"; empty: the run, or unknown.
  std::optional<RuleLimit> limit;  ///< The limit that was exceeded, or the nearest.
  Claim claim;                     ///< Saving of a fix, at most an iteration.
  /// The time per iteration in ns that the finding concerns: the rule's estimate or the simulated
  /// saving, whichever is larger. It decides which findings are causes and symptoms.
  std::optional<double> about_time;
  /// The share of the mean iteration time by which findings are ordered: the saving or, if unknown,
  /// the time that the finding concerns; 0 without either.
  double worth = 0;
  std::string reason;  ///< Why it is not applicable, broken, or waived: one clause.
  /// True if the rule is not applicable only because its `when` is false; no data is missing.
  bool is_left_out = false;
  /// True if a false condition is about the profile: no run recorded in this way is judged.
  bool is_other_profile = false;
  /// The rule's estimate in ns per iteration; also set for passed rules that a plan may reach.
  std::optional<double> estimate;
  std::string missing_field;  ///< If not applicable: the missing field; else empty.
  const Waiver* waiver = nullptr;
  std::uint64_t rows = 0;          ///< Number of rows that the finding concerns.
  std::uint64_t rows_unknown = 0;  ///< Rows that were excluded because `where` is unknown.
  std::vector<EvidenceHead> evidence_heads;
  std::vector<std::vector<Value>> evidence;
  /// Indices of the finding's rows in the table of `for_each`, at most kMostRowNumbers.
  std::vector<std::uint32_t> row_numbers;
  std::vector<GroupResult> groups;  ///< With group_by: all groups, worst first.
  /// Trace of the rule as a whole; only with RuleRunOptions::trace.
  std::vector<TraceValue> trace;
  std::vector<std::size_t> symptoms;  ///< Indices of fired findings that this one explains.
  std::vector<bool> explains_when;    ///< Values of the rule's conditions on symptoms.
  std::optional<std::size_t> cause;   ///< Index of the finding that explains this one.
};

struct WaiverUse {
  const Waiver* waiver = nullptr;
  bool expired = false;
  std::uint64_t findings = 0;  ///< Findings or groups that it accepted; 0: unused.
};

struct Evaluation {
  /// Broken rules first, then fired findings, then waived, passed and not applicable ones. Fired
  /// findings are ordered by saving; errors and warnings about the profile precede all others. A
  /// symptom directly follows its cause, whose position depends on the larger of their savings.
  std::vector<Finding> findings;
  std::vector<WaiverUse> waivers;
};

struct RuleRunOptions {
  std::optional<std::chrono::sys_days> today;  ///< Date for waivers; absent: no waiver has expired.
  bool trace = false;                          ///< Keep intermediate values for `rules explain`.
  ScenarioRunner* simulations = nullptr;       ///< For this analysis; nullptr: none.
  int evidence_rows = 0;                       ///< Rows of evidence to keep; 0: as each rule says.
  std::function<void()> beside = {};           ///< Work to run concurrently with the rules.
  knowledge::TunableThresholds thresholds = {};  ///< Set by the policy.
};

/// Evaluates all rules, up to three concurrently; the result does not depend on the number of
/// threads. A rule that throws an exception becomes kBroken, except for std::bad_alloc. `rules` and
/// their policy must outlive the result; `analysis` and `facts` need not. Cost: linear in the rows
/// of each rule, plus sorting and the simulation of its scenario.
Evaluation EvaluateRules(std::span<const CompiledRule> rules, const analysis::Analysis& analysis,
                         const Facts& facts, const RuleRunOptions& options);

}  // namespace profgauge::rules
