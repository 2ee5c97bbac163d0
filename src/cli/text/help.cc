// The help text, made from the tables of commands and options.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/parse.h"
#include "cli/text/completion.h"
#include "render/terminal/terminal.h"

namespace profgauge::cli {

std::string_view GroupTitle(OptionGroup group) {
  switch (group) {
    case OptionGroup::kOutputs:
      return "Outputs";
    case OptionGroup::kJudging:
      return "Judging";
    case OptionGroup::kSelection:
      return "Selection";
    case OptionGroup::kGeneral:
      break;
  }
  return "General";
}

namespace {

constexpr std::size_t kScreenWidth = 87;
constexpr std::size_t kHeadWidth = 25;      // The option's, left of its text.
constexpr std::size_t kFullTextWidth = 69;  // Up to column 100, right of the options' names.

std::string WithValue(const OptionSpec& option) {
  std::string head(option.name);
  if (!option.value.empty()) head += fmt::format(" {}", option.value);
  if (option.value.empty() && !option.choices.empty()) head += "[=LEVEL]";
  return head;
}

std::string OptionHead(const OptionSpec& option) {
  const std::string_view before = option.shorthand.empty() ? "    " : option.shorthand;
  return fmt::format("{}{}{}", before, option.shorthand.empty() ? "" : ", ", WithValue(option));
}

// The head of options that share one description. Two have a value each, three or more only the
// last; if all have a shorthand, only shorthands are shown.
//
//   --html, --md, --xlsx, --json FILE    --iter-start N, --iter-stop N    -q, -v
std::string JoinedHead(std::span<const OptionSpec* const> options) {
  if (options.size() == 1) return OptionHead(*options[0]);
  const bool are_short = std::ranges::all_of(
      options, [](const OptionSpec* option) { return !option->shorthand.empty(); });
  std::string head = are_short ? "" : "    ";
  for (std::size_t i = 0; i < options.size(); ++i) {
    const OptionSpec& option = *options[i];
    const bool has_value = options.size() == 2 || i + 1 == options.size();
    if (i > 0) head += ", ";
    head += are_short   ? std::string(option.shorthand)
            : has_value ? WithValue(option)
                        : std::string(option.name);
  }
  return head;
}

// Lists the common options, with a blank line between groups.
//   "  -o, --out DIR             Write report.html, …"
//      ^ column 2                ^ column 28
std::string CommonOptions(const CommandSpec& command) {
  std::string text;
  std::vector<const OptionSpec*> common = OptionsOf(command);
  std::erase_if(common, [](const OptionSpec* option) { return option->common.empty(); });
  for (std::size_t i = 0, end = 0; i < common.size(); i = end) {
    const OptionSpec& first = *common[i];
    const bool is_joined = first.common != kAsBrief;
    for (end = i + 1; is_joined && end < common.size() && common[end]->common == first.common;)
      ++end;
    if (i == 0 || common[i - 1]->group != first.group) text += "\n";
    std::string head = JoinedHead(std::span(common).subspan(i, end - i));
    if (head.size() > kHeadWidth) head += "  ";
    const std::string sentence(is_joined ? first.common : first.brief);
    const std::size_t width =
        head.size() > kHeadWidth ? kScreenWidth : kScreenWidth - kHeadWidth - 3;
    for (const std::string& line : render::Wrapped(sentence, width)) {
      text += fmt::format("  {:<{}} {}\n", std::exchange(head, {}), kHeadWidth, line);
    }
  }
  return text;
}

// Lists all options with their details.
std::string AllOptionsOf(const CommandSpec& command) {
  std::string text;
  const auto out = std::back_inserter(text);
  const OptionSpec* previous = nullptr;
  for (const OptionSpec* option : OptionsOf(command)) {
    if (previous == nullptr || previous->group != option->group) {
      fmt::format_to(out, "\n{}:\n", GroupTitle(option->group));
    }
    previous = option;
    std::string head = OptionHead(*option);
    for (const std::string_view sentences : {option->brief, option->detail}) {
      if (sentences.empty()) continue;
      for (const std::string& line : render::Wrapped(std::string(sentences), kFullTextWidth)) {
        fmt::format_to(out, "  {:<28} {}\n", std::exchange(head, {}), line);
      }
    }
  }
  fmt::format_to(out, "  {:<28} {}\n", "-h, --help [all]", "Show the common options, or all");
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

constexpr std::string_view kExitLine =
    "Exit codes: 0 pass, 1 fail, 2 wrong usage or policy, 3 no verdict, 4 report not written\n";

/// The commands that most users need, in this order. `text` replaces the command's own text.
struct FirstCommand {
  std::string_view name, text = {};
};
constexpr FirstCommand kFirst[] = {
    {"check"},         {"report", "The same, but exit 0 whenever the report could be written"},
    {"compare"},       {"inspect"},
    {"init"},          {"history add"},
    {"baseline save"}, {"what-if"},
    {"query"},         {"rules explain"},
};

/// The commands by purpose. The last group has the others.
struct HelpGroup {
  std::string_view title;
  std::uint64_t commands;
};
constexpr HelpGroup kGroups[] = {
    {"Judge", kOnJudging | kOnCompare | kOnWhatIf | kOnInit},
    {"History and baselines", kOnHistory | kOnBaseline},
    {"Ask", kOnInspect | kOnQuery | kOnMetricsList | kOnThresholds | kOnMcp},
    {"Rules", kOnRulesList | kOnRulesExplain | kOnRulesCheck | kOnRulesTest | kOnRulesColumns |
                  kOnRulesDocs},
    {"Other tools and housekeeping", kOnAll},
};

std::string FirstScreen() {
  std::string text =
      "profgauge: judges a deep-learning training profile, writes reports\n\n"
      "Usage: profgauge COMMAND [ARGUMENTS] [OPTIONS]\n\n";
  for (const FirstCommand& first : kFirst) {
    for (const CommandSpec& command : AllCommands()) {
      if (command.name != first.name) continue;
      text += fmt::format("  {:<14} {}\n", command.name,
                          first.text.empty() ? command.brief : first.text);
    }
  }
  text +=
      "\n  profgauge check run.pt.trace.json.gz --out report/\n"
      "  profgauge check builtin:example    the same without a profile of yours\n\n"
      "profgauge COMMAND --help   the common options of a command\n"
      "profgauge --help all       all commands\n";
  return text + std::string(kExitLine);
}

std::string AllCommandsHelp() {
  std::string text = "Usage: profgauge COMMAND [ARGUMENTS] [OPTIONS]\n";
  std::uint64_t left = kOnAll;
  for (const HelpGroup& group : kGroups) {
    text += fmt::format("\n{}:\n", group.title);
    for (const CommandSpec& command : AllCommands()) {
      if ((command.bit & group.commands & left) == 0) continue;
      text += fmt::format("  {:<18} {}\n", command.name, command.brief);
    }
    left &= ~group.commands;
  }
  text += "\nprofgauge COMMAND --help       the common options of a command\n";
  text += "profgauge COMMAND --help all   all its options, with details\n";
  return text + ExitCodes();
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
  if (command == nullptr) return full ? AllCommandsHelp() : FirstScreen();
  const bool judges = (command->bit & kOnJudging) != 0;
  std::string text =
      fmt::format("{}\n\nUsage: profgauge {}{}{} [OPTIONS]\n", command->brief, command->name,
                  command->arguments.empty() ? "" : " ", command->arguments);
  const std::string_view detail =
      full ? command->detail : command->detail.substr(0, command->detail.find("\n\n"));
  if (!detail.empty()) text += fmt::format("\n{}\n", detail);
  text += full ? AllOptionsOf(*command) : CommonOptions(*command);
  // The short help of a judging command has no examples, because the first screen shows one.
  const bool has_examples = !command->examples.empty() && (full || !judges);
  if (has_examples) text += fmt::format("\nExamples:\n{}", command->examples);
  if (full) return judges ? text + ExitCodes() : text;
  text += fmt::format("\nprofgauge {} --help all   all {} options, with details\n", command->name,
                      OptionsOf(*command).size() + 1);  // Plus --help.
  return judges ? text + std::string(kExitLine) : text;
}

}  // namespace profgauge::cli
