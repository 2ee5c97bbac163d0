// Selects rules by a policy: which rules run, at which level, and with which parameters.
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
  /// The level. kDefault: the rule's own limits decide. kInfo, kWarn, kError: each finding of the
  /// rule, i.e. if its lowest limit is exceeded, has this level. Never kOff.
  RuleSetting::Choice choice = RuleSetting::Choice::kDefault;
  /// The values of all parameters of the rule, in base units.
  std::map<std::string, Literal, std::less<>> params;
  bool required = false;  ///< `require`: "not applicable" leaves no verdict.
  /// The policy's waivers for this rule that have not expired, in order. A finding is waived by the
  /// first whose condition (in the rule's group context; empty: always) is true for it.
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

/// Like SelectRules(), but returns all rules that could be selected, and adds errors to `errors`.
std::vector<ActiveRule> SelectRulesWithErrors(const RuleSet& rules, const Policy& policy,
                                              const SelectOptions& options, Errors& errors);

}  // namespace profgauge::rules
