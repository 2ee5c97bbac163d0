// A policy's selection of rules: which run, at which level, with which parameters.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "rules/policy.h"
#include "rules/rule.h"

namespace profgauge::rules {

/// One rule to be evaluated. Rules that are off are not in the list.
struct ActiveRule {
  const Rule* rule = nullptr;  ///< In the RuleSet.
  /// kDefault: the rule's own limits decide. kInfo, kWarn, kError: whatever the rule reports at all
  /// (its lowest limit is reached) has this level. Never kOff.
  RuleSetting::Choice choice = RuleSetting::Choice::kDefault;
  /// Every parameter of the rule with the value that holds, in its base unit.
  std::map<std::string, Literal, std::less<>> params;
  bool required = false;  ///< `require`: "not applicable" counts as a failure.
  /// Waivers for this rule that have not expired, of the policy, in its order. The first whose
  /// condition holds for a finding (in the rule's group context; empty: always) waives it.
  std::vector<const Waiver*> waivers;
};

struct SelectOptions {
  std::chrono::sys_days today{};
  bool allow_long_waivers = false;
};

/// Applies the settings of `policy` in order; the last one that matches a rule wins, parameter by
/// parameter:
///
///     rules:                           compute/memory-bound     io/dataloader-bound
///       "*": off                         off                      off
///       "compute/*": warn                warn                     off
///       io/dataloader-bound:                                      default, warn = 10 %
///         {level: default, params: {warn: 10%}}
///
/// Reports all errors: an id or glob that matches no rule, a parameter that the rule does not have
/// or of another unit, a required rule that is off or unknown, a waiver for an unknown rule or too
/// far ahead, parameters of a rule that is off, a rule that a later pattern switches off, a policy
/// that judges nothing. The result is in the order of `rules`, and points into `rules` and
/// `policy`.
tl::expected<std::vector<ActiveRule>, Errors> SelectRules(const RuleSet& rules,
                                                          const Policy& policy,
                                                          const SelectOptions& options);

/// The same, with all that could be selected beside the errors, which are added to `errors`.
std::vector<ActiveRule> SelectRulesWithErrors(const RuleSet& rules, const Policy& policy,
                                              const SelectOptions& options, Errors& errors);

}  // namespace profgauge::rules
