// A small file as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace profgauge {

inline constexpr std::size_t kLargestSmallFile = std::size_t{64} << 20;

/// Its bytes. Nothing where it cannot be opened or read (a folder, a failing disk), and of more
/// than `most` bytes (a device that never ends).
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path,
                                         std::size_t most = kLargestSmallFile);

}  // namespace profgauge
