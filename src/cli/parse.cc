#include "cli/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/errors.h"
#include "base/text.h"
#include "cli/ci_system.h"
#include "cli/commands.h"
#include "cli/option_values.h"

namespace profgauge::cli {
namespace {

Error CommandLineError(std::string code, std::string message, std::vector<std::string> notes) {
  return {ErrorKind::kUsage, std::move(code), std::move(message), {}, std::move(notes)};
}

std::string SeeHelp(const CommandSpec& command) {
  return fmt::format("help: `profgauge {} --help` lists its options", command.name);
}

/// The command that the first one or two words name, and how many words that took.
std::pair<const CommandSpec*, std::size_t> FindCommand(std::span<const std::string> args) {
  for (std::size_t words = std::min<std::size_t>(2, args.size()); words > 0; --words) {
    const std::string name = words == 2 ? args[0] + " " + args[1] : args[0];
    for (const CommandSpec& command : AllCommands()) {
      if (command.name == name) return {&command, words};
    }
  }
  return {nullptr, 0};
}

bool LooksLikePath(std::string_view word) {
  return word.find_first_of("./") != std::string_view::npos || word == "-";
}

// Three mistakes look alike: half of a name of two words (`baseline`), a typo, and a profile
// without `check`. Each has its own next step.
Error UnknownCommand(std::span<const std::string> args) {
  std::vector<std::string_view> names;
  std::vector<std::string> notes;
  for (const CommandSpec& command : AllCommands()) {
    names.push_back(command.name);
    if (command.name.starts_with(args[0] + " ")) {
      notes.push_back(fmt::format("help: `profgauge {}` {}", command.name, command.brief));
    }
  }
  if (!notes.empty()) {
    if (args.size() > 1) {
      return CommandLineError("usage/unknown-command",
                              fmt::format("unknown command `{} {}`", args[0], args[1]), notes);
    }
    return CommandLineError("usage/missing-command",
                            fmt::format("`{}` needs a second word", args[0]), notes);
  }
  const std::string_view near = DidYouMean(args[0], names);
  if (!near.empty()) {
    notes.push_back(fmt::format("help: did you mean `{}`?", near));
  } else if (LooksLikePath(args[0])) {
    notes.push_back(fmt::format("help: to judge a profile, say `profgauge check {}`", args[0]));
  }
  notes.emplace_back("help: `profgauge --help` lists the commands");
  return CommandLineError("usage/unknown-command", fmt::format("unknown command `{}`", args[0]),
                          notes);
}

// An option of another command is reported as such: "did you mean" would offer something else.
Error UnknownOption(const CommandSpec& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> names = {"--help"};
  for (const OptionSpec& option : AllOptions()) {
    if (HasOption(command, option)) {
      names.push_back(option.name);
    } else if (option.name == name) {
      return CommandLineError("usage/unknown-option",
                              fmt::format("`{}` has no option `{}`", command.name, name),
                              {SeeHelp(command)});
    }
  }
  std::vector<std::string> notes;
  const std::string_view near = DidYouMean(name, names);
  if (!near.empty()) notes.push_back(fmt::format("help: did you mean `{}`?", near));
  notes.push_back(SeeHelp(command));
  return CommandLineError("usage/unknown-option", fmt::format("unknown option `{}`", name), notes);
}

/// `baseline --help`: about all commands that start with the word.
bool AsksForGroup(std::span<const std::string> args) {
  return args.size() > 1 && (args[1] == "-h" || args[1] == "--help") &&
         !CommandsOf(args[0]).empty();
}

/// The arguments that CLI11 found, before any meaning is given to them.
struct RawArguments {
  std::map<const OptionSpec*, std::vector<std::string>> values;
  std::map<const OptionSpec*, std::int64_t> switches;
  std::vector<std::string> arguments;
  HelpRequest help = HelpRequest::kNone;
};

/// `--json --help` would write a file called `--help`.
Status CheckValues(const CommandSpec& command, std::span<const std::string> args) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    const std::string& value = args[i + 1];
    if (!value.starts_with("--")) continue;
    for (const OptionSpec& option : AllOptions()) {
      const bool is_named =
          args[i] == option.name || (!option.shorthand.empty() && args[i] == option.shorthand);
      if (!is_named || option.value.empty() || !HasOption(command, option)) continue;
      return Fail(CommandLineError(
          "usage/missing-value",
          fmt::format("option `{}` needs a value, found `{}`", option.name, value),
          {fmt::format("help: write `{}={}` if that is the value", option.name, value)}));
    }
  }
  return {};
}

