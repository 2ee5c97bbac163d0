// Folders that contain only folders, as written by tools that make a folder per host or process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// The subfolders of `folder` for which `is_wanted` is true, by name. Returns none if the folder
/// cannot be listed, or contains anything but folders and hidden files: then it may be a profile.
std::vector<std::string> FoldersBelow(
    const std::string& folder, const std::function<bool(const std::filesystem::path&)>& is_wanted);

/// True if `is_wanted` accepts the name of a file in `folder`.
bool AnyNameIn(const std::filesystem::path& folder,
               const std::function<bool(const std::string&)>& is_wanted);

/// Groups files by their folder as written ("" for a name without a folder). Keeps the order of
/// `files` in each group.
std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files);

}  // namespace profgauge::readers

namespace profgauge::readers {

// Profiles of graph captures, which serving engines write beside the profiles of the replay: how
// they are found, and to which profile they belong. model/graph_operators.h uses them.
//
// A file is recognized as a capture by its name or its folder's: names of vLLM, SGLang and xDiT. A
// capture is no rank and no run. It belongs to the profile of the rank that its name states, if it
// is beside that profile's folder or named together with it.

/// True if the path is that of a profile of a graph capture.
bool IsGraphCapture(const std::string& path);

/// The rank whose graphs were captured, if the file's name (not its folder's) has it: a number
/// after "rank" or "TP", in any letter case.
std::optional<std::int64_t> RankOfCapture(const std::string& path);

/// Removes captures from `files` and returns them. If `files` has only captures, nothing is
/// removed: the user wants to see them.
std::vector<std::string> TakeCaptures(std::vector<std::string>& files);

/// Adds operators to the work of graphs, as recorded in the captures beside each profile and in
/// `named`. The result becomes a fact of each profile, even if a capture cannot be read.
void ReadGraphCaptures(const std::vector<std::string>& named, const ReadOptions& options,
                       std::vector<Profile>& profiles);

}  // namespace profgauge::readers
