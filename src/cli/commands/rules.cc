// `profgauge rules …`: lists, checks, tests and explains rules. Only `explain` may use a profile.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "analysis/replay.h"
#include "api/session.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/file_kind.h"
#include "cli/json_list.h"
#include "cli/outputs.h"
#include "cli/question.h"
#include "cli/reading.h"
#include "cli/text/rules_text.h"
#include "gate/reasons.h"
#include "rules/project.h"
#include "rules/rule_mistakes.h"
#include "rules/rulebook.h"
#include "rules/waiver.h"
#include "rules/yaml.h"

namespace profgauge::cli {
namespace {

/// Shows all errors of a configuration and returns their exit code.
int Refuse(const rules::Errors& errors, Console& console) {
  console.Report(errors);
  return kExitUsage;
}

/// The rules of the files on the command line; the built-in ones if there are none.
tl::expected<rules::RuleSet, rules::Errors> NamedRules(const Options& options) {
  return options.arguments.empty() ? rules::LoadBuiltinRules()
                                   : rules::LoadRules(options.arguments);
}

Error UnknownRule(const rules::RuleSet& rules, const std::string& id) {
  Error error =
      UsageError("usage/unknown-rule", fmt::format("there is no rule `{}`", PrintableShort(id)));
  std::vector<std::string_view> ids;
  for (const rules::Rule& rule : rules.rules) ids.push_back(rule.id);
  const std::string_view nearest = DidYouMean(id, ids);
  if (!nearest.empty()) error.notes.push_back(fmt::format("help: did you mean `{}`?", nearest));
  error.notes.emplace_back(
      "help: `profgauge rules list` names them all; rules/README.md has the reasons for no "
      "verdict, "
      "and the error of an input says itself what to do");
  return error;
}

/// Prints the meaning of a reason: the observation, what to do, who may overrule it.
Result<int> ExplainReason(const gate::Reason& reason, const Options& options, Console& console) {
  const std::string text =
      fmt::format("{}: no verdict\n  seen       {}\n  do         {}\n  overruled  {}\n", reason.id,
                  reason.seen, reason.act, reason.overrule);
  JsonList list("reason");
  JsonWriter& row = list.Row();
  row.Field("id", reason.id);
  row.Field("seen", reason.seen);
  row.Field("do", reason.act);
  row.Field("overruled_by", reason.overrule);
  row.Key("again"), row.Bool(reason.again);
  return PrintList(options, text, std::move(list), console);
}

// The compiled form of a rule; nullptr if the policy switched the rule off.
const rules::CompiledRule* CompiledOf(const rules::Rulebook& book, const rules::Rule& rule) {
  for (const rules::CompiledRule& compiled : book.compiled()) {
    if (compiled.rule == &rule) return &compiled;
  }
  return nullptr;
}

std::string WellFormed(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {} well-formed\n", count, count == 1 ? one : many);
}

/// Adds the mistakes in these configurations and in their queries. Returns the number of queries.
std::size_t CheckConfigurations(const std::vector<std::string>& paths, rules::Errors& errors) {
  std::size_t count = 0;
  const auto add = [&errors](rules::Errors more) {
    std::move(more.begin(), more.end(), std::back_inserter(errors));
  };
  for (const std::string& path : paths) {
    auto project = rules::LoadProject(path);
    if (!project) {
      add(std::move(project).error());
      continue;
    }
    count += project->queries.size();
    add(CheckQueries(OwnQueries(*project)));
  }
  return count;
}

/// Adds an error for each cycle of `explains` among these rules and built-in ones. A user's rule
/// replaces the built-in one with its id. Other errors of this compilation are dropped, because
/// they were reported before, with better places.
void AddCircles(const std::vector<rules::Rule>& rules, const std::vector<rules::Rule>& shipped,
                rules::Errors& errors) {
  rules::RuleSet all;
  all.rules = rules;
  for (const rules::Rule& rule : shipped) {
    if (std::ranges::find(rules, rule.id, &rules::Rule::id) == rules.end())
      all.rules.push_back(rule);
  }
  const rules::Policy policy;
  rules::Errors found;
  const auto active = rules::SelectRulesWithErrors(all, policy, {}, found);
  rules::CompileRulesWithErrors(active, policy, found);
  std::ranges::copy_if(found, std::back_inserter(errors),
                       [](const Error& error) { return error.code == "rules/circle"; });
}

}  // namespace

Result<int> RunRulesList(const Options& options, Console& console) {
  const auto rules = NamedRules(options);
  if (!rules) return Refuse(rules.error(), console);
  JsonList list("rules-list");
  for (const rules::Rule& rule : rules->rules) {
    JsonWriter& row = list.Row();
    row.Field("id", rule.id);
    row.Field("title", InGeneralWords(rule.title));
    row.Field("category", rule.category);
  }
  return PrintList(options, RuleLines(rules->rules), std::move(list), console);
}

Result<int> RunRulesCheck(const Options& options, Console& console) {
  rules::Errors errors;
  rules::Errors warnings;
  std::vector<std::string> configurations, files;
  std::partition_copy(options.arguments.begin(), options.arguments.end(),
                      std::back_inserter(configurations), std::back_inserter(files),
                      IsConfiguration);
  const std::size_t queries = CheckConfigurations(configurations, errors);
  const rules::RuleSet rules =
      files.empty() ? rules::RuleSet() : rules::LoadRulesWithErrors(files, errors);
  for (const rules::Rule& rule : rules.rules) {
    for (Error& error : rules::CheckRule(rule, &warnings)) errors.push_back(std::move(error));
  }
  if (const auto shipped = rules::LoadBuiltinRules(); shipped && !files.empty()) {
    rules::CheckTitles(rules.rules, shipped->rules, errors);
    if (errors.empty()) AddCircles(rules.rules, shipped->rules, errors);
  }
  rules::SortByPlace(errors);
  rules::SortByPlace(warnings);
  if (!warnings.empty()) console.Warn(rules::RenderWarnings(warnings, console.color_err()));
  if (!errors.empty()) {
    PROFGAUGE_CHECK(PrintList(options, "", MistakeList(errors, warnings), console));
    return Refuse(errors, console);
  }
  for (const rules::Rule& rule : rules.rules) {
    for (const std::string& doubt : rules::DoubtsOf(rule)) console.Warn(doubt);
  }
  std::string text;
  if (!files.empty()) text += WellFormed(rules.rules.size(), "rule is", "rules are");
  if (!configurations.empty()) text += WellFormed(queries, "query is", "queries are");
  return PrintList(options, text, MistakeList(errors, warnings), console);
}

Result<int> RunRulesTest(const Options& options, Console& console) {
  const auto results = rules::RunRuleTests(options.arguments);
  if (!results) return Refuse(results.error(), console);
  // The rule files that tests name are inputs, so outputs must not replace them.
  KeptFiles kept = KeptBy(options);
  for (const rules::RuleTestResult& result : *results) {
    kept.inputs.insert(kept.inputs.end(), result.rules.begin(), result.rules.end());
  }
  Outputs outputs(std::move(kept));
  std::size_t junit = 0;
  if (options.outputs.Has(OutputKind::kJunit)) {
    PROFGAUGE_TRY(junit, outputs.Open(options.outputs[OutputKind::kJunit], FileKind::kJunit));
  }
  PROFGAUGE_CHECK(
      PrintList(options, TestLines(*results, options.verbosity), TestList(*results), console));
  if (options.outputs.Has(OutputKind::kJunit))
    PROFGAUGE_CHECK(outputs.Commit(junit, TestJunit(*results)));
  const bool failed =
      std::any_of(results->begin(), results->end(),
                  [](const rules::RuleTestResult& r) { return !r.failures.empty(); });
  return failed ? kExitFail : kExitPass;
}

Result<int> RunRulesColumns(const Options& options, Console& console) {
  if (options.arguments.empty()) return PrintList(options, RowKinds(), ColumnList(""), console);
  const std::string& row = options.arguments.front();
  const std::string lines = ColumnLines(row);
  if (lines.empty()) {
    std::vector<std::string_view> rows;
    for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
      if (!table.row_name.empty()) rows.push_back(table.row_name);
    }
    Error error =
        UsageError("usage/unknown-row", fmt::format("there are no rows `{}`", PrintableShort(row)));
    const std::string_view nearest = DidYouMean(row, rows);
    if (!nearest.empty()) error.notes.push_back(fmt::format("help: did you mean `{}`?", nearest));
    error.notes.emplace_back("help: `profgauge rules columns` lists them");
    return Fail(std::move(error));
  }
  return PrintList(options, lines, ColumnList(row), console);
}

