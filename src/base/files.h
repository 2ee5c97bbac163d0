// Small files as a whole, and the entries of a folder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace profgauge {

// A small file as a whole.

inline constexpr std::size_t kLargestSmallFile = std::size_t{64} << 20;

/// Its bytes. Nothing where it cannot be opened or read (a folder, a failing disk), and of more
/// than `most` bytes (a device that never ends).
std::optional<std::string> ReadSmallFile(const std::filesystem::path& path,
                                         std::size_t most = kLargestSmallFile);

// The entries of a folder.

/// The entries of a folder, by name, without those whose name begins with a dot; none where it
/// cannot be read, with the reason in `error`, if given. Throws std::bad_alloc, where
/// std::filesystem::directory_iterator of libstdc++ 12 ends the program: its step allocates and is
/// noexcept.
std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error = nullptr);

}  // namespace profgauge
