// The valid words at each place, for the three writers of completion scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// Completions of a value or an argument. All may be empty: then there is none.
struct Candidates {
  bool files = false, folders = false;
  std::vector<std::string> words;

  bool operator==(const Candidates&) const = default;
};

/// A first word of the command line: a command, or the first word of several.
struct FirstWord {
  std::string_view name;
  std::string brief;
};

std::vector<FirstWord> FirstWords();
Candidates CandidatesOf(const OptionSpec& option);
Candidates CandidatesOf(const CommandSpec& command);
std::vector<const OptionSpec*> OptionsOf(const CommandSpec& command);
/// "baseline save" as a part of a function's name.
std::string Underscored(std::string_view name);
/// The words with blanks between.
std::string Blanked(const std::vector<std::string>& words);

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

// Completion scripts for shells, made from the tables of commands and options, with
// the ids of the built-in metrics and rules.

/// The script that `shell` reads. It needs nothing but the shell itself.
/// Errors: kUsage "usage/unknown-shell", with the shells there are.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace profgauge::cli
