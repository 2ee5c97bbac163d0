// The valid words at each position, for the three writers of completion scripts.
//
// One table of words is used for three scripts:
//
//   AllCommands, AllOptions -> Candidates -> BashCompletion, ZshCompletion, FishCompletion
//
// The scripts call no program, because the ids of metrics, rules and thresholds are part of them.
// So completing does not start ProfGauge, but a new version needs new scripts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// The completions of a value or an argument. If all members are empty, there are none.
struct Candidates {
  bool files = false, folders = false;
  std::vector<std::string> words;

  bool operator==(const Candidates&) const = default;
};

/// A first word of the command line: a command, or the first word of two-word commands.
struct FirstWord {
  std::string_view name;
  std::string brief;
};

/// The first words of all commands, in the order of the table. For a group, `brief` lists the
/// second words. REQUIRES: the commands of a group are adjacent in the table.
std::vector<FirstWord> FirstWords();
/// The values of an option: files for the placeholder FILE, folders for DIR; choices are words.
Candidates CandidatesOf(const OptionSpec& option);
/// The values of an argument, by the command's `takes`. Rules are built-in ones, if readable.
Candidates CandidatesOf(const CommandSpec& command);
/// The options of a command, in the order of the help.
std::vector<const OptionSpec*> OptionsOf(const CommandSpec& command);
/// "baseline save" as a part of a function's name: "baseline_save".
std::string Underscored(std::string_view name);
/// Joins the words with blanks.
std::string Blanked(const std::vector<std::string>& words);

/// The script of each shell, which needs no other. Equal tables give equal bytes.
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

// Completion scripts for shells, made from the tables of commands and options, with the ids of the
// built-in metrics and rules.

/// The script for `shell`, which needs nothing but the shell itself. Errors: kUsage
/// "usage/unknown-shell", with the supported shells.
Result<std::string> CompletionScript(std::string_view shell);

}  // namespace profgauge::cli
