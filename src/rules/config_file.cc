// Reading configuration files.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/files.h"
#include "base/text.h"
#include "rules/builtin_files.h"
#include "rules/decode.h"
#include "rules/errors.h"
#include "rules/yaml.h"

namespace profgauge::rules {
namespace {

Error FileError(const std::string& path, std::string_view code, std::string message) {
  Error error{ErrorKind::kConfig, std::string(code), std::move(message), {}, {}};
  error.where.file = path;
  return error;
}

constexpr std::string_view kPresets[] = {"cpu", "recommended", "report-only", "strict", "times"};

std::string NameOfBuiltin(const std::string& path) { return path.substr(kBuiltinPrefix.size()); }

std::string EmbeddedPath(const std::string& name) { return fmt::format("rules/{}.yaml", name); }

Result<std::string> ReadBuiltin(const std::string& path, std::optional<BuiltinKind> kind) {
  const std::string name = NameOfBuiltin(path);
  const std::string_view text = EmbeddedRules(EmbeddedPath(name));
  const bool fits = !kind || IsPresetName(name) == (*kind == BuiltinKind::kPreset);
  if (!text.empty() && fits) return std::string(text);
  const bool wants_preset = kind == BuiltinKind::kPreset;
  Error error = FileError(
      path, "config/no-builtin",
      wants_preset ? "there is no such preset" : "there is no such built-in file of rules");
  const std::vector<std::string> names = BuiltinFiles(kind.value_or(BuiltinKind::kRules));
  const std::vector<std::string_view> views(names.begin(), names.end());
  AddSuggestion(error, path, views);
  error.notes.push_back(
      fmt::format("note: {} {}", wants_preset ? "presets are" : "there are", Joined(views)));
  return Fail(std::move(error));
}

}  // namespace

bool IsPresetName(std::string_view stem) {
  return std::find(std::begin(kPresets), std::end(kPresets), stem) != std::end(kPresets);
}

std::vector<std::string> BuiltinFiles(BuiltinKind kind) {
  std::vector<std::string> names;
  for (const std::string_view path : EmbeddedRulesPaths()) {
    const std::string stem = std::filesystem::path(path).stem().string();
    if (stem.ends_with(".test") || IsPresetName(stem) != (kind == BuiltinKind::kPreset)) continue;
    names.push_back(std::string(kBuiltinPrefix) + stem);
  }
  return names;
}

// One byte more than allowed is read, so that a pipe or a growing file is bounded, too.
Result<std::string> ReadConfigFile(const std::string& path, std::optional<BuiltinKind> kind) {
  if (path.starts_with(kBuiltinPrefix)) return ReadBuiltin(path, kind);
  auto file = OpenInput(path, Named::kFound);
  if (!file) {
    const NotOpened& problem = file.error();
    switch (problem.why) {
      case NotOpened::Why::kFolder:
        return Fail(FileError(path, "config/directory", "expected a file, found a directory"));
      case NotOpened::Why::kMissing:
        return Fail(FileError(path, "config/missing", problem.Text()));
      case NotOpened::Why::kPipe:
      case NotOpened::Why::kNoFile: {
        Error error = FileError(path, "config/not-a-file", "the path " + problem.Text());
        error.notes.emplace_back("help: give a file");
        return Fail(std::move(error));
      }
      case NotOpened::Why::kOutside: {
        Error error = FileError(path, "config/outside", "the path " + problem.Text());
        error.notes.emplace_back("help: copy it into a folder of `--root`");
        return Fail(std::move(error));
      }
      case NotOpened::Why::kSystem:
        break;
    }
    return Fail(
        FileError(path, "config/unreadable",
                  fmt::format("the file cannot be read: {}", std::strerror(problem.number))));
  }
  std::string text(kLargestConfigFile + 1, '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const auto count = file->Read(text.data() + have, text.size() - have);
    if (!count) return Fail(FileError(path, "config/unreadable", "the file cannot be read"));
    if (*count == 0) break;
    have += *count;
  }
  text.resize(have);
  if (text.size() > kLargestConfigFile) {
    return Fail(FileError(path, "config/too-large", "the file is larger than 1 MiB"));
  }
  return text;
}

std::optional<YamlDocument> ReadYaml(const std::string& path, std::optional<BuiltinKind> kind,
                                     Errors& errors) {
  auto text = ReadConfigFile(path, kind);
  if (!text) {
    errors.push_back(std::move(text).error());
    return std::nullopt;
  }
  if (!path.starts_with(kBuiltinPrefix)) return ParseYaml(*text, path, errors);
  return YamlDocument{path, *std::move(text),
                      DecodeYamlTree(EmbeddedRuleTree(EmbeddedPath(NameOfBuiltin(path))))};
}

// Stable, so that errors of one place stay in the order in which they were found.
void SortByPlace(Errors& errors) {
  std::map<std::string, std::size_t> ranks;
  for (const Error& error : errors) ranks.try_emplace(error.where.file, ranks.size());
  std::stable_sort(errors.begin(), errors.end(), [&](const Error& a, const Error& b) {
    return std::tuple(ranks[a.where.file], a.where.line, a.where.column) <
           std::tuple(ranks[b.where.file], b.where.line, b.where.column);
  });
  // Not only of neighbors: two rules that use a part with two mistakes report A, B, A, B.
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> seen;
  std::erase_if(errors, [&](const Error& error) {
    const auto& [file, line, column] =
        std::tie(error.where.file, error.where.line, error.where.column);
    return line > 0 && !seen.emplace(file, line, column, error.message).second;
  });
}

}  // namespace profgauge::rules
