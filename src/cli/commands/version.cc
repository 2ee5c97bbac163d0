// `profgauge version` and `profgauge help`.
#include <fmt/core.h>

#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/parse.h"
#include "profgauge/version.h"

namespace profgauge::cli {

Result<int> RunVersion(const Options&, Console& console) {
  console.Print(fmt::format("profgauge {}\n", kVersion));
  return kExitPass;
}

Result<int> RunHelp(const Options& options, Console& console) {
  if (options.arguments.empty()) {
    console.Print(HelpText(nullptr, HelpRequest::kFull));
    return kExitPass;
  }
  std::vector<std::string> args = options.arguments;
  args.push_back("--help");
  PROFGAUGE_TRY(const Options asked, ParseCommandLine(args));
  console.Print(HelpText(asked.command, HelpRequest::kFull));
  return kExitPass;
}

}  // namespace profgauge::cli
