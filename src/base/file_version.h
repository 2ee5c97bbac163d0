// Checks whether a file is still the one that was read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace profgauge {

/// The version of a file: writing or replacing the file changes it.
struct FileVersion {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< Time of the last write.

  bool operator==(const FileVersion&) const = default;
};
/// nullopt if there is no file; `errno` has the reason.
std::optional<FileVersion> VersionOf(const std::filesystem::path& path);

}  // namespace profgauge
