#include "readers/folders.h"

#include <algorithm>
#include <system_error>

namespace profgauge::readers {

namespace fs = std::filesystem;

std::vector<std::string> FoldersBelow(const std::string& folder,
                                      const std::function<bool(const fs::path&)>& is_wanted) {
  std::vector<std::string> below;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (at->path().filename().string().starts_with('.')) continue;
    if (!at->is_directory(code)) return {};
    if (is_wanted(at->path())) below.push_back(at->path().string());
  }
  if (code) return {};
  std::sort(below.begin(), below.end());
  return below;
}

bool AnyNameIn(const fs::path& folder, const std::function<bool(const std::string&)>& is_wanted) {
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (is_wanted(at->path().filename().string())) return true;
  }
  return false;
}

std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files) {
  std::map<std::string, std::vector<std::string>> folders;
  for (const std::string& file : files) {
    folders[fs::path(file).parent_path().string()].push_back(file);
  }
  return folders;
}

}  // namespace profgauge::readers
