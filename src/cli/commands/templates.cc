// `profgauge templates export`: the built-in templates as files, to be changed and returned with
// --templates.
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/outputs.h"
#include "render/shared/template.h"

namespace profgauge::cli {
Result<int> RunTemplatesExport(const Options& options, Console& console) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPrefix = "templates/";
  const fs::path folder = options.arguments[0];
  // All are opened before the first is written: a folder gets all templates or none.
  Outputs outputs(KeptBy(options));
  std::vector<std::pair<std::size_t, std::string_view>> opened;
  for (const std::string_view name : EmbeddedTemplatePaths()) {
    const fs::path path = folder / name.substr(name.starts_with(kPrefix) ? kPrefix.size() : 0);
    PROFGAUGE_CHECK(outputs.MakeDirectory(path.parent_path().string()));
    PROFGAUGE_TRY(const std::size_t output, outputs.Open(path.string(), FileKind::kForPeople));
    opened.emplace_back(output, name);
  }
  for (const auto& [output, name] : opened) {
    PROFGAUGE_CHECK(outputs.Commit(output, EmbeddedTemplate(name)));
  }
  console.Say(fmt::format("wrote {} templates to {}; use them with --templates {}", opened.size(),
                          folder.string(), folder.string()));
  return kExitPass;
}

}  // namespace profgauge::cli
