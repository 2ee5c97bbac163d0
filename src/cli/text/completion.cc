#include "cli/text/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/analysis.h"
#include "base/errors.h"
#include "cli/text/documents.h"
#include "knowledge/thresholds.h"
#include "rules/rule.h"

namespace profgauge::cli {
namespace {

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};

std::vector<std::string> MetricIds() {
  std::vector<std::string> ids;
  for (const analysis::MetricSpec& metric : analysis::MetricCatalogue())
    ids.emplace_back(metric.id);
  return ids;
}

std::vector<std::string> ThresholdWords() {
  std::vector<std::string> words = {"list", "explain"};
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) words.emplace_back(row.id);
  return words;
}

std::vector<std::string> RuleIds() {
  std::vector<std::string> ids;
  if (const auto rules = rules::LoadBuiltinRules()) {
    for (const rules::Rule& rule : rules->rules) ids.push_back(rule.id);
  }
  return ids;
}

std::vector<std::string> SchemaNames() {
  std::vector<std::string> names;
  for (const NamedSchema& schema : AllSchemas()) names.emplace_back(schema.name);
  return names;
}

std::vector<std::string> TopicWords() {
  std::vector<std::string> words;
  for (const FirstWord& word : FirstWords()) words.emplace_back(word.name);
  return words;
}

}  // namespace

Result<std::string> CompletionScript(std::string_view shell) {
  if (shell == "bash") return BashCompletion();
  if (shell == "zsh") return ZshCompletion();
  if (shell == "fish") return FishCompletion();
  return Fail(UsageError("usage/unknown-shell",
                         fmt::format("no completions for the shell `{}`", shell),
                         fmt::format("shells are {}", fmt::join(kShells, ", "))));
}

std::vector<FirstWord> FirstWords() {
  std::vector<FirstWord> words;
  for (const CommandSpec& command : AllCommands()) {
    const std::size_t blank = command.name.find(' ');
    const std::string_view name = command.name.substr(0, blank);
    if (blank == std::string_view::npos) {
      words.push_back({name, std::string(command.brief)});
    } else if (words.empty() || words.back().name != name) {
      words.push_back({name, std::string(command.name.substr(blank + 1))});
    } else {
      words.back().brief += fmt::format(", {}", command.name.substr(blank + 1));
    }
  }
  return words;
}

Candidates CandidatesOf(const OptionSpec& option) {
  Candidates candidates;
  candidates.files = option.value == "FILE";
  candidates.folders = option.value == "DIR";
  for (const std::string_view choice : ChoicesOf(option)) candidates.words.emplace_back(choice);
  return candidates;
}

Candidates CandidatesOf(const CommandSpec& command) {
  switch (command.takes) {
    case Takes::kNothing:
      break;
    case Takes::kFiles:
      return {true, false, {}};
    case Takes::kFolder:
      return {false, true, {}};
    case Takes::kMetrics:
      return {false, false, MetricIds()};
    case Takes::kThresholds:
      return {false, false, ThresholdWords()};
    case Takes::kRuleThenFiles:
      return {true, false, RuleIds()};
    case Takes::kCommand:
      return {false, false, TopicWords()};
    case Takes::kSchema:
      return {false, false, SchemaNames()};
    case Takes::kShell:
      return {false, false, {std::begin(kShells), std::end(kShells)}};
  }
  return {};
}

std::vector<const OptionSpec*> OptionsOf(const CommandSpec& command) {
  std::vector<const OptionSpec*> options;
  for (const OptionSpec& option : AllOptions()) {
    if ((option.commands & command.bit) != 0) options.push_back(&option);
  }
  return options;
}

std::string Underscored(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

std::string Blanked(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace profgauge::cli
