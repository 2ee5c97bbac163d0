#include <fmt/format.h>

#include <iterator>

#include "cli/text/completion.h"

namespace profgauge::cli {
namespace {

/// A text within '…', with `:` and `]` escaped, where _arguments and _describe end texts.
std::string Quoted(std::string_view text) {
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

std::string Action(const Candidates& candidates) {
  std::vector<std::string> words;
  for (const std::string& word : candidates.words) words.push_back(Quoted(word));
  const std::string_view paths = candidates.files     ? "_files"
                                 : candidates.folders ? "_files -/"
                                                      : std::string_view();
  if (words.empty()) return std::string(paths.empty() ? " " : paths);
  const std::string listed = fmt::format("compadd -- {}", Blanked(candidates.words));
  if (paths.empty()) return fmt::format("({})", Blanked(words));
  return fmt::format("{{{}; {}}}", listed, paths);
}

std::string OptionLine(const OptionSpec& option) {
  const std::string_view star = option.repeats ? "*" : "";
  const std::string text = Quoted(option.brief);
  std::string value;
  if (!option.value.empty()) {
    value = fmt::format(":{}:{}", Quoted(option.value), Action(CandidatesOf(option)));
  }
  const std::string_view sign = option.value.empty() ? "" : "=";
  if (option.shorthand.empty()) {
    return fmt::format("        '{}{}{}[{}]{}' \\\n", star, option.name, sign, text, value);
  }
  return fmt::format("        '{0}({1} {2})'{{{1},{2}{3}}}'[{4}]{5}' \\\n", star, option.shorthand,
                     option.name, sign, text, value);
}

std::string CommandCases() {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const CommandSpec& command : AllCommands()) {
    fmt::format_to(out, "    '{}')\n      _arguments -S \\\n", command.name);
    for (const OptionSpec* option : OptionsOf(command)) text += OptionLine(*option);
    text += "        '(-h --help)'{-h,--help}'[Show help]'";
    if (command.takes != Takes::kNothing) {
      fmt::format_to(out, " \\\n        '*:{}:{}'", Quoted(command.arguments),
                     Action(CandidatesOf(command)));
    }
    text += " ;;\n";
  }
  return text;
}

std::string Described(const std::vector<std::pair<std::string, std::string>>& words) {
  std::string text;
  for (const auto& [name, brief] : words) {
    text += fmt::format(" '{}:{}'", Quoted(name), Quoted(brief));
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
                     Described(first), GroupCases(), CommandCases());
}

}  // namespace profgauge::cli
