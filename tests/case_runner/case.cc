#include "case.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "subset.h"

namespace profgauge::cases {
namespace {

namespace fs = std::filesystem;

bool Updating() {
  const char* value = std::getenv("PROFGAUGE_UPDATE");
  return value != nullptr && std::string_view(value) == "1";
}

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Makes input.sqlite of input.sql, so that fixtures of SQLite formats are text.
void LoadSql(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".sql") continue;
    sqlite3* database = nullptr;
    fs::path path = entry.path();
    ASSERT_EQ(sqlite3_open(path.replace_extension(".sqlite").c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    sqlite3_exec(database, ReadFile(entry.path()).c_str(), nullptr, nullptr, &message);
    EXPECT_EQ(message, nullptr) << entry.path() << ": " << message;
    sqlite3_free(message);
    sqlite3_close(database);
  }
}

/// A fresh copy of the case's folder, so that outputs never land in the source tree.
class Scratch {
 public:
  explicit Scratch(const fs::path& folder) {
    std::string pattern = (fs::temp_directory_path() / "profgauge_case_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    fs::copy(folder, path_, fs::copy_options::recursive);
    LoadSql(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Outcome RunIn(const Scratch& scratch, const Case& test) {
  std::vector<std::string> args = test.args;
  if (test.adds_outputs) args.insert(args.end(), {"--out", "out"});
  return RunProgram(scratch.path(), args, scratch.path() / "stdin");
}

/// How many rules passed or do not apply changes with every new rule: no case is about that.
/// Errors, warnings and undecided limits stay.
std::string WithoutCountsOfRules(const std::string& text) {
  static const std::regex kPassed("[0-9]+ passed, [0-9]+ not applicable");
  static const std::regex kNotApplied("[0-9]+ limits and rules do not apply");
  const std::string passed = std::regex_replace(text, kPassed, "n passed, n not applicable");
  return std::regex_replace(passed, kNotApplied, "n limits and rules do not apply");
}

/// Compares or rewrites one expectation file.
void HoldAgainst(const fs::path& expectation, const std::string& actual, const char* what) {
  const std::string expected = WithoutCountsOfRules(ReadFile(expectation));
  const std::string found = WithoutCountsOfRules(actual);
  if (!Updating()) {
    EXPECT_EQ(expected, found) << what;
  } else if (expected != found || !fs::exists(expectation)) {
    WriteFile(expectation, actual);
  }
}

void CheckTexts(const Case& test, const Outcome& outcome) {
  const fs::path exit_file = test.folder / "exit";
  if (Updating() && outcome.exit_code != 0) {
    WriteFile(exit_file, std::to_string(outcome.exit_code) + "\n");
  }
  const std::string exit_text = ReadFile(exit_file);
  EXPECT_EQ(exit_text.empty() ? 0 : std::stoi(exit_text), outcome.exit_code)
      << "exit code; standard error was:\n"
      << outcome.err;
  if (fs::exists(test.folder / "stdout")) {
    HoldAgainst(test.folder / "stdout", outcome.out, "standard output");
  }
  // A case that ends in an error is about its message.
  if (fs::exists(test.folder / "stderr") || outcome.exit_code >= 2) {
    HoldAgainst(test.folder / "stderr", outcome.err, "standard error");
  }
}

void CheckReport(const Case& test, const fs::path& report_file) {
  const fs::path expectation = test.folder / "report.expect";
  if (!fs::exists(expectation)) return;
  const std::string report = ReadFile(report_file);
  ASSERT_FALSE(report.empty()) << "no report.json was written";
  if (Updating()) {
    WriteFile(expectation, UpdateSubset(ReadFile(expectation), report));
    return;
  }
  for (const std::string& difference : SubsetDifferences(ReadFile(expectation), report)) {
    ADD_FAILURE() << "report.expect: " << difference;
  }
}

/// Files of an expected/ folder are compared whole with those of the same name.
void CheckFiles(const Case& test, const fs::path& scratch) {
  const fs::path expected = test.folder / "expected";
  if (!fs::is_directory(expected)) return;
  for (const auto& entry : fs::recursive_directory_iterator(expected)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), expected);
    HoldAgainst(entry.path(), ReadFile(scratch / name), name.c_str());
  }
}

/// Whether the folder has anything against the program but its own sums.
bool ExpectsSomething(const fs::path& folder) {
  constexpr std::string_view kExpectations[] = {"stdout", "stderr", "report.expect", "exit",
                                                "expected"};
  return std::any_of(std::begin(kExpectations), std::end(kExpectations),
                     [&](std::string_view name) { return fs::exists(folder / name); });
}

void CheckSameBytes(const fs::path& first, const fs::path& second) {
  for (const auto& entry : fs::recursive_directory_iterator(first)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), first);
    EXPECT_TRUE(ReadFile(entry.path()) == ReadFile(second / name))
        << name << " differs from run to run";
  }
}

}  // namespace

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

/// As a shell splits them: blanks between quotes, single or double, belong to the argument.
std::vector<std::string> SplitArguments(std::string_view text) {
  std::vector<std::string> arguments;
  char quote = 0;
  bool open = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    const bool is_quote = quote == 0 ? c == '\'' || c == '"' : c == quote;
    if (blank && quote == 0) {
      open = false;
      continue;
    }
    if (!open) arguments.emplace_back();
    open = true;
    if (is_quote)
      quote = quote == 0 ? c : 0;
    else
      arguments.back() += c;
  }
  return arguments;
}

std::vector<Case> FindCases(const fs::path& root) {
  std::vector<Case> cases;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "args") continue;
    Case test;
    test.folder = entry.path().parent_path();
    test.name = fs::relative(test.folder, root).generic_string();
    test.args = SplitArguments(ReadFile(entry.path()));
    const bool judges = !test.args.empty() && (test.args[0] == "check" || test.args[0] == "report");
    test.adds_outputs = judges && std::none_of(test.args.begin(), test.args.end(), [](auto& word) {
                          return word == "--out" || word == "-o" || word == "--run" ||
                                 word == "--help" || word == "-h";
                        });
    cases.push_back(std::move(test));
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

void CheckCase(const Case& test) {
  EXPECT_TRUE(fs::exists(test.folder / "README")) << "a case says in its README what it pins down";
  EXPECT_TRUE(ExpectsSomething(test.folder))
      << "a case has stdout, stderr, report.expect, exit or expected/";
  const Scratch first(test.folder), second(test.folder);
  const Outcome outcome = RunIn(first, test);
  const Outcome again = RunIn(second, test);
  EXPECT_LT(outcome.exit_code, 128) << "killed by a signal\n" << outcome.err;
  CheckTexts(test, outcome);
  CheckReport(test, first.path() / "out" / "report.json");
  CheckFiles(test, first.path());
  EXPECT_EQ(outcome.out, again.out) << "standard output differs from run to run";
  EXPECT_EQ(outcome.exit_code, again.exit_code);
  CheckSameBytes(first.path(), second.path());
  if (fs::exists(first.path() / "out" / "report.json")) {
    CheckInvariants(first.path() / "out", test.args[0], outcome.exit_code);
  }
}

}  // namespace profgauge::cases
