#include "rules/rulebook.h"

#include "rules/yaml.h"

namespace profgauge {

Evaluation Rulebook::Evaluate(const Analysis& analysis, const Facts& facts, bool trace) const {
  RuleRunOptions options;
  options.today = today_;
  options.trace = trace;
  return EvaluateRules(compiled_, analysis, facts, options);
}

tl::expected<Rulebook, Errors> LoadRulebook(const Policy& policy, const SelectOptions& options) {
  std::vector<std::string> paths = BuiltinRuleFiles();
  paths.insert(paths.end(), policy.rule_files.begin(), policy.rule_files.end());
  auto rules = LoadRules(paths);
  if (!rules) return tl::unexpected(std::move(rules).error());
  Rulebook book;
  book.rules_ = std::make_unique<const RuleSet>(*std::move(rules));
  book.today_ = options.today;
  const auto active = SelectRules(*book.rules_, policy, options);
  if (!active) return tl::unexpected(active.error());
  auto compiled = CompileRules(*active, policy);
  if (!compiled) {
    Errors errors = std::move(compiled).error();
    SortByPlace(errors);
    return tl::unexpected(std::move(errors));
  }
  book.compiled_ = *std::move(compiled);
  return book;
}

}  // namespace profgauge
