// The entries of a folder.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace profgauge {

/// The entries of a folder, by name, without those whose name begins with a dot; none where it
/// cannot be read, with the reason in `error`, if given. Throws std::bad_alloc, where
/// std::filesystem::directory_iterator of libstdc++ 12 ends the program: its step allocates and is
/// noexcept.
std::vector<std::filesystem::path> ListFolder(const std::filesystem::path& folder,
                                              std::error_code* error = nullptr);

}  // namespace profgauge
