#include "rules/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "base/format.h"
#include "base/text.h"
#include "rules/compile.h"
#include "rules/decode.h"
#include "rules/policy_decode.h"
#include "rules/waiver.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

Error& AddError(Errors& errors, const Where& where, std::string_view code, std::string message) {
  errors.push_back({ErrorKind::kConfig, std::string(code), std::move(message), where, {}});
  return errors.back();
}

bool Matches(const std::string& pattern, const Rule& rule) {
  return GlobMatch(pattern, rule.id) ||
         std::find(rule.formerly.begin(), rule.formerly.end(), pattern) != rule.formerly.end();
}

void AddUnknownRule(Errors& errors, const RuleSet& rules, const std::string& id,
                    const Where& where) {
  const std::string shown = PrintableShort(id);
  Error& error = AddError(errors, where, "policy/unknown-rule",
                          IsGlob(id) ? fmt::format("no rule matches `{}`", shown)
                                     : fmt::format("there is no rule `{}`", shown));
  std::vector<std::string_view> ids;
  for (const Rule& rule : rules.rules) ids.push_back(rule.id);
  AddSuggestion(error, id, ids);
  if (error.notes.empty()) error.notes.emplace_back("help: `profgauge rules list` shows all rules");
}

/// Checks that a parameter is a possible value of the metric that it limits.
void CheckParam(const Rule& rule, const std::string& name, double value, const Where& where,
                Errors& errors) {
  const std::shared_ptr<const analysis::MetricSpec> metric =
      analysis::DescribeMetric(MeasuredMetric(rule));
  if (metric == nullptr) return;
  const RuleMetric& limits = *rule.metric;
  const auto is_parameter = [&](const std::optional<SourceText>& limit) {
    return limit && Trim(limit->text) == "$" + name;
  };
  if (!is_parameter(limits.warn_above) && !is_parameter(limits.error_above) &&
      !is_parameter(limits.warn_below) && !is_parameter(limits.error_below)) {
    return;
  }
  const std::string beyond = BeyondRange(*metric, value);
  if (beyond.empty()) return;
  AddError(errors, where, "policy/out-of-range",
           fmt::format("`{}` {}: the rule `{}` limits `{}`, which is {}", name,
                       FormatLimit(value, metric->unit), rule.id, metric->id, beyond))
      .notes.push_back(fmt::format("help: `{}: off` switches the rule off", rule.id));
}

/// Sets parameters of one rule. A glob may name a parameter that only some of its rules have.
void ApplyParams(const RuleSetting& setting, ActiveRule& active, Errors& errors) {
  const Rule& rule = *active.rule;
  for (const auto& [name, param] : setting.params) {
    const auto found =
        std::find_if(rule.params.begin(), rule.params.end(), [&wanted = name](const RuleParam& p) {
          return p.name == wanted || std::ranges::find(p.formerly, wanted) != p.formerly.end();
        });
    if (found == rule.params.end()) {
      if (IsGlob(setting.pattern) || !rule.is_whole) continue;
      Error& error = AddError(errors, param.where, "policy/unknown-param",
                              fmt::format("the rule `{}` has no parameter `{}`", rule.id, name));
      std::vector<std::string_view> names;
      for (const RuleParam& p : rule.params) names.push_back(p.name);
      AddSuggestion(error, name, names);
      continue;
    }
    const Unit unit = found->default_value.unit;
    if (const auto value = ConvertLiteral(param.value, unit)) {
      active.params.insert_or_assign(found->name, Literal{*value, unit});
      CheckParam(rule, found->name, *value, param.where, errors);
    } else {
      AddError(errors, param.where, "config/unit", fmt::format("`{}`: {}", name, value.error()));
    }
  }
}

/// Adds an error for parameters of a disabled rule: after `"*": off`, parameters do not enable it.
void CheckParamsOfOff(const Policy& policy, std::span<const ActiveRule> active, Errors& errors) {
  for (const RuleSetting& setting : policy.rules) {
    if (setting.choice || setting.params.empty()) continue;
    const bool is_off = std::all_of(active.begin(), active.end(), [&](const ActiveRule& rule) {
      return !Matches(setting.pattern, *rule.rule) || rule.choice == RuleSetting::Choice::kOff;
    });
    if (!is_off) continue;
    AddError(errors, setting.where, "policy/params-of-off",
             fmt::format("`{}` is switched off by another setting, so its parameters do nothing",
                         PrintableShort(setting.pattern)))
        .notes.emplace_back("help: add `level: default`");
  }
}

