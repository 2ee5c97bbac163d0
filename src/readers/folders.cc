#include "readers/folders.h"

#include <algorithm>
#include <system_error>

#include "base/list_folder.h"

namespace profgauge::readers {

namespace fs = std::filesystem;

std::vector<std::string> FoldersBelow(const std::string& folder,
                                      const std::function<bool(const fs::path&)>& is_wanted) {
  std::vector<std::string> below;
  std::error_code code;
  for (const fs::path& path : ListFolder(folder)) {
    if (!fs::is_directory(path, code)) return {};
    if (is_wanted(path)) below.push_back(path.string());
  }
  return below;
}

bool AnyNameIn(const fs::path& folder, const std::function<bool(const std::string&)>& is_wanted) {
  const std::vector<fs::path> entries = ListFolder(folder);
  return std::any_of(entries.begin(), entries.end(),
                     [&](const fs::path& path) { return is_wanted(path.filename().string()); });
}

std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files) {
  std::map<std::string, std::vector<std::string>> folders;
  for (const std::string& file : files) {
    folders[fs::path(file).parent_path().string()].push_back(file);
  }
  return folders;
}

}  // namespace profgauge::readers
