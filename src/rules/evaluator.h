// Rules compared with an analysis: findings, in the order in which they matter.
//
//   auto active = SelectRules(rules, policy);
//   auto compiled = CompileRules(*active, policy);
//   Evaluation result = EvaluateRules(*compiled, analysis, CollectFacts(ranks, analysis), options);
//
// Every rule gives at least one finding: a problem, a pass, or the reason why the rule
// does not apply. A rule never fires on data that it does not have.
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

/// The result of a rule, most severe first: comparisons of the first three use this order.
enum class FindingStatus : std::uint8_t {
  kError,
  kWarn,
  kInfo,
  kGood,           ///< Its number was measured, is not 0 below a limit, and keeps all limits.
  kNotFound,       ///< It looked, and what it looks for is not there.
  kWaived,         ///< Fired, and a waiver accepts it.
  kNotApplicable,  ///< It judges nothing of this run: see missing_field, is_left_out and reason.
  kBroken,         ///< The rule failed at run time: a configuration error, exit 2.
};
std::string_view FindingStatusName(FindingStatus status);  ///< "error", …, "not_applicable"
inline bool Fired(FindingStatus status) { return status <= FindingStatus::kInfo; }
/// Whether the rule had an answer, and that is no finding.
inline bool Passed(FindingStatus status) {
  return status == FindingStatus::kGood || status == FindingStatus::kNotFound;
}

/// One named number of a group, for `rules explain`.
struct TraceValue {
  std::string
      name;  ///< "where", "let wait", "when", "metric", "warn_above", "gain", or a name used
  std::string expression;  ///< Canonical text; empty for names.
  std::string shown;       ///< "31.4 %", "true", "4 of 120 rows (2 unknown)", or "absent: …".
};

/// A limit of a rule, in the unit of its metric: the rule fires above it, or below it.
struct RuleLimit {
  double value = 0;
  bool fires_above = false;
  Unit unit = Unit::kNumber;
};
/// "> 20 %".
std::string LimitText(const RuleLimit& limit);

/// The result of one group of a rule.
struct GroupResult {
  std::string label;  ///< "rank 3"; empty without group_by.
  FindingStatus status = FindingStatus::kNotFound;
  std::uint64_t rows = 0;
  Value metric;
  std::string metric_text;
  std::optional<RuleLimit> limit;  ///< The one that was passed, or the nearest.
  std::string reason;              ///< Why it did not fire, does not apply, or is waived.
  const Waiver* waiver = nullptr;  ///< The waiver that accepts it, when waived.
  std::vector<TraceValue> trace;   ///< Only with RuleRunOptions::trace.
};

struct EvidenceHead {
  std::string head;
  Unit unit = Unit::kText;
  expr::Display display;  ///< For expr::Format; kAuto shows the unit.
  bool is_code = false;
};

