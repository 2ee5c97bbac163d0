// Selects rules by a policy: which rules run, at which level, with which parameters.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "rules/policy.h"
#include "rules/rule.h"

namespace profgauge::rules {

/// A rule to be evaluated. Disabled rules are not in the list.
struct ActiveRule {
  const Rule* rule = nullptr;  ///< Points into the RuleSet.
  /// kDefault: the rule's own limits decide. kInfo, kWarn, kError: every report of the rule (its
  /// lowest limit is exceeded) has this level. Never kOff.
  RuleSetting::Choice choice = RuleSetting::Choice::kDefault;
  /// All parameters of the rule with their values, in base units.
  std::map<std::string, Literal, std::less<>> params;
  bool required = false;  ///< `require`: "not applicable" leaves no verdict.
  /// The policy's waivers for this rule that have not expired, in order. The first whose condition
  /// is true for a finding (in the rule's group context; empty: always) waives it.
  std::vector<const Waiver*> waivers;
};

struct SelectOptions {
  std::chrono::sys_days today{};
  bool allow_long_waivers = false;
};

/// Applies the settings of `policy` in order. The last one that matches a rule wins, separately for
/// each parameter:
///
///     rules:                           compute/memory-bound     io/dataloader-bound
///       "*": off                         off                      off
///       "compute/*": warn                warn                     off
///       io/dataloader-bound:                                      default, warn = 10 %
///         {level: default, params: {warn: 10%}}
///
/// Reports all errors: an id or glob without a matching rule, an unknown parameter or unit, a
/// required rule that is off or unknown, a waiver for an unknown rule or too far ahead, parameters
/// of a disabled rule, a rule that a later pattern disables, a policy that judges nothing. The
/// result is in the order of `rules` and points into `rules` and `policy`.
tl::expected<std::vector<ActiveRule>, Errors> SelectRules(const RuleSet& rules,
                                                          const Policy& policy,
                                                          const SelectOptions& options);

/// Like SelectRules(), but returns all rules that could be selected and adds errors to `errors`.
std::vector<ActiveRule> SelectRulesWithErrors(const RuleSet& rules, const Policy& policy,
                                              const SelectOptions& options, Errors& errors);

}  // namespace profgauge::rules
