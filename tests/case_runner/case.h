// A case: a folder with an input, a command line and the expected output, as the build unpacks it
// from tests/cases/ROOM.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace profgauge::cases {

struct Case {
  std::filesystem::path folder;
  std::string name;               ///< "kineto/kernel_without_op"
  std::vector<std::string> args;  ///< The words of `args`.
  bool adds_outputs = false;      ///< `--out out` is added: check or report without outputs.
};

/// All case folders, in order of their names.
std::vector<Case> FindCases(const std::filesystem::path& root);

/// The words of a command line: blanks separate, single quotes hold together.
std::vector<std::string> SplitWords(std::string_view line);

/// The output of one run of the program.
struct Outcome {
  int exit_code = -1;  ///< 128 + signal when it was killed.
  std::string out, err;
};

/// Runs the program in `directory` with a fixed environment, reading standard input from `input`
/// (a file, or empty for none).
Outcome RunProgram(const std::filesystem::path& directory, const std::vector<std::string>& args,
                   const std::filesystem::path& input);

/// Runs the case and compares everything with it; failures become gtest failures. With
/// PROFGAUGE_UPDATE=1 expectations are rewritten instead.
void CheckCase(const Case& test);

/// Checks the invariants of every report: partitions sum to their wholes, all four renderings carry
/// the same verdict, the exit code follows from it. `out` is the folder given to --out.
void CheckInvariants(const std::filesystem::path& out, const std::string& command, int exit_code);

/// Whole file, empty when it does not exist.
std::string ReadFile(const std::filesystem::path& path);

}  // namespace profgauge::cases
