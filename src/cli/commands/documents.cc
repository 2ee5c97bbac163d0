// `profgauge completion`: a script for the shell.
#include <fmt/core.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "cli/text/completion.h"
#include "cli/text/documents.h"
#include "render/shared/template.h"

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

// `profgauge templates export`: the built-in templates as files, to be changed and returned with
// --templates.

Result<int> RunTemplatesExport(const Options& options, Console& console) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPrefix = "templates/";
  const fs::path folder = options.arguments[0];
  // All are opened before the first is written: a folder gets all templates or none.
  Outputs outputs(KeptBy(options));
  std::vector<std::pair<std::size_t, std::string_view>> opened;
  for (const std::string_view name : render::EmbeddedTemplatePaths()) {
    const fs::path path = folder / name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0);
    PROFGAUGE_CHECK(outputs.MakeDirectory(path.parent_path().string()));
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(path.string(), FileKind::kForPeople));
    opened.emplace_back(output, name);
  }
  for (const auto& [output, name] : opened) {
    PROFGAUGE_CHECK(outputs.Commit(output, render::EmbeddedTemplate(name)));
  }
  console.Say(fmt::format("wrote {} templates to {}; use them with --templates {}", opened.size(),
                          folder.string(), folder.string()));
  return kExitPass;
}

}  // namespace profgauge::cli
