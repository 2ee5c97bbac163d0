// Command lines and their results; whole error texts.
#include "cli/parse.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/errors.h"
#include "cli/commands.h"
#include "exports/nsys/reports.h"
#include "exports/pyprof/prof.h"

namespace profgauge::cli {
namespace {

std::vector<std::string> SplitWords(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string ErrorOf(const std::string& line) {
  const auto options = ParseCommandLine(SplitWords(line));
  return options ? "no error" : RenderDiagnostic(options.error(), "", false);
}

struct Wrong {
  std::string_view line, message;
};
constexpr Wrong kWrong[] = {
    {"",
     "error: no command given\n"
     "  help: `profgauge check PROFILE` judges a profile; `profgauge --help` lists the commands"
     "   [usage/missing-command]\n"},
    {"versoin",
     "error: unknown command `versoin`\n"
     "  help: did you mean `version`?\n"
     "  help: `profgauge --help` lists the commands   [usage/unknown-command]\n"},
    {"run.json.gz",
     "error: unknown command `run.json.gz`\n"
     "  help: to judge a profile, say `profgauge check run.json.gz`\n"
     "  help: `profgauge --help` lists the commands   [usage/unknown-command]\n"},
    {"--policy x",
     "error: expected a command, found the option `--policy`\n"
     "  help: options follow the command: `profgauge check PROFILE …`   [usage/missing-command]\n"},
    {"version extra",
     "error: unexpected argument `extra`\n"
     "  help: `profgauge version --help` lists its options   [usage/unexpected-argument]\n"},
    {"version --colour=never",
     "error: unknown option `--colour`\n"
     "  help: did you mean `--color`?\n"
     "  help: `profgauge version --help` lists its options   [usage/unknown-option]\n"},
    {"version --policy",
     "error: `version` has no option `--policy`\n"
     "  help: `profgauge version --help` lists its options   [usage/unknown-option]\n"},
    {"version --color",
     "error: option `--color` needs a value\n"
     "  help: write `--color WHEN`   [usage/missing-value]\n"},
    {"version --color --quiet",
     "error: option `--color` needs a value, found `--quiet`\n"
     "  help: write `--color=--quiet` if that is the value   [usage/missing-value]\n"},
    {"version --color red",
     "error: option `--color` needs `auto`, `always` or `never`, found `red`   "
     "[usage/bad-value]\n"},
    {"version --color auto --color never",
     "error: option `--color` is given 2 times; it takes one value   [usage/repeated-option]\n"},
    {"version --quiet=no", "error: option `--quiet` takes no value   [usage/unexpected-value]\n"},
    {"check run.json --range 10:50",
     "error: option `--range`: the time `10` has no unit\n"
     "  help: write `10ns`, `10us`, `10ms` or `10s`   [usage/no-unit]\n"},
    {"check run.json --range 0:50",
     "error: option `--range`: the time `50` has no unit\n"
     "  help: write `50ns`, `50us`, `50ms` or `50s`   [usage/no-unit]\n"},
    {"check run.json --marks a=1us,b=1.5",
     "error: option `--marks`: the time `1.5` has no unit\n"
     "  help: write `1.5ns`, `1.5us`, `1.5ms` or `1.5s`   [usage/no-unit]\n"},
    {"check run.json --source-root no/such",
     "error: option `--source-root`: there is no folder `no/such`\n"
     "  help: name a folder that is there; paths count from where the program runs   "
     "[usage/no-folder]\n"},
    {"check x --write junti=a.xml",
     "error: option `--write` needs KIND=FILE, found `junti=a.xml`\n"
     "  help: did you mean `junit`?\n"
     "  help: kinds are summary, text, junit, sarif, github, code-quality, metrics, trace, "
     "html-dir, verdict, row, pgsum, step-summary   [usage/bad-value]\n"},
    {"check x --write junit",
     "error: option `--write` needs junit=FILE, found `junit`   [usage/bad-value]\n"},
    {"check x --write junit=",
     "error: option `--write` needs junit=FILE, found `junit=`   [usage/bad-value]\n"},
    {"check x --write step-summary=a",
     "error: option `--write` needs step-summary, found `step-summary=a`   [usage/bad-value]\n"},
    {"check x --write junit=a --write junit=b",
     "error: `--write junit` is given twice; it takes one file   [usage/repeated-option]\n"},
    {"rules test x --write sarif=a",
     "error: option `--write` needs junit=FILE, found `sarif=a`\n"
     "  help: kinds are junit   [usage/bad-value]\n"},
    {"compare x y --write pgsum=a",
     "error: option `--write` needs KIND=FILE, found `pgsum=a`\n"
     "  help: kinds are summary, text, junit, sarif, github, code-quality, metrics, html-dir, "
     "verdict, row, step-summary   [usage/bad-value]\n"},
    {"check x --key-op mm --iteration-marker step",
     "error: `--key-op` and `--iteration-marker` exclude each other\n"
     "  help: pass only the one that marks the start of iterations   [usage/conflict]\n"},
    {"check x --iteration-marker step --key-op mm",
     "error: `--key-op` and `--iteration-marker` exclude each other\n"
     "  help: pass only the one that marks the start of iterations   [usage/conflict]\n"},
    {"version -q -v", "error: `--quiet` and `--verbose` exclude each other   [usage/conflict]\n"},
};

TEST(ParseCommandLine, NamesTheError) {
  for (const Wrong& wrong : kWrong) {
    EXPECT_EQ(ErrorOf(std::string(wrong.line)), wrong.message) << wrong.line;
  }
}

TEST(ParseCommandLine, AcceptsTheUsualSpellings) {
  for (const std::string line : {"version -v --color never", "version --color=never --verbose",
                                 "version --color never -v"}) {
    const auto options = ParseCommandLine(SplitWords(line));
    ASSERT_TRUE(options) << line << ": " << ErrorOf(line);
    EXPECT_EQ(options->command->name, "version");
    EXPECT_EQ(options->verbosity, 1);
    EXPECT_EQ(options->color, ColorChoice::kNever);
  }
}

TEST(ParseCommandLine, AcceptsShortOptions) {
  for (const std::string line :
       {"check x -q -o out", "check x -qo out", "check x -oout -q", "check -qoout x"}) {
    const auto options = ParseCommandLine(SplitWords(line));
    ASSERT_TRUE(options) << line << ": " << ErrorOf(line);
    EXPECT_EQ(options->verbosity, -1) << line;
    EXPECT_EQ(options->out_dir, "out") << line;
    EXPECT_EQ(options->arguments, std::vector<std::string>{"x"}) << line;
  }
}

TEST(ParseCommandLine, WrongLineStillNamesItsOutputs) {
  Options wrong;
  const auto words = SplitWords("check x --polcy p --html a.html --write junit=j.xml --redact");
  ASSERT_FALSE(ParseCommandLine(words, &wrong));
  ASSERT_NE(wrong.command, nullptr);
  EXPECT_EQ(wrong.outputs[OutputKind::kHtml], "a.html");
  EXPECT_EQ(wrong.outputs[OutputKind::kJunit], "j.xml");
  EXPECT_TRUE(wrong.redact);
  Options none;
  ASSERT_FALSE(ParseCommandLine(SplitWords("chekc x --html a.html"), &none));
  EXPECT_EQ(none.command, nullptr);
}

TEST(ParseCommandLine, HelpWinsOverMissingArguments) {
  for (const CommandSpec& command : AllCommands()) {
    const auto options = ParseCommandLine(SplitWords(std::string(command.name) + " --help"));
    ASSERT_TRUE(options) << command.name;
    EXPECT_EQ(options->help, HelpRequest::kShort);
    EXPECT_EQ(options->command, &command);
  }
}

TEST(HelpText, ShortHelpFitsOneScreen) {
  for (const CommandSpec& command : AllCommands()) {
    const std::string text = HelpText(&command, HelpRequest::kShort);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << command.name;
  }
}

TEST(HelpText, EveryOptionHasCommandAndText) {
  for (const OptionSpec& option : AllOptions()) {
    EXPECT_TRUE(option.name.starts_with("--")) << option.name;
    EXPECT_FALSE(option.brief.empty()) << option.name;
    EXPECT_NE(option.apply, nullptr) << option.name;
  }
}

// Help and shells list the columns that an export has.
TEST(HelpText, ListsColumnsAndReports) {
  std::string columns;
  for (const auto& column : exports::pyprof::AllColumns()) {
    columns += (columns.empty() ? "" : ",") + std::string(column.option);
  }
  int seen = 0;
  for (const OptionSpec& option : AllOptions()) {
    if (option.name == "--columns") {
      EXPECT_EQ(option.detail, columns);
      ++seen;
    } else if (option.name == "--report") {
      std::set<std::string_view> reports;
      for (const auto& report : exports::nsys::Reports()) {
        reports.insert(report.name);
        EXPECT_NE(option.detail.find(report.name), option.detail.npos) << report.name;
      }
      const auto choices = ChoicesOf(option);
      EXPECT_EQ(std::set<std::string_view>(choices.begin(), choices.end()), reports);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace profgauge::cli
