#include "rules/errors.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "rules/rule_mistakes.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

constexpr std::size_t kShownErrors = 50;

std::string Rendered(const Errors& errors, bool color, std::string_view word) {
  std::map<std::string, std::string> sources;
  std::string out;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i > 0) out += '\n';
    if (i == kShownErrors) {
      out += fmt::format("note: {} more errors are not shown\n", errors.size() - i);
      break;
    }
    const Where& where = errors[i].where;
    const auto [source, is_new] = sources.try_emplace(where.file);
    if (is_new && where.line > 0) {
      if (auto text = ReadConfigFile(where.file)) source->second = *std::move(text);
      // Columns of ParseYaml do not count a byte order mark, so it is removed here, too.
      if (source->second.starts_with(kByteOrderMark)) {
        source->second.erase(0, kByteOrderMark.size());
      }
    }
    out += RenderDiagnostic(errors[i], source->second, color, word);
  }
  return out;
}

}  // namespace

Error OutsideRepository(const std::string& path, const Where& from, std::string help) {
  Error error;
  error.kind = ErrorKind::kConfig;
  error.code = "config/outside-repository";
  error.message = fmt::format("`{}` is outside of the repository", Printable(path));
  error.where = from;
  if (error.where.file.empty()) error.where.file = path;
  error.notes = {"help: " + (help.empty() ? "copy it into the repository" : std::move(help))};
  return error;
}

std::string RenderErrors(const Errors& errors, bool color) {
  return Rendered(errors, color, "error");
}

std::string RenderWarnings(const Errors& warnings, bool color) {
  return Rendered(warnings, color, "warning");
}

}  // namespace profgauge::rules
