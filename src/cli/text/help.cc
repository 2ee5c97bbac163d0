// The help text, made from the tables of commands and options.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/commands.h"
#include "cli/parse.h"
#include "profgauge/version.h"
#include "render/terminal/terminal_rows.h"

namespace profgauge::cli {

std::string_view GroupTitle(OptionGroup group) {
  switch (group) {
    case OptionGroup::kOutputs:
      return "Outputs";
    case OptionGroup::kJudging:
      return "Judging";
    case OptionGroup::kSelection:
      return "Iterations and ranks";
    case OptionGroup::kGeneral:
      break;
  }
  return "General";
}

namespace {

constexpr std::size_t kTextWidth = 69;  // To column 100, beside the names of options.

std::string OptionHead(const OptionSpec& option) {
  std::string head = option.shorthand.empty() ? "    " : fmt::format("{}, ", option.shorthand);
  head += option.name;
  if (!option.value.empty()) head += fmt::format(" {}", option.value);
  if (option.value.empty() && !option.choices.empty()) head += "[=LEVEL]";
  return head;
}

//   "  -o, --out DIR                Write report.html, report.md, …"
//      ^ column 2                   ^ column 31; wrapped to kTextWidth with `full`
// Short help has one line for each common option, full help also rare ones and their details.
std::string OptionsHelp(const CommandSpec& command, bool full) {
  std::string text;
  const auto out = std::back_inserter(text);
  const OptionSpec* previous = nullptr;
  for (const OptionSpec& option : AllOptions()) {
    if ((option.commands & command.bit) == 0) continue;
    if (option.is_rare && !full) continue;
    if (previous == nullptr || previous->group != option.group) {
      fmt::format_to(out, "\n{}:\n", GroupTitle(option.group));
    }
    previous = &option;
    std::string head = OptionHead(option);
    const auto add = [&](std::string_view sentences) {
      const std::size_t width = full ? kTextWidth : sentences.size();
      for (const std::string& line : render::Wrapped(std::string(sentences), width)) {
        fmt::format_to(out, "  {:<28} {}\n", std::exchange(head, {}), line);
      }
    };
    add(option.brief);
    if (full && !option.detail.empty()) add(option.detail);
  }
  fmt::format_to(out, "  {:<28} {}\n", "-h, --help", "Show help (-h: common options, --help: all)");
  return text;
}

constexpr ExitMeaning kExits[] = {
    {0, "pass (warnings allowed); `report`: the profile was judged, with any verdict"},
    {1, "fail: the level of a missed limit or a finding is at or above --fail-on"},
    {2, "command line, policy, baseline file or rules are wrong"},
    {3,
     "no verdict: the profile is missing, unreadable or incomplete, or data for a limit is "
     "missing"},
    {4, "a report could not be written"},
    {70, "internal error"},
    {130, "interrupted (SIGINT); half-written reports were removed"},
    {143, "terminated (SIGTERM); half-written reports were removed"}};

std::string ExitCodes() {
  std::string text = "\nExit codes:\n";
  for (const ExitMeaning& exit : kExits) {
    text += fmt::format("  {:<3} {}\n", exit.code, exit.meaning);
  }
  return text;
}

std::string ProgramHelp(bool full) {
  std::string text = fmt::format(
      "profgauge {}: reads a deep-learning training profile, judges it, writes reports\n\n"
      "Usage: profgauge COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n",
      kVersion);
  const auto out = std::back_inserter(text);
  for (const CommandSpec& command : AllCommands()) {
    fmt::format_to(out, "  {:<18} {}\n", command.name, command.brief);
  }
  fmt::format_to(out, "\n`profgauge COMMAND --help` explains a command.\n");
  if (full) text += ExitCodes();
  return text;
}

std::string GroupHelp(const std::string& group) {
  std::string text = fmt::format("Usage: profgauge {} COMMAND [ARGUMENTS] [OPTIONS]\n\n", group);
  text += "Commands:\n";
  for (const CommandSpec* command : CommandsOf(group)) {
    text += fmt::format("  {:<18} {}\n", command->name, command->brief);
  }
  text += fmt::format("\n`profgauge {} COMMAND --help` explains a command.\n", group);
  return text;
}

}  // namespace

std::span<const ExitMeaning> ExitMeanings() { return kExits; }

std::string HelpText(const Options& options) {
  if (!options.group.empty()) return GroupHelp(options.group);
  return HelpText(options.command, options.help);
}

std::string HelpText(const CommandSpec* command, HelpRequest request) {
  const bool full = request == HelpRequest::kFull;
  if (command == nullptr) return ProgramHelp(full);
  std::string text =
      fmt::format("{}\n\nUsage: profgauge {}{}{} [OPTIONS]\n", command->brief, command->name,
                  command->arguments.empty() ? "" : " ", command->arguments);
  if (full && !command->detail.empty()) text += fmt::format("\n{}\n", command->detail);
  text += OptionsHelp(*command, full);
  if (full && !command->examples.empty()) text += fmt::format("\nExamples:\n{}", command->examples);
  if (full && (command->bit & kOnJudging) != 0) text += ExitCodes();
  return text;
}

}  // namespace profgauge::cli
