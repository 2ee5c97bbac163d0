#include "cli/text/completion.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <map>

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

namespace {

// The bash commands that complete $value, the current word: each appends to COMPREPLY.
std::string BashAction(const Candidates& candidates) {
  std::string text;
  if (!candidates.words.empty()) {
    text += fmt::format("_profgauge_words '{}'; ", Blanked(candidates.words));
  }
  if (candidates.files) text += "_profgauge_paths -f; ";
  if (candidates.folders) text += "_profgauge_paths -d; ";
  return text.empty() ? ":" : text.substr(0, text.size() - 2);
}

std::string Names(const OptionSpec& option) {
  return option.shorthand.empty() ? std::string(option.name)
                                  : fmt::format("{}|{}", option.name, option.shorthand);
}

/// The cases of `case "$command"`: options and arguments of each command. Options with equal
/// candidates share one line, because every new shell reads the script.
std::string BashCommandCases() {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const CommandSpec& command : AllCommands()) {
    fmt::format_to(out, "    '{}')\n      options='", command.name);
    for (const OptionSpec* option : OptionsOf(command)) {
      fmt::format_to(out, "{} ", option->name);
      if (!option->shorthand.empty()) fmt::format_to(out, "{} ", option->shorthand);
    }
    fmt::format_to(out, "--help -h'\n      case $option in\n");
    std::map<std::string, std::string> patterns;  // Names of options, by pattern of files.
    for (const OptionSpec* option : OptionsOf(command)) {
      if (option->value.empty()) continue;
      std::string& names = patterns[BashAction(CandidatesOf(*option))];
      if (!names.empty()) names += "|";
      names += Names(*option);
    }
    for (const auto& [action, names] : patterns) {
      fmt::format_to(out, "        {}) {} ;;\n", names, action);
    }
    fmt::format_to(out, "        ARGUMENT) {} ;;\n        *) option= ;;\n      esac ;;\n",
                   BashAction(CandidatesOf(command)));
  }
  return text;
}

std::string SecondWordCases() {
  std::string text;
  for (const std::string_view group : CommandGroups()) {
    std::vector<std::string> words;
    for (const CommandSpec* command : CommandsOf(group)) {
      words.emplace_back(command->name.substr(group.size() + 1));
    }
    text += fmt::format("    {}) _profgauge_words '{} --help' ;;\n", group, Blanked(words));
  }
  return text;
}

// Bash also splits words at `=` and `:`. So the script parses the line again, and removes from a
// completion the part up to the last of these characters.
constexpr std::string_view kHead = R"(# Completions of profgauge for bash.
# Load with: source <(profgauge completion bash)

_profgauge_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$value")
}

_profgauge_paths() {
  local path
  compopt -o filenames 2> /dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$value")
}

# Offers values of $option, an option of $command or ARGUMENT; empties it when it takes none. Leaves
# the command's options in $options.
_profgauge_complete() {
  case $command in
)";
constexpr std::string_view kMiddle = R"(    *) return 1 ;;
  esac
}

_profgauge_second() {
  case $1 in
)";
constexpr std::string_view kEndOfSecond = R"(    *) return 1 ;;
  esac
}

)";
constexpr std::string_view kTail = R"(
_profgauge() {
  local line=${COMP_LINE:0:COMP_POINT} words current value option command prefix= last
  COMPREPLY=()
  read -ra words <<< "$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  last=$((${#words[@]} - 1))
  current=${words[last]}
  value=$current

  if [ "$last" -le 1 ]; then
    _profgauge_words "$_profgauge_first --help --version"
    return
  fi
  command=${words[1]}
  case " $_profgauge_groups " in
    *" $command "*)
      if [ "$last" -eq 2 ]; then
        _profgauge_second "$command"
        return
      fi
      command="$command ${words[2]}"
      ;;
  esac
  if [ "$command" = help ] && [ "$last" -eq 3 ]; then
    _profgauge_second "${words[2]}"
    return
  fi

  local i options only_arguments=
  for ((i = 2; i < last; ++i)); do [ "${words[i]}" = -- ] && only_arguments=yes; done
  if [ -n "$only_arguments" ]; then
    option=ARGUMENT
    _profgauge_complete
  elif [[ $current == --*=* ]]; then
    option=${current%%=*}
    value=${current#*=}
    [[ $COMP_WORDBREAKS == *=* ]] || prefix="$option="
    _profgauge_complete
  else
    option=${words[last - 1]}
    [[ $option == -* ]] || option=
    _profgauge_complete
    if [ -n "$option" ]; then
      :
    elif [[ $current == -* ]]; then
      _profgauge_words "$options"
    else
      option=ARGUMENT
      _profgauge_complete
    fi
  fi

  # What stands before the last `:` is there already.
  local before=${value%"${value##*:}"}
  [[ $COMP_WORDBREAKS == *:* ]] || before=
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$prefix${COMPREPLY[i]#"$before"}; done
}

complete -F _profgauge profgauge
)";

}  // namespace

