// `profgauge completion`, `manual`, `version` and `help`.
#include <fmt/core.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/json_list.h"
#include "cli/parse.h"
#include "cli/text/completion.h"
#include "cli/text/documents.h"
#include "profgauge/version.h"

namespace profgauge::cli {
Result<int> RunCompletion(const Options& options, Console& console) {
  PROFGAUGE_TRY(const std::string script, CompletionScript(options.arguments[0]));
  console.Print(script);
  return kExitPass;
}

// `profgauge manual`: manual pages.

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

// `profgauge schema`: JSON Schemas of the files that people write and of report.json.

Result<int> RunSchema(const Options& options, Console& console) {
  const std::vector<NamedSchema> schemas = AllSchemas();
  std::string list;
  for (const NamedSchema& schema : schemas) {
    if (!options.arguments.empty() && schema.name == options.arguments[0]) {
      console.Print(schema.text);
      return kExitPass;
    }
    list += fmt::format("{:<12} {}\n", schema.name, schema.title);
  }
  if (options.arguments.empty()) {
    console.Print(list);
    return kExitPass;
  }
  std::vector<std::string_view> names;
  for (const NamedSchema& schema : schemas) names.push_back(schema.name);
  return Fail(UsageError("usage/unknown-schema",
                         fmt::format("there is no schema `{}`", options.arguments[0]),
                         fmt::format("schemas are {}", fmt::join(names, ", "))));
}

// `profgauge version` and `profgauge help`.

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
