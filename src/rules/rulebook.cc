#include "rules/rulebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "rules/yaml.h"

namespace profgauge::rules {

namespace {

/// The only kind of device that has the rule's data; empty if any may have it.
std::string_view FamilyOf(const CompiledRule& rule) {
  if (rule.names.table != nullptr && !rule.names.table->family.empty()) {
    return rule.names.table->family;
  }
  for (const expr::Slot slot : rule.needs) {
    const Binding& binding = rule.names.bindings[slot];
    if (binding.kind != Binding::Kind::kMetric) continue;
    const analysis::MetricSpec* metric = analysis::FindMetric(binding.name);
    if (metric != nullptr && !metric->family.empty()) return metric->family;
  }
  return {};
}

bool HasFamily(const analysis::Analysis& analysis, std::string_view family) {
  return std::any_of(analysis.metrics.begin(), analysis.metrics.end(),
                     [&](const analysis::Metric& metric) {
                       return metric.spec->family == family && !IsAbsent(metric.value);
                     });
}

/// Drops findings about a kind of device that the run does not have: "not applicable" would be no
/// information. They come last and are no cause, so indices stay valid.
void DropOtherFamilies(std::span<const CompiledRule> rules, const analysis::Analysis& analysis,
                       std::vector<Finding>& findings) {
  std::erase_if(findings, [&](const Finding& finding) {
    if (finding.status != FindingStatus::kNotApplicable) return false;
    const auto rule = std::find_if(rules.begin(), rules.end(), [&](const CompiledRule& compiled) {
      return compiled.rule == finding.rule;
    });
    if (rule == rules.end() || rule->active.required) return false;
    const std::string_view family = FamilyOf(*rule);
    return !family.empty() && !HasFamily(analysis, family);
  });
}

Error FindingError(const SourceText& finding, std::string message, std::string help) {
  return {ErrorKind::kConfig,
          "policy/no-finding",
          std::move(message),
          finding.All(),
          {"help: " + std::move(help)}};
}

/// Adds the scenarios of rules to those scenarios of the policy that name the rules.
void AddRuleScenarios(const Policy& policy, std::span<const CompiledRule> rules,
                      std::vector<CompiledScenario>& scenarios, Errors& errors) {
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    for (const SourceText& finding : policy.what_if[i].findings) {
      const auto rule = std::find_if(rules.begin(), rules.end(), [&](const CompiledRule& some) {
        return some.rule->id == finding.text;
      });
      if (rule == rules.end()) {
        errors.push_back(FindingError(finding,
                                      fmt::format("`{}` is no rule that runs", finding.text),
                                      "`profgauge rules list` shows the rules of a policy"));
      } else if (!rule->scenario) {
        errors.push_back(FindingError(
            finding, fmt::format("the rule `{}` has no scenario to simulate", finding.text),
            "name the work that would take less time: `scale: [{where: \"...\", by: 0.5}]`"));
      } else {
        CompiledScenario& to = scenarios[i];
        to.without_waiting = to.without_waiting || rule->scenario->without_waiting;
        to.scales.insert(to.scales.end(), rule->scenario->scales.begin(),
                         rule->scenario->scales.end());
      }
    }
  }
}

}  // namespace

bool Rulebook::LooksAt(const analysis::TableSpec& table) const {
  return std::ranges::any_of(compiled_, [&table](const CompiledRule& rule) {
    return rule.names.table == &table ||
           std::ranges::any_of(rule.names.bindings, [&table](const Binding& binding) {
             return binding.table == &table;
           });
  });
}

void Rulebook::Predict(const analysis::simulation::Replayer* replayer,
                       analysis::Analysis& analysis) const {
  AddWhatIf(scenarios_, replayer, analysis);
}

Evaluation Rulebook::Evaluate(const analysis::Analysis& analysis, const Facts& facts, bool trace,
                              ScenarioRunner* simulations, std::function<void()> beside) const {
  RuleRunOptions options;
  options.beside = std::move(beside);
  options.today = today_;
  options.trace = trace;
  options.simulations = simulations;
  options.thresholds = thresholds_;
  Facts known = facts;
  known["profile.ranks_allowed_missing"] = allowed_missing_;
  Evaluation evaluation = EvaluateRules(compiled_, analysis, known, options);
  if (!trace) DropOtherFamilies(compiled_, analysis, evaluation.findings);
  return evaluation;
}

Plan Rulebook::PlanOf(const Evaluation& evaluation, const analysis::Analysis& analysis,
                      ScenarioRunner* simulations) const {
  return MakePlan(compiled_, evaluation.findings, analysis, simulations);
}

tl::expected<Rulebook, Errors> LoadRulebook(const Policy& policy, const SelectOptions& options) {
  std::vector<std::string> paths = BuiltinRuleFiles();
  paths.insert(paths.end(), policy.rule_files.begin(), policy.rule_files.end());
  Errors errors;
  Rulebook book;
  book.rules_ = std::make_unique<const RuleSet>(LoadRulesWithErrors(paths, errors));
  book.today_ = options.today;
  book.allowed_missing_ = policy.ranks.allow_missing;
  book.thresholds_ = policy.knowledge.thresholds;
  const auto active = SelectRulesWithErrors(*book.rules_, policy, options, errors);
  book.compiled_ = CompileRulesWithErrors(active, policy, errors);
  auto scenarios = CompileScenarios(policy);
  if (scenarios) {
    book.scenarios_ = *std::move(scenarios);
    AddRuleScenarios(policy, book.compiled_, book.scenarios_, errors);
  } else {
    std::move(scenarios.error().begin(), scenarios.error().end(), std::back_inserter(errors));
  }
  if (errors.empty()) return book;
  SortByPlace(errors);
  return tl::unexpected(std::move(errors));
}

}  // namespace profgauge::rules
