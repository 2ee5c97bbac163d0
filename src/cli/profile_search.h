// Finds profiles below folders by content, and reads the data in their names and first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace profgauge::cli {

/// Data in the path of a profile. A field that the path does not have is absent.
struct NamedProfile {
  std::string run;                   ///< Equal for all ranks of one run: the path without the rank.
  std::optional<std::int64_t> rank;  ///< "rank3_trace.json", "TP-3", "profile_3.json".
  std::optional<std::int64_t> step;  ///< "iteration_10", "step-20".
  /// From the name, converted from s, ms, us or ns to nanoseconds since 1970.
  std::optional<std::int64_t> time;
};

/// Parses a path by the layouts that frameworks use. Uses only the name and the two folders above
/// it. `run` has `*` in place of the rank, so it is equal for all ranks of one run:
///
///   runs/step-20/rank3_trace.json      run "runs/step-20/rank*_trace.json", rank 3, step 20
///   logs/x-TP-1.trace.json.gz          run "logs/x-TP-*.trace.json.gz", rank 1
///   trace.json                         run "trace.json"; no rank, no step
NamedProfile ParseProfilePath(const std::string& path);

/// A file or folder that is a profile.
struct FoundProfile {
  std::string path, format;
  NamedProfile named;
  std::optional<std::int64_t> world_size = {};
  bool is_part = false;  ///< Part of a profile that consists of several files of a folder.
};

struct FoundProfiles {
  std::vector<FoundProfile> profiles;  ///< By path; parts of one profile are listed as their
                                       ///< folder.
  std::vector<std::pair<std::string, std::string>> others;  ///< Up to five files, and their kinds.
  bool is_whole = true;                                     ///< All names were examined.
};

/// Most names of files and folders that are examined, because more would take minutes.
inline constexpr std::size_t kMostNames = 100'000;

/// Examines files, and folders level by level, until it saw `most` names. Follows no links. Skips
/// files that are still written (`.tmp`), reports of ours, and files whose data another file has
/// with more. Sorted by path. Cost: opens each file and reads its first and last bytes.
FoundProfiles FindProfiles(const std::vector<std::string>& paths, std::size_t most = kMostNames);

}  // namespace profgauge::cli
