// From argv to Options. CLI11 does the splitting; the messages, suggestions and exit codes are
// ours.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"

namespace profgauge::cli {

/// Takes a command line (without the program's name) apart. What follows `--` is arguments.
/// Errors: kUsage, each with what was found and what would have been right.
Result<Options> ParseCommandLine(std::span<const std::string> args);

/// The outputs that a command line names which cannot be taken apart: they get its error, too.
/// Without a command: it draws none.
Options OutputsNamedBy(std::span<const std::string> args);

/// A warning for each PROFGAUGE_… variable that is none of ours and looks like one.
std::vector<std::string> SuspectVariables(const char* const* environment);

/// What an exit code means, as help and manual say it.
struct ExitMeaning {
  int code;
  std::string_view meaning;
};
std::span<const ExitMeaning> ExitMeanings();

/// The head of a group of options: "Outputs".
std::string_view GroupTitle(OptionGroup group);

/// The help text of a command, or of the program for nullptr. Short: one screen.
std::string HelpText(const CommandSpec* command, HelpRequest request);
/// What was asked for: of `options.command`, of `options.group`, else of the program.
std::string HelpText(const Options& options);

}  // namespace profgauge::cli
