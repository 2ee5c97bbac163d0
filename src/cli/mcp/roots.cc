#include "cli/mcp/tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/configuration.h"

namespace profgauge::cli::mcp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoSuchFile = "mcp/no-such-file";

}  // namespace

Result<Roots> Roots::Of(const std::vector<std::string>& folders) {
  Roots roots;
  std::vector<std::string> wanted = folders;
  if (wanted.empty()) wanted.push_back(RootOfRepository());
  for (const std::string& folder : wanted) {
    std::error_code error;
    const fs::path path = fs::canonical(folder.empty() ? "." : folder, error);
    if (error || !fs::is_directory(path, error)) {
      return Fail(UsageError("usage/bad-value",
                             fmt::format("`--root {}` is no folder", Printable(folder))));
    }
    roots.folders_.push_back(path.string());
  }
  return roots;
}

bool Roots::Holds(const std::string& path) const {
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const std::string& root) { return IsWithin(path, root); });
}

Status Roots::Check(const std::string& path) const {
  const auto outside = [&](const std::string& found) {
    return Fail(UsageError("mcp/outside-roots",
                           fmt::format("`{}` is outside of the folders that this server may read",
                                       PrintableShort(found, 200)),
                           fmt::format("it may read {}", fmt::join(folders_, ", "))));
  };
  if (path == kExampleProfile) return {};
  if (!Holds(path)) return outside(path);
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Fail(UsageError(kNoSuchFile, fmt::format("there is no `{}`", PrintableShort(path, 200)),
                           "the tool `find` lists the runs below a folder"));
  }
  return {};
}

std::string Roots::Resolve(const std::string& path) const {
  const bool is_relative = !path.empty() && !path.starts_with("builtin:") &&
                           !path.starts_with("history:") && fs::path(path).is_relative();
  if (!is_relative) return path;
  std::error_code error;
  for (const std::string& root : folders_) {
    const fs::path whole = (fs::path(root) / path).lexically_normal();
    if (fs::exists(whole, error)) return whole.string();
  }
  return (fs::path(folders_.front()) / path).lexically_normal().string();
}

Status Roots::CheckToRead(const std::string& path) const {
  Status found = Check(path);
  if (!found && found.error().code == kNoSuchFile) return {};
  return found;
}

}  // namespace profgauge::cli::mcp