Result<int> RunRulesDocs(const Options& options, Console& console) {
  const auto rules = NamedRules(options);
  if (!rules) return Refuse(rules.error(), console);
  console.Print(LanguageDocs() + "\n## Rules\n\n" + RuleDocs(rules->rules));
  return kExitPass;
}

Result<int> RunRulesExplain(const Options& options, Console& console) {
  const auto policy =
      rules::LoadPolicy(options.policy.empty() ? "builtin:recommended" : options.policy);
  if (!policy) return Refuse(policy.error(), console);
  rules::SelectOptions select;
  PROFGAUGE_TRY(select.today, rules::Today("", std::getenv("SOURCE_DATE_EPOCH")));
  select.allow_long_waivers = true;
  const auto book = rules::LoadRulebook(*policy, select);
  if (!book) return Refuse(book.error(), console);
  // The argument is a reason for no verdict, the id of a rule, or the key of a finding: RULE@GROUP.
  const std::string& key = options.arguments.front();
  if (const gate::Reason* reason = gate::FindReason(key)) {
    return ExplainReason(*reason, options, console);
  }
  const std::string id = key.substr(0, key.find('@'));
  const rules::Rule* rule = book->rules().Find(id);
  if (rule == nullptr) return Fail(UnknownRule(book->rules(), id));
  const rules::CompiledRule* compiled = CompiledOf(*book, *rule);
  const rules::ActiveRule* active = compiled == nullptr ? nullptr : &compiled->active;
  std::string text = ExplainRule(*rule, active);
  std::vector<const rules::Finding*> asked;
  const auto print = [&] {
    return PrintList(options, text, ExplainList(*rule, active, asked), console);
  };
  if (options.arguments.size() == 1 || active == nullptr) return print();

  Options reading = options;
  reading.arguments.erase(reading.arguments.begin());
  PROFGAUGE_TRY(const std::vector<Profile> ranks, ReadProfiles(reading, console));
  PROFGAUGE_TRY(analysis::Replayable run,
                analysis::AnalyzeForReplay(ranks, SelectionOf(*policy, Choices(options))));
  analysis::Analysis& analysis = run.analysis;
  book->Predict(run.replayer.get(), analysis);
  const auto simulations = rules::SimulationsOf(run.replayer.get());
  const rules::Evaluation evaluation =
      book->Evaluate(analysis, rules::CollectFacts(ranks, analysis), true, simulations.get());
  std::string results;
  for (const rules::Finding& finding : evaluation.findings) {
    if (finding.rule != rule || (key != id && finding.key != key)) continue;
    results += ExplainFinding(finding) + "\n";
    asked.push_back(&finding);
  }
  text = results + text;
  return print();
}

}  // namespace profgauge::cli
