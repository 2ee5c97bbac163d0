// `profgauge manual`: manual pages.
#include <fmt/format.h>

#include <string>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/manual.h"

namespace profgauge::cli {

Result<int> RunManual(const Options& options, Console& console) {
  std::string list;
  for (const ManualPage& page : ManualPages()) {
    const bool is_asked = !options.arguments.empty() &&
                          (page.name == options.arguments[0] ||
                           page.name.substr(0, page.name.size() - 2) == options.arguments[0]);
    if (is_asked) {
      console.Print(page.text);
      return kExitPass;
    }
    list += page.name + "\n";
  }
  if (options.arguments.empty()) {
    console.Print(list);
    return kExitPass;
  }
  return Fail(UsageError("usage/unknown-page",
                         fmt::format("there is no manual page `{}`", options.arguments[0]),
                         "`profgauge manual` lists them"));
}

}  // namespace profgauge::cli
