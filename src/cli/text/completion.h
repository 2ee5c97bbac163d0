// The valid words at each place, for the three writers of completion scripts.
//
// One table of words, three scripts:
//
//   AllCommands, AllOptions -> Candidates -> BashCompletion, ZshCompletion, FishCompletion
//
// The scripts call no program: ids of metrics, rules and thresholds are written into them, so a
// completion costs no start of ours, and a new version needs a new script.
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

/// The first words of all commands, in the order of the table; `brief` of a group lists its second
/// words. REQUIRES: the commands of a group follow one another in the table.
std::vector<FirstWord> FirstWords();
/// By the option's placeholder: FILE completes files, DIR folders; its choices are words.
Candidates CandidatesOf(const OptionSpec& option);
/// By the command's `takes`. Rules are the built-in ones; none where they cannot be read.
Candidates CandidatesOf(const CommandSpec& command);
/// The options of a command, in the order of the help.
std::vector<const OptionSpec*> OptionsOf(const CommandSpec& command);
/// "baseline save" as a part of a function's name.
std::string Underscored(std::string_view name);
/// The words with blanks between.
std::string Blanked(const std::vector<std::string>& words);

/// A script for each shell, which needs nothing of another. Same tables, same bytes.
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

// Completion scripts for shells, made from the tables of commands and options, with
// the ids of the built-in metrics and rules.

/// The script that `shell` reads. It needs nothing but the shell itself.
/// Errors: kUsage "usage/unknown-shell", with the shells there are.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace profgauge::cli
