#include "base/file_version.h"

#include <sys/stat.h>

namespace profgauge {

std::optional<FileVersion> VersionOf(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileVersion{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace profgauge
