// Parses argv into Options.
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
/// request for help ends the parsing after the line is split: values and the number of arguments
/// are not checked. Variables PROFGAUGE_… are applied; profgauge.yaml is not. Errors: kUsage for
/// the first mistake, with the found and the expected form. After an error `wrong`, unless nullptr,
/// has the command and the outputs of the line, which get the error too; it has no command if the
/// line has no such outputs.
Result<Options> ParseCommandLine(std::span<const std::string> args, Options* wrong = nullptr);

/// True if the command has the option; several rows may have the option's name.
bool HasOption(const CommandSpec& command, const OptionSpec& option);

/// Sets options that are not on the command line from their variables (PROFGAUGE_POLICY and
/// others). Empty variables count as unset. Errors: those of the options, with the name of the
/// variable. REQUIRES: `options.given` is complete.
Status ApplyVariables(const CommandSpec& command, Options& options);

/// A warning for each unknown variable PROFGAUGE_… whose name is similar to a known one. Others
/// belong to another program or a wrapper.
std::vector<std::string> SuspectVariables(const char* const* environment);

/// The meaning of an exit code, as shown in help and manual.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
std::span<const ExitMeaning> ExitMeanings();

/// The heading of a group of options: "Outputs".
std::string_view GroupTitle(OptionGroup group);

/// The help text of a command or, for nullptr, of the program. kShort fits on one screen.
std::string HelpText(const CommandSpec* command, HelpRequest request);
/// The help text for `options.command` or `options.group`, else for the program.
std::string HelpText(const Options& options);

}  // namespace profgauge::cli
