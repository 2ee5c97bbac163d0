// Command lines: each line of the input is a word.
//
// Checks: no crash; every refusal has a reason; help is given if it was asked for.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/parse.h"
#include "support/fuzz.h"
#include "support/line_mutator.h"

namespace {

using namespace profgauge;

/// Commands, options, and values that options take.
const std::vector<std::string_view>& Known() {
  static const std::vector<std::string_view> kKnown = [] {
    std::vector<std::string_view> words = {"--", "-",         "0",     "5%",
                                           "#3", "10ms:20ms", "2 GiB", "a=1ms"};
    for (const cli::CommandSpec& command : cli::AllCommands()) words.push_back(command.name);
    for (const cli::OptionSpec& option : cli::AllOptions()) {
      words.push_back(option.name);
      for (const std::string_view choice : cli::ChoicesOf(option)) words.push_back(choice);
    }
    return words;
  }();
  return kKnown;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

}  // namespace

PROFGAUGE_FUZZ_LINES(' ', Known())

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = WordsOf(fuzz::TextOf(data, size));
  // The words of a command may be on one line: "baseline save".
  if (!words.empty() && words[0].find(' ') != std::string::npos) {
    const std::size_t at = words[0].find(' ');
    words.insert(words.begin() + 1, words[0].substr(at + 1));
    words[0].resize(at);
  }
  auto parsed = cli::ParseCommandLine(words);
  const cli::Options* options = fuzz::ValueOf(parsed);
  if (options == nullptr) {
    fuzz::Require(parsed.error().kind == ErrorKind::kUsage, "a command line is wrong by usage");
    return 0;
  }
  if (options->help != cli::HelpRequest::kNone) {
    fuzz::Require(!cli::HelpText(*options).empty(), "help was asked for");
  }
  return 0;
}
