#include <fmt/format.h>

#include <iterator>

#include "cli/text/completion.h"

namespace profgauge::cli {
namespace {

// A text within '…', where fish interprets only \' and \\.
std::string Quoted(std::string_view text) {
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
std::string OptionLine(const OptionSpec& option) {
  std::vector<std::string> commands;
  for (const CommandSpec& command : AllCommands()) {
    if ((option.commands & command.bit) != 0) commands.push_back(Quoted(command.name));
  }
  std::string text = fmt::format("complete -c profgauge -n \"__profgauge_in {}\" -l {}",
                                 Blanked(commands), option.name.substr(2));
  if (!option.shorthand.empty()) text += fmt::format(" -s {}", option.shorthand.substr(1));
  if (!option.value.empty()) text += " -r" + Offered(CandidatesOf(option));
  return text + fmt::format(" -d {}\n", Quoted(option.brief));
}

std::string CommandLines() {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const FirstWord& word : FirstWords()) {
    fmt::format_to(out, "complete -c profgauge -n __profgauge_first -f -a {} -d {}\n", word.name,
                   Quoted(word.brief));
  }
  for (const std::string_view group : CommandGroups()) {
    for (const CommandSpec* command : CommandsOf(group)) {
      fmt::format_to(out, "complete -c profgauge -n '__profgauge_second {}' -f -a {} -d {}\n",
                     group, command->name.substr(group.size() + 1), Quoted(command->brief));
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
  for (const OptionSpec& option : AllOptions()) text += OptionLine(option);
  return text;
}

}  // namespace profgauge::cli