/// Adds an error for a rule that has a setting and is disabled by a later glob in the same file.
void CheckOffAfter(const Policy& policy, Errors& errors) {
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const RuleSetting& off = policy.rules[i];
    if (off.choice != RuleSetting::Choice::kOff || !IsGlob(off.pattern)) continue;
    for (std::size_t k = 0; k < i; ++k) {
      const RuleSetting& set = policy.rules[k];
      const bool is_set = set.choice != RuleSetting::Choice::kOff && !IsGlob(set.pattern);
      if (!is_set || set.where.file != off.where.file || !GlobMatch(off.pattern, set.pattern)) {
        continue;
      }
      AddError(errors, off.where, "policy/off-after",
               fmt::format("`{}: off` comes after `{}` and switches it off again",
                           PrintableShort(off.pattern), PrintableShort(set.pattern)))
          .notes.emplace_back("help: settings apply in order: move the pattern to the front");
    }
  }
}

/// Adds an error for a policy that judges nothing, because every run would pass it.
void CheckJudgesNothing(const Policy& policy, std::span<const ActiveRule> active, Errors& errors) {
  const bool has_limits = !policy.thresholds.empty() || policy.baseline.has_value();
  const bool is_off = !active.empty() && std::all_of(active.begin(), active.end(), [](auto& rule) {
    return rule.choice == RuleSetting::Choice::kOff;
  });
  if (has_limits || !is_off) return;
  AddError(errors, policy.rules.back().where, "policy/judges-nothing",
           "all rules are off and there is no limit: every run would pass")
      .notes.emplace_back("help: add `thresholds:` or a `baseline:` block, or leave some rules on");
}

}  // namespace

// Keeps all rules in `active`, in the order of `rules`, until the end, because checks also need the
// disabled ones.
std::vector<ActiveRule> SelectRulesWithErrors(const RuleSet& rules, const Policy& policy,
                                              const SelectOptions& options, Errors& all) {
  Errors errors = options.allow_long_waivers ? Errors{} : CheckWaivers(policy, options.today);
  for (Error& error : CheckBounds(policy)) errors.push_back(std::move(error));
  std::vector<ActiveRule> active;
  for (const Rule& rule : rules.rules) {
    active.push_back({&rule, RuleSetting::Choice::kDefault, {}, false, {}});
    for (const RuleParam& param : rule.params)
      active.back().params[param.name] = param.default_value;
  }
  for (const RuleSetting& setting : policy.rules) {
    bool matched = false;
    for (ActiveRule& rule : active) {
      if (!Matches(setting.pattern, *rule.rule)) continue;
      matched = true;
      if (setting.choice) rule.choice = *setting.choice;
      ApplyParams(setting, rule, errors);
    }
    if (!matched) AddUnknownRule(errors, rules, setting.pattern, setting.where);
  }
  CheckParamsOfOff(policy, active, errors);
  CheckOffAfter(policy, errors);
  CheckJudgesNothing(policy, active, errors);
  const auto active_of = [&](const Rule* rule) -> ActiveRule& {
    return active[static_cast<std::size_t>(rule - rules.rules.data())];
  };
  for (const RequiredRule& required : policy.require) {
    if (required.rule == kRequiredBaseline) continue;
    const Rule* rule = rules.Find(required.rule);
    if (rule == nullptr) {
      AddUnknownRule(errors, rules, required.rule, required.where);
      continue;
    }
    ActiveRule& found = active_of(rule);
    found.required = true;
    if (found.choice == RuleSetting::Choice::kOff) {
      AddError(errors, required.where, "policy/required-off",
               fmt::format("the rule `{}` is required, but switched off", rule->id));
    }
  }
  for (const Waiver& waiver : policy.waivers) {
    if (waiver.rule.empty()) continue;  // A waiver of a limit.
    if (const Rule* rule = rules.Find(waiver.rule)) {
      if (!HasExpired(waiver, options.today)) active_of(rule).waivers.push_back(&waiver);
    } else {
      AddUnknownRule(errors, rules, waiver.rule, waiver.place);
    }
  }
  // Reports no unknown rules if a file could not be decoded, because it may have them.
  if (!rules.is_whole) {
    std::erase_if(errors, [](const Error& error) { return error.code == "policy/unknown-rule"; });
  }
  std::move(errors.begin(), errors.end(), std::back_inserter(all));
  std::erase_if(active, [](const ActiveRule& r) { return r.choice == RuleSetting::Choice::kOff; });
  return active;
}

tl::expected<std::vector<ActiveRule>, Errors> SelectRules(const RuleSet& rules,
                                                          const Policy& policy,
                                                          const SelectOptions& options) {
  Errors errors;
  std::vector<ActiveRule> active = SelectRulesWithErrors(rules, policy, options, errors);
  SortByPlace(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return active;
}

}  // namespace profgauge::rules