/// One result of one rule. `rule`, `waiver` belong to the rule book and the policy, which must
/// outlive it. Numbers are in base units (ns, bytes, shares of 1).
struct Finding {
  const Rule* rule = nullptr;
  FindingStatus status = FindingStatus::kNotFound;
  FindingStatus unwaived =
      FindingStatus::kNotFound;  ///< For a waived one: its status without waiver.
  Level most = Level::kInfo;     ///< The highest level that it could have reached.
  bool is_uncertain = false;     ///< A warning that would be an error if its number were sure.
  bool is_sure = false;          ///< Nothing that is uncertain of its number makes it less.
  /// The part without an answer, although it is not "not applicable": a limit more severe
  /// than the one passed, or a group. Empty: nothing.
  std::string unanswered;
  /// `RULE`, or `RULE@GROUP` of a rule with groups: the same finding of another run has the same.
  std::string key;
  std::string group;            ///< Label of the group that it is about; empty without group_by.
  std::string title;            ///< In the words of the run's devices.
  std::string message, advice;  ///< Filled in; empty unless it fired or was waived.
  RichText message_parts;       ///< The same by parts,
  std::vector<RichText> advice_parts;  ///< and by points.
  std::string next;    ///< A command that continues the investigation; may be empty.
  std::string change;  ///< The name of its scenario in a plan; may be empty.
  Value metric;        ///< The measured number, in metric_unit; absent without one.
  Unit metric_unit = Unit::kNumber;
  std::string metric_text;
  std::string metric_of;           ///< Whose it is: "rank 3"; empty: of the run, or not said.
  std::optional<RuleLimit> limit;  ///< The one that was passed, or the nearest.
  Claim claim;                     ///< What fixing it saves, never more than an iteration takes.
  /// ns per iteration that it is about: the rule's own estimate, or a simulated saving that is
  /// more. It links causes with symptoms.
  std::optional<double> about_time;
  /// Share of the mean iteration time that orders findings: of the saving, or of what an unknown
  /// one is about; 0 without.
  double worth = 0;
  std::string reason;  ///< Why not applicable, broken, or waived: one clause.
  /// Not applicable because a condition of the rule (`when`) is false: nothing is missing.
  bool is_left_out = false;
  /// A condition on the profile is false: the rule judges no run that is recorded like this one.
  bool is_other_profile = false;
  /// ns per iteration: the rule's own estimate, also where a plan may reach it though it passes.
  std::optional<double> estimate;
  std::string missing_field;  ///< Not applicable: the missing field, if it is one.
  const Waiver* waiver = nullptr;
  std::uint64_t rows = 0;          ///< Rows that the finding is about.
  std::uint64_t rows_unknown = 0;  ///< Rows excluded because their `where` is unknown.
  std::vector<EvidenceHead> evidence_heads;
  std::vector<std::vector<Value>> evidence;
  /// All of them by their place in the table of the rule's `for_each`, at most kMostRowNumbers.
  std::vector<std::uint32_t> row_numbers;
  std::vector<GroupResult> groups;  ///< With group_by: all of them, worst first.
  /// Trace of the rule as a whole; only with RuleRunOptions::trace.
  std::vector<TraceValue> trace;
  std::vector<std::size_t>
      symptoms;                      ///< Findings (by index) that this one explains and that fired.
  std::vector<bool> explains_when;   ///< Which of the rule's conditions on symptoms hold.
  std::optional<std::size_t> cause;  ///< The finding that explains this one.
};

struct WaiverUse {
  const Waiver* waiver = nullptr;
  bool expired = false;
  std::uint64_t findings = 0;  ///< Findings, or groups of one, that it accepted; 0: unused.
};

struct Evaluation {
  /// Fired findings first, by their saving (a symptom directly after its cause, whose
  /// place follows from the larger of their savings), errors and warnings about the profile
  /// itself before all others; then waived, passed, not applicable. Broken ones come first of all.
  std::vector<Finding> findings;
  std::vector<WaiverUse> waivers;
};

struct RuleRunOptions {
  std::optional<std::chrono::sys_days> today;  ///< Empty: no waiver has expired.
  bool trace = false;                          ///< Keep intermediate values, for `rules explain`.
  ScenarioRunner* simulations = nullptr;       ///< Of the analysis; null: no gain is simulated.
  int evidence_rows = 0;                       ///< Rows of evidence to keep; 0: as each rule says.
  std::function<void()> beside = {};           ///< Runs beside the rules.
  knowledge::TunableThresholds thresholds = {};  ///< Those of the policy.
};

/// Evaluates all rules, up to three concurrently. The same findings in the same order whatever the
/// number of threads is. A rule that throws becomes kBroken; only std::bad_alloc passes through.
/// `rules`, and a policy that they point into, must outlive the result; `analysis` and `facts` need
/// not.
/// Cost: each rule is linear in its rows, apart from sorting and a replay of its scenario.
Evaluation EvaluateRules(std::span<const CompiledRule> rules, const analysis::Analysis& analysis,
                         const Facts& facts, const RuleRunOptions& options);

}  // namespace profgauge::rules
