// The recordings that relations are tried on: examples, and those beside the checkout. One file of
// each format; with PROFGAUGE_RELATIONS=all, for a nightly run, all that are at hand; with
// PROFGAUGE_RELATIONS=100000 all up to that many bytes; with PROFGAUGE_RELATIONS_FILE that one.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace profgauge::edit {

/// Files of each run.
using Sets = std::vector<std::vector<std::filesystem::path>>;

/// Whether all files are looked at.
bool IsNightly();
/// Runs of one file; the first one stands for all.
Sets FilesOf(std::string_view format);
/// Runs of several ranks.
Sets RunsOf(std::string_view format);

}  // namespace profgauge::edit
