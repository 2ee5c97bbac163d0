#include "base/files.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <ios>
#include <memory>

namespace profgauge {

// By read(), which says that it failed; iterators over the stream's buffer throw.
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes;
  std::size_t have = 0;
  while (file) {
    constexpr std::size_t kFirst = 4096;
    bytes.resize(std::min(most + 1, std::max(kFirst, 2 * have)));
    if (have == bytes.size()) return std::nullopt;
    file.read(bytes.data() + have, static_cast<std::streamsize>(bytes.size() - have));
    have += static_cast<std::size_t>(file.gcount());
  }
  if (file.bad() || have > most) return std::nullopt;
  bytes.resize(have);
  return bytes;
}

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
