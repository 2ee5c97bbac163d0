#include <fmt/format.h>

#include <iterator>
#include <map>

#include "cli/text/completion.h"

namespace profgauge::cli {
namespace {

// The bash commands that complete $value, the current word: each appends to COMPREPLY.
std::string Action(const Candidates& candidates) {
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
std::string CommandCases() {
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
      std::string& names = patterns[Action(CandidatesOf(*option))];
      if (!names.empty()) names += "|";
      names += Names(*option);
    }
    for (const auto& [action, names] : patterns) {
      fmt::format_to(out, "        {}) {} ;;\n", names, action);
    }
    fmt::format_to(out, "        ARGUMENT) {} ;;\n        *) option= ;;\n      esac ;;\n",
                   Action(CandidatesOf(command)));
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
  text += CommandCases();
  text += kMiddle;
  text += SecondWordCases();
  text += fmt::format("{}_profgauge_first='{}'\n_profgauge_groups='{}'\n{}", kEndOfSecond,
                      Blanked(first), Blanked(groups), kTail);
  return text;
}

}  // namespace profgauge::cli
