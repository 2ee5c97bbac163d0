// From argv to Options.
//
//   profgauge  check  run.json.gz  --policy p.yaml  --redact=code  --  -odd-name
//              ^^^^^  ^^^^^^^^^^^  ^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^      ^^^^^^^^^
//              one or argument     option, value    switch with       argument, whatever
//              two                                  a choice          it starts with
//              words
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace profgauge::cli {

/// Parses a command line (without the program's name). Everything after `--` is an argument. A
/// request for help ends the parsing once the line is split: values and the number of arguments
/// are not looked at then. Variables PROFGAUGE_… are applied, profgauge.yaml is not. Errors:
/// kUsage, each with the found and the expected form; the first mistake only. `wrong`, unless
/// nullptr, then has the command and the outputs that the line names, which get its error, too; no
/// command if it draws none.
Result<Options> ParseCommandLine(std::span<const std::string> args, Options* wrong = nullptr);

/// Whether a command has an option; several rows may have its name.
bool HasOption(const CommandSpec& command, const OptionSpec& option);

/// Sets options that the command line did not give from their variables, PROFGAUGE_POLICY and
/// others. An empty variable counts as not set. Errors: those of the options, with the name of the
/// variable. REQUIRES: `options.given` is complete.
Status ApplyVariables(const CommandSpec& command, Options& options);

/// A warning for each unknown variable PROFGAUGE_… whose name is near to a known one. Others are
/// another program's, or a wrapper's.
std::vector<std::string> SuspectVariables(const char* const* environment);

/// Meaning of an exit code, in the words of help and manual.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
std::span<const ExitMeaning> ExitMeanings();

/// The head of a group of options: "Outputs".
std::string_view GroupTitle(OptionGroup group);

/// The help text of a command, or of the program for nullptr. kShort: one screen.
std::string HelpText(const CommandSpec* command, HelpRequest request);
/// Help for `options.command`, for `options.group`, else for the program.
std::string HelpText(const Options& options);

}  // namespace profgauge::cli
