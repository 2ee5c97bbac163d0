// `profgauge templates export`: the built-in templates as files, to be changed and given back with
// --templates.
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "render/shared/template.h"

namespace profgauge::cli {
namespace {

Error ExistsError(const std::filesystem::path& path) {
  return {ErrorKind::kOutput,
          "output/exists",
          fmt::format("`{}` exists; it may hold changes", path.string()),
          {},
          {"help: export into a new folder and compare"}};
}

}  // namespace

Result<int> RunTemplatesExport(const Options& options, Console& console) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPrefix = "templates/";
  const fs::path folder = options.arguments[0];
  Outputs outputs;
  std::size_t count = 0;
  for (const std::string_view name : EmbeddedTemplatePaths()) {
    const fs::path path = folder / name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0);
    std::error_code ignored;
    if (fs::exists(path, ignored)) return Fail(ExistsError(path));
    PROFGAUGE_CHECK(outputs.MakeDirectory(path.parent_path().string()));
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(path.string()));
    PROFGAUGE_CHECK(outputs.Commit(output, EmbeddedTemplate(name)));
    ++count;
  }
  console.Say(fmt::format("wrote {} templates to {}; use them with --templates {}", count,
                          folder.string(), folder.string()));
  return kExitPass;
}

}  // namespace profgauge::cli
