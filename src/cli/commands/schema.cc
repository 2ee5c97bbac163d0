// `profgauge schema`: JSON Schemas of the files that people write and of report.json.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/schemas.h"

namespace profgauge::cli {

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

}  // namespace profgauge::cli
