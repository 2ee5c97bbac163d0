// Folders of folders, as tools make that write a folder for each computer or process.
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

/// The folders in `folder` that `is_wanted`, by name; none where anything but folders is in it,
/// hidden files apart: that may be a profile itself. A folder that cannot be listed has none.
std::vector<std::string> FoldersBelow(
    const std::string& folder, const std::function<bool(const std::filesystem::path&)>& is_wanted);

/// Whether a file of `folder` has a name that `is_wanted`.
bool AnyNameIn(const std::filesystem::path& folder,
               const std::function<bool(const std::string&)>& is_wanted);

/// Files by the folder that each is in, as it is written; "" for a name without folder. In each the
/// order of `files`.
std::map<std::string, std::vector<std::string>> ByFolder(const std::vector<std::string>& files);

}  // namespace profgauge::readers

namespace profgauge::readers {

// Profiles of the capture of graphs, which serving engines write beside those of the replay: how
// they are found, and which profile they belong to. Their use: model/graph_operators.h.
//
// A file is one by its name or its folder's: those of vLLM, SGLang and xDiT. A capture is no rank
// and no run. It belongs to the profile of the rank that its name states, beside whose folder it
// is, or that is named with it.

/// Whether the path is that of a profile of a capture.
bool IsGraphCapture(const std::string& path);

/// The rank whose graphs were captured, where the name states it: a number after "rank" or "TP" in
/// any letter case. Folders are not looked at.
std::optional<std::int64_t> RankOfCapture(const std::string& path);

/// Takes captures out of `files` and returns them, unless there is nothing else: a user who passes
/// only captures wants to see them.
std::vector<std::string> TakeCaptures(std::vector<std::string>& files);

/// Gives the work of graphs its operators, from captures beside each profile and from `named`. The
/// profiles' facts have the result. Errors: none; a capture that cannot be read is a fact.
void ReadGraphCaptures(const std::vector<std::string>& named, const ReadOptions& options,
                       std::vector<Profile>& profiles);

}  // namespace profgauge::readers
