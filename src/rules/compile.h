// Rules compiled with the catalog of metrics and tables: every expression is checked before any
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

/// A rule whose expressions are programs over the slots of `names`. Parts with errors are left out,
/// so a rule with errors must not be evaluated. Limits: errors before warnings.
struct CompiledRule {
  struct Let {
    expr::Slot slot = 0;
    expr::Program value;
  };
  struct Limit {
    Level level = Level::kWarn;
    bool above = true;
    expr::Program value;
    /// The policy's limit on the same metric, which is in place of `value`.
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
  ActiveRule active;  ///< Parameters and level that the policy gives it.
  RuleSchema names;
  std::vector<expr::Slot> needs;
  std::optional<expr::Program> where, when, metric, sure_when, gain, gain_at_most;
  std::optional<CompiledScenario> scenario;  ///< From the gain.
  std::vector<Let> lets;
  std::vector<Limit> limits;
  expr::Display metric_display;
  expr::Slot metric_slot = expr::Schema::kNone, gain_slot = expr::Schema::kNone;
  /// A TextItem, ready to be shown.
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
  std::vector<std::size_t> symptoms;  ///< Rules (by index) that this one explains, and those…
  /// …that it explains only if a condition of `explains_when` (by index) holds.
  std::vector<std::pair<std::size_t, std::size_t>> symptoms_when;
  std::vector<expr::Program> explains_when;  ///< Like in the rule.
  std::vector<std::string> doubts;           ///< Limits that look mistaken; one sentence each.
  Errors warnings;                           ///< Well-formed parts that are probably mistakes.
};

/// Compiles rules for evaluation. `rules` and `policy` must outlive the result. Errors: those of
/// all rules, with their places; also `explains` that name no rule or run in a circle, and waivers
/// whose condition does not fit their rule.
tl::expected<std::vector<CompiledRule>, Errors> CompileRules(std::span<const ActiveRule> rules,
                                                             const Policy& policy);

/// The same, with all that compiled beside the errors, which are added to `errors`.
std::vector<CompiledRule> CompileRulesWithErrors(std::span<const ActiveRule> rules,
                                                 const Policy& policy, Errors& errors);

/// The metric that the rule measures as it is (`value: gpu.idle.mean`); empty when it computes one.
/// A policy's limits on that metric are in place of the rule's own, unless the policy sets the
/// rule's parameters: two numbers for one thing would contradict each other.
std::string_view MeasuredMetric(const Rule& rule);

/// Probable mistakes in a rule without errors; one sentence each.
std::vector<std::string> DoubtsOf(const Rule& rule);
/// The errors of a single rule, for `rules check`. Probable mistakes go to `warnings`.
Errors CheckRule(const Rule& rule, Errors* warnings = nullptr);

// What compiled rules have to do with each other and with their policy: which explains which, whose
// limits hold, and what is waived.

/// Fills in `symptoms`. A rule that is switched off may still be named, and so may a metric.
void LinkSymptoms(std::vector<CompiledRule>& rules);

/// Adds an error for each rule that explains itself, over any number of others.
/// REQUIRES: LinkSymptoms().
void CheckCircles(const std::vector<CompiledRule>& rules, Errors& errors);

/// The policy's limits on the metric that the rule measures (MeasuredMetric()) replace its own.
/// Limits that have a condition say something else than the rule.
void AdoptLimits(const Policy& policy, CompiledRule& rule);

/// Gives each rule its waivers. The condition of a waiver is not checked if its rule has errors.
void AttachWaivers(const Policy& policy, std::span<const Errors> errors_of,
                   std::vector<CompiledRule>& rules, Errors& errors);

}  // namespace profgauge::rules