std::string BashCompletion() {
  std::vector<std::string> first, groups;
  for (const FirstWord& word : FirstWords()) first.emplace_back(word.name);
  for (const std::string_view group : CommandGroups()) groups.emplace_back(group);
  std::string text(kHead);
  text += BashCommandCases();
  text += kMiddle;
  text += SecondWordCases();
  text += fmt::format("{}_profgauge_first='{}'\n_profgauge_groups='{}'\n{}", kEndOfSecond,
                      Blanked(first), Blanked(groups), kTail);
  return text;
}

namespace {

/// A text within '…', with `:` and `]` escaped, where _arguments and _describe end texts.
std::string ZshQuoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string ZshAction(const Candidates& candidates) {
  std::vector<std::string> words;
  for (const std::string& word : candidates.words) words.push_back(ZshQuoted(word));
  const std::string_view paths = candidates.files     ? "_files"
                                 : candidates.folders ? "_files -/"
                                                      : std::string_view();
  if (words.empty()) return std::string(paths.empty() ? " " : paths);
  const std::string listed = fmt::format("compadd -- {}", Blanked(candidates.words));
  if (paths.empty()) return fmt::format("({})", Blanked(words));
  return fmt::format("{{{}; {}}}", listed, paths);
}

std::string ZshOptionLine(const OptionSpec& option) {
  const std::string_view star = option.repeats ? "*" : "";
  const std::string text = ZshQuoted(option.brief);
  std::string value;
  if (!option.value.empty()) {
    value = fmt::format(":{}:{}", ZshQuoted(option.value), ZshAction(CandidatesOf(option)));
  }
  const std::string_view sign = option.value.empty() ? "" : "=";
  if (option.shorthand.empty()) {
    return fmt::format("        '{}{}{}[{}]{}' \\\n", star, option.name, sign, text, value);
  }
  return fmt::format("        '{0}({1} {2})'{{{1},{2}{3}}}'[{4}]{5}' \\\n", star, option.shorthand,
                     option.name, sign, text, value);
}

std::string ZshCommandCases() {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const CommandSpec& command : AllCommands()) {
    fmt::format_to(out, "    '{}')\n      _arguments -S \\\n", command.name);
    for (const OptionSpec* option : OptionsOf(command)) text += ZshOptionLine(*option);
    text += "        '(-h --help)'{-h,--help}'[Show help]'";
    if (command.takes != Takes::kNothing) {
      fmt::format_to(out, " \\\n        '*:{}:{}'", ZshQuoted(command.arguments),
                     ZshAction(CandidatesOf(command)));
    }
    text += " ;;\n";
  }
  return text;
}

std::string Described(const std::vector<std::pair<std::string, std::string>>& words) {
  std::string text;
  for (const auto& [name, brief] : words) {
    text += fmt::format(" '{}:{}'", ZshQuoted(name), ZshQuoted(brief));
  }
  return text;
}

std::string GroupCases() {
  std::string text;
  for (const std::string_view group : CommandGroups()) {
    std::vector<std::pair<std::string, std::string>> words;
    for (const CommandSpec* command : CommandsOf(group)) {
      words.emplace_back(command->name.substr(group.size() + 1), command->brief);
    }
    text += fmt::format(
        "    {0})\n      if (( CURRENT == 3 )); then\n        second=({1})\n"
        "        _describe command second\n        return\n      fi\n"
        "      command=\"$command $words[3]\"\n      shift words\n      (( CURRENT -= 1 )) ;;\n",
        group, Described(words));
  }
  return text;
}

}  // namespace

