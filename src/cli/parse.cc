#include "cli/parse.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "cli/ci_system.h"
#include "cli/commands.h"
#include "cli/gone.h"
#include "cli/option_values.h"
#include "readers/run_side/step_log.h"

namespace profgauge::cli {
namespace {

Error CommandLineError(std::string code, std::string message, std::vector<std::string> notes) {
  return {ErrorKind::kUsage, std::move(code), std::move(message), {}, std::move(notes)};
}

std::string SeeHelp(const CommandSpec& command) {
  return fmt::format("help: `profgauge {} --help` lists its options", command.name);
}

/// The command that the first one or two words name, and the number of these words.
std::pair<const CommandSpec*, std::size_t> FindCommand(std::span<const std::string> args) {
  for (std::size_t words = std::min<std::size_t>(2, args.size()); words > 0; --words) {
    const std::string name = words == 2 ? args[0] + " " + args[1] : args[0];
    for (const CommandSpec& command : AllCommands()) {
      if (command.name == name) return {&command, words};
    }
  }
  return {nullptr, 0};
}

bool LooksLikePath(const std::string& word) {
  std::error_code error;
  return word.find_first_of("./") != std::string::npos || word == "-" ||
         std::filesystem::exists(word, error);
}

/// A command as a line: `profgauge compare BASE CURRENT`.
std::string WriteLine(const CommandSpec& command) {
  return fmt::format("help: write `profgauge {} {}`", command.name, command.arguments);
}

// Distinguishes three similar mistakes, each with another next step: half of a two-word name
// (`baseline`), a typo, and a profile without `check`.
Error UnknownCommand(std::span<const std::string> args) {
  if (auto gone = GoneCommand(args)) return *std::move(gone);
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
  if (LooksLikePath(args[0])) {
    notes.push_back(fmt::format("help: to judge a profile, say `profgauge check {}`", args[0]));
  } else if (!near.empty()) {
    notes.push_back(fmt::format("help: did you mean `{}`?", near));
  }
  notes.emplace_back("help: `profgauge --help` lists the commands");
  return CommandLineError("usage/unknown-command", fmt::format("unknown command `{}`", args[0]),
                          notes);
}

// Reports an option of another command, because "did you mean" would suggest something else.
Error UnknownOption(const CommandSpec& command, const std::string& word, std::string_view value) {
  const std::string name = word.substr(0, word.find('='));
  if (auto gone = GoneOption(command.name, name, value)) return *std::move(gone);
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

/// True for a line like `baseline --help`, which asks for all commands that start with the word.
bool AsksForGroup(std::span<const std::string> args) {
  return args.size() > 1 && (args[1] == "-h" || args[1] == "--help") &&
         !CommandsOf(args[0]).empty();
}

/// The parts of a command line, not yet interpreted.
struct Line {
  std::map<const OptionSpec*, std::vector<std::string>> values;  ///< "": a switch without a value.
  std::vector<std::string> arguments;
  HelpRequest help = HelpRequest::kNone;
  std::optional<Error> error;  ///< The first mistake; the rest of the line is still read.
};

class Splitter {
 public:
  Splitter(const CommandSpec& command, std::span<const std::string> args)
      : command_(command), args_(args) {}

  Line Split() {
    while (next_ < args_.size()) {
      const std::string& word = args_[next_++];
      if (word == "--") break;
      if (word == "-h" || word == "--help") {
        TakeHelp();
      } else if (word.starts_with("--")) {
        TakeLong(word);
      } else if (word.size() > 1 && word[0] == '-') {
        TakeShort(word);
      } else {
        line_.arguments.push_back(word);
      }
    }
    line_.arguments.insert(line_.arguments.end(),
                           args_.begin() + static_cast<std::ptrdiff_t>(next_), args_.end());
    return std::move(line_);
  }

 private:
  const OptionSpec* Find(std::string_view name) const {
    for (const OptionSpec& option : AllOptions()) {
      const bool is_it = option.name == name || (!name.empty() && option.shorthand == name);
      if (is_it && HasOption(command_, option)) return &option;
    }
    return nullptr;
  }

  void Refuse(Error error) {
    if (!line_.error) line_.error = std::move(error);
  }

  void TakeHelp() {
    const bool is_full = next_ < args_.size() && args_[next_] == "all";
    if (is_full) ++next_;
    line_.help = is_full ? HelpRequest::kFull : std::max(line_.help, HelpRequest::kShort);
  }

  // Takes "--policy p.yaml", "--policy=p.yaml", "--quiet", "--redact=code".
  void TakeLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    const OptionSpec* option = Find(word.substr(0, equals));
    if (option == nullptr) {
      const bool has_next = next_ < args_.size() && !args_[next_].starts_with('-');
      const std::string_view value = equals != std::string::npos
                                         ? std::string_view(word).substr(equals + 1)
                                     : has_next ? std::string_view(args_[next_])
                                                : std::string_view();
      return Refuse(UnknownOption(command_, word, value));
    }
    if (equals == std::string::npos) return TakeValueOf(*option, {});
    if (option->value.empty() && option->choices.empty()) {
      return Refuse(CommandLineError("usage/unexpected-value",
                                     fmt::format("option `{}` takes no value", option->name), {}));
    }
    line_.values[option].push_back(word.substr(equals + 1));
  }

  // Takes "-q", "-qv", "-p p.yaml", "-pp.yaml".
  void TakeShort(const std::string& word) {
    for (std::size_t at = 1; at < word.size(); ++at) {
      const OptionSpec* option = Find(std::string{'-', word[at]});
      if (option == nullptr) return Refuse(UnknownOption(command_, word, {}));
      if (!option->value.empty()) return TakeValueOf(*option, word.substr(at + 1));
      line_.values[option].emplace_back();
    }
  }

  // Rejects an option as a value: `--json --help` would write a file named `--help`.
  void TakeValueOf(const OptionSpec& option, std::string attached) {
    if (option.value.empty()) {
      line_.values[&option].emplace_back();
    } else if (!attached.empty()) {
      line_.values[&option].push_back(std::move(attached));
    } else if (next_ == args_.size()) {
      Refuse(CommandLineError("usage/missing-value",
                              fmt::format("option `{}` needs a value", option.name),
                              {fmt::format("help: write `{} {}`", option.name, option.value)}));
    } else if (const std::string& value = args_[next_]; value.starts_with("--")) {
      Refuse(CommandLineError(
          "usage/missing-value",
          fmt::format("option `{}` needs a value, found `{}`", option.name, value),
          {fmt::format("help: write `{}={}` if that is the value", option.name, value)}));
    } else {
      line_.values[&option].push_back(value);
      ++next_;
    }
  }

  const CommandSpec& command_;
  std::span<const std::string> args_;
  std::size_t next_ = 0;
  Line line_;
};

// Applies options in the order of their tables, each at most once unless it may repeat. REQUIRES:
// `line` is of the command of `options`.
Status ApplyOptions(const Line& line, Options& options) {
  for (const OptionSpec& option : AllOptions()) {
    const auto found = line.values.find(&option);
    if (found == line.values.end()) continue;
    const bool is_switch = option.value.empty() && option.choices.empty();
    if (found->second.size() > 1 && !option.repeats && !is_switch) {
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

/// Sets the outputs that a wrong line names, because they get its error, and their redaction.
/// Ignores their wrong values, because these have their own error.
void NameOutputs(const Line& line, Options& options) {
  if ((options.command->bit & kOnDrawing) == 0) return;
  options.arguments = line.arguments;  // No output may replace them.
  for (const OptionSpec& option : AllOptions()) {
    const auto found = line.values.find(&option);
    const bool is_of_outputs = option.group == OptionGroup::kOutputs || option.name == "--redact" ||
                               option.name == "--redact-key";
    if (found == line.values.end() || !is_of_outputs) continue;
    for (const std::string& value : found->second) (void)option.apply(options, option, value);
  }
  if ((options.command->bit & kOnJudging) != 0) ApplyCi(Variable, options);
}

/// Rejects a missing folder, which would otherwise count as an empty one.
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
  // For commands that judge, jobs of a configuration may replace the arguments: RunJobs().
  const bool may_have_jobs = (command.bit & kOnJudging) != 0;
  if (options.arguments.size() < command.min_arguments && !may_have_jobs) {
    const std::string help =
        command.bit == kOnInit && options.project
            ? "help: write `profgauge init --project PROFILE…`, with a profile that your training "
              "wrote, or the folder of its ranks"
            : WriteLine(command);
    return Fail(CommandLineError("usage/missing-argument",
                                 fmt::format("`{}` needs {}", command.name, command.arguments),
                                 {help}));
  }
  if (options.arguments.size() > command.max_arguments) {
    return Fail(CommandLineError(
        "usage/unexpected-argument",
        fmt::format("unexpected argument `{}`", options.arguments[command.max_arguments]),
        {SeeHelp(command)}));
  }
  return {};
}

/// `check --step-times FILE:COLUMN:UNIT` without a profile judges the file itself.
void TakeTimesAlone(const CommandSpec& command, Options& options) {
  const bool reads = (command.bit & (kOnJudging | kOnInspect)) != 0;
  if (!reads || options.step_times.empty() || !options.arguments.empty()) return;
  options.arguments.push_back(readers::ParseStepTimes(options.step_times).file);
}

}  // namespace

bool HasOption(const CommandSpec& command, const OptionSpec& option) {
  return (option.commands & command.bit) != 0;
}

Result<Options> ParseCommandLine(std::span<const std::string> args, Options* wrong) {
  Options options;
  const std::string version = "version";
  if (!args.empty() && (args[0] == "-h" || args[0] == "--help")) {
    options.help = args.size() > 1 && args[1] == "all" ? HelpRequest::kFull : HelpRequest::kShort;
    return options;
  }
  if (args.empty()) {
    return Fail(
        CommandLineError("usage/missing-command", "no command given",
                         {"help: `profgauge check PROFILE` judges a profile; `profgauge --help` "
                          "lists the commands"}));
  }
  if (args[0] == "--version" || args[0] == "-V") {
    options.command = FindCommand({&version, 1}).first;
    return options;
  }
  if (args[0][0] == '-' && args[0] != "-") {
    return Fail(CommandLineError(
        "usage/missing-command", fmt::format("expected a command, found the option `{}`", args[0]),
        {"help: options follow the command: `profgauge check PROFILE …`"}));
  }
  const auto found = FindCommand(args);
  const CommandSpec* const command = found.first;
  if (command == nullptr && AsksForGroup(args)) {
    options.group = args[0];
    options.help = HelpRequest::kShort;
    return options;
  }
  if (command == nullptr) return Fail(UnknownCommand(args));
  options.command = command;
  const Line line = Splitter(*command, args.subspan(found.second)).Split();
  const auto refused = [&](Error error) -> Result<Options> {
    if (wrong != nullptr) {
      wrong->command = command;
      NameOutputs(line, *wrong);
    }
    return Fail(std::move(error));
  };
  if (line.error) return refused(*line.error);
  options.help = line.help;
  options.arguments = line.arguments;
  if (options.help != HelpRequest::kNone) return options;
  const auto finish = [&, command = command]() -> Status {
    PROFGAUGE_CHECK(ApplyOptions(line, options));
    PROFGAUGE_CHECK(ApplyVariables(*command, options));
    TakeTimesAlone(*command, options);
    PROFGAUGE_CHECK(CheckArgumentCount(*command, options));
    PROFGAUGE_CHECK(ResolveRange(options));
    return CheckSourceRoot(options);
  };
  if (Status done = finish(); !done) return refused(std::move(done).error());
  return options;
}

}  // namespace profgauge::cli
