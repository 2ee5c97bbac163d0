#include "rules/rule_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "rules/compile.h"
#include "rules/never_missed.h"
#include "rules/rule_mistakes.h"

namespace profgauge::rules {
namespace {

bool Names(std::string_view pattern, const Rule& rule) {
  if (GlobMatch(pattern, rule.id)) return true;
  return std::any_of(rule.formerly.begin(), rule.formerly.end(),
                     [&](const std::string& id) { return GlobMatch(pattern, id); });
}

}  // namespace

/// Fills in `symptoms`. A rule that is switched off may still be named, and so may a metric.
void LinkSymptoms(std::vector<CompiledRule>& rules) {
  for (std::size_t cause = 0; cause < rules.size(); ++cause) {
    for (const SourceText& pattern : rules[cause].rule->explains) {
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (i == cause || !Names(pattern.text, *rules[i].rule)) continue;
        auto& symptoms = rules[cause].symptoms;
        if (std::find(symptoms.begin(), symptoms.end(), i) == symptoms.end()) symptoms.push_back(i);
      }
    }
    const std::vector<RuleLet>& entries = rules[cause].rule->explains_when;
    for (std::size_t entry = 0; entry < entries.size(); ++entry) {
      for (std::size_t i = 0; i < rules.size(); ++i) {
        if (i == cause || !Names(entries[entry].name, *rules[i].rule)) continue;
        rules[cause].symptoms_when.emplace_back(i, entry);
      }
    }
  }
}

namespace {

/// Whether `target` can be reached from `from` over symptoms.
/// Depth first. Conditions on symptoms count as if true: a circle in some run is a circle.
bool CanReach(const std::vector<CompiledRule>& rules, std::size_t from, std::size_t target) {
  std::vector<bool> seen(rules.size(), false);
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    std::vector<std::size_t> symptoms = rules[at].symptoms;
    for (const auto& [symptom, condition] : rules[at].symptoms_when) symptoms.push_back(symptom);
    for (const std::size_t next : symptoms) {
      if (next == target) return true;
      if (!seen[next]) open.push_back(next);
      seen[next] = true;
    }
  }
  return false;
}

}  // namespace

void CheckCircles(const std::vector<CompiledRule>& rules, Errors& errors) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!CanReach(rules, i, i)) continue;
    const Rule& rule = *rules[i].rule;
    AddError(rule.explains.empty() ? rule.explains_when.front().where : rule.explains.front().All(),
             "rules/circle",
             fmt::format("`{}` explains itself through a cycle of `explains`", rules[i].rule->id),
             "a cause cannot be its own symptom", errors);
  }
}

namespace {

/// Whether the policy sets a parameter to another value than its default.
bool HasOwnParams(const ActiveRule& active) {
  return std::any_of(
      active.rule->params.begin(), active.rule->params.end(), [&](const RuleParam& param) {
        const auto found = active.params.find(param.name);
        return found != active.params.end() && found->second.value != param.default_value.value;
      });
}

}  // namespace

/// See MeasuredMetric(). Limits that have a condition say something else than the rule.
/// Two limits on one number, in the rule and in the policy, would give two verdicts on one thing:
/// the user's holds, unless the user also set the rule's own.
void AdoptLimits(const Policy& policy, CompiledRule& rule) {
  const std::string_view metric = MeasuredMetric(*rule.rule);
  if (metric.empty() || rule.limits.empty() || HasOwnParams(rule.active)) return;
  const CompiledRule::Limit own = rule.limits.front();
  std::vector<CompiledRule::Limit> adopted;
  for (const Level level : {Level::kError, Level::kWarn, Level::kInfo}) {
    for (const Threshold& threshold : policy.thresholds) {
      if (threshold.metric != metric || threshold.level != level) continue;
      if (!threshold.when.empty()) return;
      const auto& value = own.above ? threshold.max : threshold.min;
      if (value) adopted.push_back({level, own.above, own.value, value});
    }
  }
  if (!adopted.empty()) rule.limits = std::move(adopted);
}

/// The condition of a waiver is not checked if its rule has errors.
void AttachWaivers(const Policy& policy, std::span<const Errors> errors_of,
                   std::vector<CompiledRule>& rules, Errors& errors) {
  for (const Waiver& waiver : policy.waivers) {
    for (CompiledRule& rule : rules) {
      const bool is_whole =
          rule.rule->is_whole && errors_of[static_cast<std::size_t>(&rule - rules.data())].empty();
      if (!is_whole || IsGlob(waiver.rule) || !Names(waiver.rule, *rule.rule)) continue;
      CompiledRule::Waived waived;
      waived.waiver = &waiver;
      if (!waiver.where.empty()) {
        auto where = expr::Compile(waiver.where.text, rule.names.schema, expr::Context::kGroup,
                                   expr::Want::kCondition);
        if (!where) {
          AddMapped(waiver.where, std::move(where.error()), errors);
          continue;
        }
        waived.where = *std::move(where);
        rule.names.Bind();
      }
      rule.waivers.push_back(std::move(waived));
    }
  }
}

}  // namespace profgauge::rules