/// Takes "--redact=code" of a switch with choices out of `args`.
std::vector<std::string> WithoutChoices(const CommandSpec& command,
                                        std::span<const std::string> args, RawArguments& raw) {
  std::vector<std::string> left;
  for (const std::string& arg : args) {
    const std::size_t equals = std::min(arg.find('='), arg.size());
    const auto options = AllOptions();
    const auto option = std::find_if(options.begin(), options.end(), [&](const OptionSpec& one) {
      return one.name == arg.substr(0, equals) && one.value.empty() && !one.choices.empty() &&
             HasOption(command, one);
    });
    if (option == options.end() || equals == arg.size()) {
      left.push_back(arg);
    } else {
      raw.values[&*option].push_back(arg.substr(equals + 1));
    }
  }
  return left;
}

/// The only function that knows CLI11. It throws inside; nothing leaves.
Result<RawArguments> Split(const CommandSpec& command, std::span<const std::string> args) {
  RawArguments raw;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::int64_t short_help = 0, full_help = 0;
  app.add_flag("-h", short_help);
  app.add_flag("--help", full_help);
  for (const OptionSpec& option : AllOptions()) {
    if (!HasOption(command, option)) continue;
    std::string names(option.name);
    if (!option.shorthand.empty()) names = fmt::format("{},{}", option.shorthand, option.name);
    if (option.value.empty()) {
      app.add_flag(names, raw.switches[&option])->disable_flag_override();
    } else {
      app.add_option(names, raw.values[&option])->type_size(1)->allow_extra_args(false);
    }
  }
  app.add_option("arguments", raw.arguments);
  const auto end_of_options = std::find(args.begin(), args.end(), "--");
  const std::span<const std::string> arguments_only(
      end_of_options == args.end() ? end_of_options : end_of_options + 1, args.end());
  args = args.first(static_cast<std::size_t>(end_of_options - args.begin()));
  PROFGAUGE_CHECK(CheckValues(command, args));
  try {
    std::vector<std::string> words = WithoutChoices(command, args, raw);
    std::reverse(words.begin(), words.end());
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    // "--color: 1 required TEXT missing", "quiet was given a disallowed flag override"
    const std::string text = error.what();
    std::string name = text.substr(0, text.find_first_of(": "));
    if (!name.starts_with('-')) name.insert(0, "--");
    const bool has_value = text.find("flag override") != std::string::npos;
    return Fail(has_value ? CommandLineError("usage/unexpected-value",
                                             fmt::format("option `{}` takes no value", name), {})
                          : CommandLineError("usage/missing-value",
                                             fmt::format("option `{}` needs a value", name),
                                             {SeeHelp(command)}));
  } catch (const CLI::ParseError& error) {
    return Fail(CommandLineError("usage/bad-command-line", error.what(), {SeeHelp(command)}));
  }
  for (const std::string& extra : app.remaining()) {
    if (extra.size() > 1 && extra[0] == '-') return Fail(UnknownOption(command, extra));
    raw.arguments.push_back(extra);
  }
  raw.arguments.insert(raw.arguments.end(), arguments_only.begin(), arguments_only.end());
  if (short_help > 0) raw.help = HelpRequest::kShort;
  if (full_help > 0) raw.help = HelpRequest::kFull;
  return raw;
}

// Applies options in the order of their tables, each at most once unless it repeats. REQUIRES:
// `raw` is of the command of `options`.
Status ApplyOptions(const RawArguments& raw, Options& options) {
  for (const OptionSpec& option : AllOptions()) {
    if (const auto found = raw.switches.find(&option);
        found != raw.switches.end() && found->second > 0) {
      PROFGAUGE_CHECK(option.apply(options, option, ""));
      options.given.push_back(option.name);
    }
    const auto found = raw.values.find(&option);
    if (found == raw.values.end() || found->second.empty()) continue;
    if (found->second.size() > 1 && !option.repeats) {
      return Fail(CommandLineError("usage/repeated-option",
                                   fmt::format("option `{}` is given {} times; it takes one value",
                                               option.name, found->second.size()),
                                   {}));
    }
    for (const std::string& value : found->second) {
      PROFGAUGE_CHECK(option.apply(options, option, value));
    }
    options.given.push_back(option.name);
    if (option.name == "--policy") options.policy_from = "command line";
  }
  return {};
}