std::string ZshCompletion() {
  std::vector<std::pair<std::string, std::string>> first;
  for (const FirstWord& word : FirstWords()) first.emplace_back(word.name, word.brief);
  return fmt::format(R"(#compdef profgauge
# Completions of profgauge for zsh: a file _profgauge in a folder of $fpath.

_profgauge() {{
  local command=$words[2]
  local -a first second
  if (( CURRENT == 2 )); then
    first=({})
    _describe command first
    return
  fi
  case $command in
{}  esac
  shift words
  (( CURRENT -= 1 ))
  case $command in
{}  esac
}}

if [ "$funcstack[1]" = _profgauge ]; then
  _profgauge "$@"
else
  compdef _profgauge profgauge
fi
)",
                     Described(first), GroupCases(), ZshCommandCases());
}

namespace {

// A text within '…', where fish interprets only \' and \\.
std::string FishQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// The arguments of `complete` for these candidates. `-f` switches file names off, so it is needed
// unless they are candidates.
std::string Offered(const Candidates& candidates) {
  std::string text;
  if (!candidates.words.empty()) text += fmt::format(" -a '{}'", Blanked(candidates.words));
  if (candidates.folders) text += " -a '(__fish_complete_directories)'";
  text += candidates.files ? " -F" : " -f";
  return text;
}

// One line for an option and all commands that have it. If two options have one name but different
// texts, each has a line.
std::string FishOptionLine(const OptionSpec& option) {
  std::vector<std::string> commands;
  for (const CommandSpec& command : AllCommands()) {
    if ((option.commands & command.bit) != 0) commands.push_back(FishQuoted(command.name));
  }
  std::string text = fmt::format("complete -c profgauge -n \"__profgauge_in {}\" -l {}",
                                 Blanked(commands), option.name.substr(2));
  if (!option.shorthand.empty()) text += fmt::format(" -s {}", option.shorthand.substr(1));
  if (!option.value.empty()) text += " -r" + Offered(CandidatesOf(option));
  return text + fmt::format(" -d {}\n", FishQuoted(option.brief));
}

std::string CommandLines() {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const FirstWord& word : FirstWords()) {
    fmt::format_to(out, "complete -c profgauge -n __profgauge_first -f -a {} -d {}\n", word.name,
                   FishQuoted(word.brief));
  }
  for (const std::string_view group : CommandGroups()) {
    for (const CommandSpec* command : CommandsOf(group)) {
      fmt::format_to(out, "complete -c profgauge -n '__profgauge_second {}' -f -a {} -d {}\n",
                     group, command->name.substr(group.size() + 1), FishQuoted(command->brief));
    }
  }
  for (const CommandSpec& command : AllCommands()) {
    fmt::format_to(out, "complete -c profgauge -n \"__profgauge_in '{}'\"{}\n", command.name,
                   Offered(CandidatesOf(command)));
  }
  return text;
}

}  // namespace

std::string FishCompletion() {
  std::vector<std::string> groups;
  for (const std::string_view group : CommandGroups()) groups.emplace_back(group);
  std::string text = fmt::format(R"(# Completions of profgauge for fish.
# Load with: profgauge completion fish | source

set -g __profgauge_groups {}

# The words before the one being typed, without the program.
function __profgauge_words
    set -l words (commandline -opc)
    test (count $words) -gt 1; and printf '%s\n' $words[2..-1]
end

function __profgauge_first
    test (count (__profgauge_words)) -eq 0
end

function __profgauge_second
    set -l words (__profgauge_words)
    test (count $words) -eq 1; and test "$words[1]" = $argv[1]
end

# Whether the command is one of these.
function __profgauge_in
    set -l words (__profgauge_words)
    test (count $words) -gt 0; or return 1
    set -l command $words[1]
    if contains -- $command $__profgauge_groups
        test (count $words) -gt 1; or return 1
        set command "$command $words[2]"
    end
    contains -- $command $argv
end

complete -c profgauge -n __profgauge_first -f
complete -c profgauge -s h -l help -f -d 'Show help'
)",
                                 Blanked(groups));
  text += CommandLines();
  for (const OptionSpec& option : AllOptions()) text += FishOptionLine(option);
  return text;
}

}  // namespace profgauge::cli
