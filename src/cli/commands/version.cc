// `profgauge version` and `profgauge help`.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/parse.h"
#include "profgauge/version.h"

namespace profgauge::cli {
namespace {

/// The list of topics, which `help` explains.
std::string Topics() {
  std::vector<std::string_view> words = CommandGroups();
  for (const CommandSpec& command : AllCommands()) {
    if (command.name.find(' ') == std::string_view::npos) words.push_back(command.name);
  }
  return fmt::format("note: topics are {}", fmt::join(words, ", "));
}

}  // namespace

Result<int> RunVersion(const Options& options, Console& console) {
  JsonList list("version");
  list.Row().Field("version", kVersion);
  return PrintList(options, fmt::format("profgauge {}\n", kVersion), std::move(list), console);
}

Result<int> RunHelp(const Options& options, Console& console) {
  if (options.arguments.empty()) {
    console.Print(HelpText(nullptr, HelpRequest::kShort));
    return kExitPass;
  }
  std::vector<std::string> args = options.arguments;
  const bool is_full = args.back() == "all";
  args.back() = is_full ? "--help" : args.back();
  args.push_back(is_full ? "all" : "--help");
  Result<Options> asked = ParseCommandLine(args);
  if (!asked) {
    asked.error().notes.push_back(Topics());
    return Fail(std::move(asked).error());
  }
  console.Print(HelpText(*asked));
  return kExitPass;
}

}  // namespace profgauge::cli