/// A folder that is not there would silently be taken for an empty one.
Status CheckSourceRoot(const Options& options) {
  std::error_code error;
  if (options.source_root.empty() || std::filesystem::is_directory(options.source_root, error)) {
    return {};
  }
  return Fail(CommandLineError(
      "usage/no-folder",
      fmt::format("option `--source-root`: there is no folder `{}`",
                  Printable(options.source_root)),
      {"help: name a folder that is there; paths count from where the program runs"}));
}

Status CheckArgumentCount(const CommandSpec& command, const Options& options) {
  // Those that judge may have jobs of a configuration instead: RunJobs().
  const bool may_have_jobs = (command.bit & kOnJudging) != 0;
  if (options.arguments.size() < command.min_arguments && !may_have_jobs) {
    return Fail(CommandLineError("usage/missing-argument",
                                 fmt::format("`{}` needs {}", command.name, command.arguments),
                                 {SeeHelp(command)}));
  }
  if (options.arguments.size() > command.max_arguments) {
    return Fail(CommandLineError(
        "usage/unexpected-argument",
        fmt::format("unexpected argument `{}`", options.arguments[command.max_arguments]),
        {SeeHelp(command)}));
  }
  return {};
}

}  // namespace

bool HasOption(const CommandSpec& command, const OptionSpec& option) {
  return (option.commands & command.bit) != 0;
}

Options OutputsNamedBy(std::span<const std::string> args) {
  Options options;
  const auto [command, words] = FindCommand(args);
  if (command == nullptr || (command->bit & kOnDrawing) == 0) return options;
  options.command = command;
  const auto find = [command = command](std::string_view name) -> const OptionSpec* {
    for (const OptionSpec& option : AllOptions()) {
      const bool is_it = name == option.name || (name == option.shorthand && !name.empty());
      if (is_it && HasOption(*command, option)) return &option;
    }
    return nullptr;
  };
  for (std::size_t i = words; i < args.size() && args[i] != "--"; ++i) {
    if (args[i].size() < 2 || !args[i].starts_with('-')) {
      options.arguments.push_back(args[i]);  // An argument that no output may replace.
      continue;
    }
    const std::size_t equals = args[i].find('=');
    const OptionSpec* option = find(args[i].substr(0, equals));
    if (option == nullptr) continue;
    std::string value;
    if (equals != std::string::npos) {
      value = args[i].substr(equals + 1);
    } else if (!option->value.empty()) {
      const bool has_value = i + 1 < args.size() && !args[i + 1].starts_with("--");
      if (!has_value) continue;
      value = args[++i];
    }
    // A wrong value has its own error for the line.
    if (option->group == OptionGroup::kOutputs) (void)option->apply(options, *option, value);
  }
  if ((command->bit & kOnJudging) != 0) ApplyCi(Variable, options);
  return options;
}

Result<Options> ParseCommandLine(std::span<const std::string> args) {
  Options options;
  if (args.empty()) {
    return Fail(
        CommandLineError("usage/missing-command", "no command given",
                         {"help: `profgauge check PROFILE` judges a profile; `profgauge --help` "
                          "lists the commands"}));
  }
  if (args[0] == "-h" || args[0] == "--help") {
    options.help = args[0] == "-h" ? HelpRequest::kShort : HelpRequest::kFull;
    return options;
  }
  const std::string version = "version";
  if (args[0] == "--version" || args[0] == "-V") {
    options.command = FindCommand({&version, 1}).first;
    return options;
  }
  if (args[0][0] == '-' && args[0] != "-") {
    return Fail(CommandLineError(
        "usage/missing-command", fmt::format("expected a command, found the option `{}`", args[0]),
        {"help: options follow the command: `profgauge check PROFILE …`"}));
  }
  const auto [command, words] = FindCommand(args);
  if (command == nullptr && AsksForGroup(args)) {
    options.group = args[0];
    options.help = args[1] == "-h" ? HelpRequest::kShort : HelpRequest::kFull;
    return options;
  }
  if (command == nullptr) return Fail(UnknownCommand(args));
  options.command = command;
  PROFGAUGE_TRY(RawArguments raw, Split(*command, args.subspan(words)));
  options.help = raw.help;
  options.arguments = std::move(raw.arguments);
  if (options.help != HelpRequest::kNone) return options;
  PROFGAUGE_CHECK(ApplyOptions(raw, options));
  PROFGAUGE_CHECK(ApplyVariables(*command, options));
  PROFGAUGE_CHECK(CheckArgumentCount(*command, options));
  PROFGAUGE_CHECK(ResolveRange(options));
  PROFGAUGE_CHECK(CheckSourceRoot(options));
  return options;
}

}  // namespace profgauge::cli
