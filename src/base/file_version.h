// Whether a file is still the one that was read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace profgauge {

/// A file as it is now: one that was written, or put in its place, has another version.
struct FileVersion {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< When it was last written.

  bool operator==(const FileVersion&) const = default;
};
/// Nothing where there is none; `errno` has the reason.
std::optional<FileVersion> VersionOf(const std::filesystem::path& path);

}  // namespace profgauge
