// Folders of folders, as tools make that write a folder for each computer or process.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace profgauge::readers {

/// The folders in `folder` that `is_wanted`, by name; none where anything but folders is in it,
/// hidden files apart: that may be a profile itself.
std::vector<std::string> FoldersBelow(
    const std::string& folder, const std::function<bool(const std::filesystem::path&)>& is_wanted);

/// Whether a file of `folder` has a name that `is_wanted`.
bool AnyNameIn(const std::filesystem::path& folder,
               const std::function<bool(const std::string&)>& is_wanted);

/// Files by the folder that each is in.
std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files);

}  // namespace profgauge::readers
