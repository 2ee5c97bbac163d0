#include "base/list_folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace profgauge {

std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error) {
  struct Close {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  std::vector<std::filesystem::path> entries;
  const std::unique_ptr<DIR, Close> directory(opendir(folder.c_str()));
  if (error != nullptr) error->assign(directory == nullptr ? errno : 0, std::generic_category());
  if (directory == nullptr) return entries;
  while (const dirent* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.') entries.push_back(folder / entry->d_name);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace profgauge
