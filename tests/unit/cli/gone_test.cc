// Names that are gone: each answers with what to write instead, which exists.
#include "cli/gone.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

std::string ErrorOf(const std::vector<std::string>& words) {
  const auto options = ParseCommandLine(words);
  return options ? "no error" : RenderDiagnostic(options.error(), "", false);
}

// The command's words, then the name; "*" is any command that does not have the option.
std::vector<std::string> LineOf(const Gone& gone) {
  if (gone.command.empty()) {
    const std::size_t blank = gone.name.find(' ');
    if (blank == gone.name.npos) return {std::string(gone.name), "x"};
    return {std::string(gone.name.substr(0, blank)), std::string(gone.name.substr(blank + 1))};
  }
  std::string command(gone.command == "*" ? "check" : gone.command);
  return {command, "run.json", std::string(gone.name), "value"};
}

TEST(Gone, EveryNameSaysWhatToWrite) {
  for (const Gone& gone : AllGone()) {
    const std::string error = ErrorOf(LineOf(gone));
    EXPECT_NE(error.find("`" + std::string(gone.name) + "` is gone"), error.npos) << error;
    EXPECT_NE(error.find("[usage/gone]"), error.npos) << error;
    EXPECT_NE(error.find("\n  help: "), error.npos) << error;
  }
}

TEST(Gone, WhatToWriteExists) {
  std::set<std::string, std::less<>> options = {"-a", "-b", "--aa", "--blocks",
                                                "--steps"};  // Duet.
  for (const OptionSpec& option : AllOptions()) options.insert(std::string(option.name));
  static const re2::RE2 kOption("`[^`]*?(--[a-z-]+)"), kCommand("`profgauge ([a-z-]+(?: [a-z]+)?)");
  std::vector<Gone> all(AllGone().begin(), AllGone().end());
  all.insert(all.end(), AllGuessed().begin(), AllGuessed().end());
  for (const Gone& gone : all) {
    std::string word;
    for (re2::StringPiece rest(gone.help); re2::RE2::FindAndConsume(&rest, kOption, &word);) {
      EXPECT_TRUE(options.contains(word)) << gone.name << ": " << word;
    }
    if (re2::RE2::PartialMatch(re2::StringPiece(gone.help), kCommand, &word)) {
      const auto commands = AllCommands();
      EXPECT_TRUE(std::any_of(commands.begin(), commands.end(),
                              [&](const CommandSpec& command) {
                                return word == command.name ||
                                       word.starts_with(std::string(command.name) + " ");
                              }))
          << gone.name << ": " << word;
    }
  }
}

TEST(Gone, GuessedNamesAreAnsweredWithALine) {
  EXPECT_EQ(ErrorOf({"diff", "a", "b"}),
            "error: unknown command `diff`\n  help: compare two runs: `profgauge compare BASE "
            "CURRENT`   [usage/unknown-command]\n");
  for (const Gone& gone : AllGuessed()) {
    std::istringstream names{std::string(gone.name)};
    for (std::string name; names >> name;) {
      const auto commands = AllCommands();
      EXPECT_TRUE(std::none_of(commands.begin(), commands.end(),
                               [&](const CommandSpec& command) {
                                 return command.name == name ||
                                        command.name.starts_with(name + " ");
                               }))
          << name << " is a command";
      const std::string error =
          gone.command.empty() ? ErrorOf({name, "x"}) : ErrorOf({"check", "run.json", name, "x"});
      EXPECT_NE(error.find(std::string(gone.help)), error.npos) << error;
    }
  }
}

TEST(Gone, ShowsTheValue) {
  EXPECT_EQ(ErrorOf({"check", "a", "--junit", "j.xml"}),
            "error: `--junit` is gone\n  help: write `--write junit=j.xml`   [usage/gone]\n");
  EXPECT_EQ(ErrorOf({"check", "a", "--junit=j.xml"}),
            "error: `--junit` is gone\n  help: write `--write junit=j.xml`   [usage/gone]\n");
  EXPECT_EQ(ErrorOf({"check", "a", "--junit"}),
            "error: `--junit` is gone\n  help: write `--write junit=FILE`   [usage/gone]\n");
  EXPECT_EQ(
      ErrorOf({"check", "a", "--baseline-missing", "warn"}),
      "error: `--baseline-missing` is gone\n  help: write `baseline: {missing: warn}` into the "
      "policy   [usage/gone]\n");
}

}  // namespace
}  // namespace profgauge::cli
