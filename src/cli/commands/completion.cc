// `profgauge completion`: a script for the shell.
#include <string>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/completion.h"

namespace profgauge::cli {

Result<int> RunCompletion(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::string script, CompletionScript(options.arguments[0]));
  console.Print(script);
  return kExitPass;
}

}  // namespace profgauge::cli
