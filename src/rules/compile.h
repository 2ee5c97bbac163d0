// Compiles rules against the catalog of metrics and tables: every expression is checked before a
// profile is read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/message.h"
#include "expr/program.h"
#include "rules/errors.h"
#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/rule_schema.h"
#include "rules/selection.h"
#include "rules/what_if.h"

namespace profgauge::rules {

/// A rule whose expressions are compiled to programs over the slots of `names`. Parts with errors
/// are missing, so a rule with errors must not be evaluated. Limits of level error come first.
struct CompiledRule {
  struct Let {
    expr::Slot slot = 0;
    expr::Program value;
  };
  struct Limit {
    Level level = Level::kWarn;
    bool above = true;
    expr::Program value;
    /// The policy's limit on the same metric, which replaces `value`.
    std::optional<double> of_policy;
  };
  struct Column {
    expr::Program value;
    expr::Display display;
  };
  struct Waived {
    const Waiver* waiver = nullptr;
    std::optional<expr::Program> where;
  };

  const Rule* rule = nullptr;
  ActiveRule active;  ///< With the policy's parameters and level.
  RuleSchema names;
  std::vector<expr::Slot> needs;
  std::optional<expr::Program> where, when, metric, sure_when, gain, gain_at_most;
  std::optional<CompiledScenario> scenario;  ///< Made from the gain.
  std::vector<Let> lets;
  std::vector<Limit> limits;
  expr::Display metric_display;
  expr::Slot metric_slot = expr::Schema::kNone, gain_slot = expr::Schema::kNone;
  /// A TextItem in compiled form.
  struct Item {
    std::optional<expr::Program> when;
    expr::Message text;
    std::vector<Item> items;
    bool is_case = false;
  };
  std::vector<Item> message, advice;
  std::optional<expr::Message> next, change, metric_of;
  std::optional<expr::Program> order_by;
  std::vector<Column> columns;
  std::vector<Waived> waivers;
  std::vector<std::size_t> symptoms;  ///< Indices of rules that this one always explains.
  /// Index of a rule, and of the condition in `explains_when` on which it is explained.
  std::vector<std::pair<std::size_t, std::size_t>> symptoms_when;
  std::vector<expr::Program> explains_when;  ///< Compiled conditions of the rule.
  std::vector<std::string> doubts;  ///< Limits that are probably mistakes; one sentence each.
  Errors warnings;                  ///< Valid parts that are probably mistakes.
};

/// Compiles rules for evaluation. `rules` and `policy` must outlive the result. Errors: those of
/// all rules, with places; cycles of `explains`; `explains` of unknown rules; waivers whose
/// condition does not match their rule.
tl::expected<std::vector<CompiledRule>, Errors> CompileRules(std::span<const ActiveRule> rules,
                                                             const Policy& policy);

/// Like CompileRules(), but returns the parts that compiled and adds errors to `errors`.
std::vector<CompiledRule> CompileRulesWithErrors(std::span<const ActiveRule> rules,
                                                 const Policy& policy, Errors& errors);

/// The metric that the rule measures unchanged (`value: gpu.idle.mean`); empty if it computes a
/// value. A policy's limits on that metric replace the rule's own, so that they cannot contradict
/// each other, unless the policy sets the rule's parameters.
std::string_view MeasuredMetric(const Rule& rule);

/// Sentences about probable mistakes of a rule that has no errors.
std::vector<std::string> DoubtsOf(const Rule& rule);
/// The errors of a single rule, for `rules check`. Adds probable mistakes to `warnings`.
Errors CheckRule(const Rule& rule, Errors* warnings = nullptr);

// Relates compiled rules to each other and to their policy: explanations, limits and waivers.

/// Sets `symptoms`. `explains` may also name metrics, and rules that are switched off.
void LinkSymptoms(std::vector<CompiledRule>& rules);

/// Adds an error for each rule that explains itself, directly or through others.
/// REQUIRES: LinkSymptoms().
void CheckCircles(const std::vector<CompiledRule>& rules, Errors& errors);

/// Replaces the rule's limits by the policy's limits on the metric that it measures
/// (MeasuredMetric()), except conditional ones, which make a different statement.
void AdoptLimits(const Policy& policy, CompiledRule& rule);

/// Assigns waivers to their rules. Does not check the condition of a waiver if its rule has errors.
void AttachWaivers(const Policy& policy, std::span<const Errors> errors_of,
                   std::vector<CompiledRule>& rules, Errors& errors);

}  // namespace profgauge::rules
