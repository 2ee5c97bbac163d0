// Commands one after the other in one process, for tests of thousands of files: a process for each
// would take a minute of its starts.
//
//   decode_many    standard input: {"args": ["rules", "check", "rules.yaml"],
//                                   "file": "rules.yaml", "text": "…"}    a line each
//                  standard output: the codes of the errors, a line each, with blanks between them
//
// Before each command the text is written into the file, below the working directory.
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console.h"
#include "cli/parse.h"

namespace profgauge::cli {
namespace {

// As main.cc does it.
std::vector<Error> ErrorsOf(const std::vector<std::string>& args) {
  auto options = ParseCommandLine(args);
  if (!options) return {options.error()};
  Console console;
  console.Configure(*options);
  if (const auto project = LoadConfiguration(*options); !project) {
    console.Report(project.error());
  } else if (const auto done = options->command->run(*options, console); !done) {
    if (!done.error().message.empty()) console.Report(done.error());
  }
  return console.TakeReported();
}

}  // namespace
}  // namespace profgauge::cli

int main() {
  std::freopen("/dev/null", "w", stderr);
  std::FILE* const answers = ::fdopen(::dup(1), "w");
  std::freopen("/dev/null", "w", stdout);  // What the commands print is not asked for.
  for (std::string line; std::getline(std::cin, line);) {
    const boost::json::value asked = boost::json::parse(line);
    std::ofstream(asked.at("file").as_string().c_str(), std::ios::binary)
        << std::string_view(asked.at("text").as_string());
    std::string codes;
    for (const auto& error : profgauge::cli::ErrorsOf(
             boost::json::value_to<std::vector<std::string>>(asked.at("args")))) {
      codes += (codes.empty() ? "" : " ") + error.code;
    }
    std::fprintf(answers, "%s\n", codes.c_str());
  }
  return std::fclose(answers);
}
