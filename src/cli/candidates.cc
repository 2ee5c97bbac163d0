#include "cli/candidates.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "api/session.h"
#include "cli/reading.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

// Which argument each profile came from.
std::vector<std::size_t> ArgumentsOf(const std::vector<Profile>& profiles,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::size_t> out;
  std::set<std::size_t> used;  // A file named twice is two profiles.
  for (const Profile& profile : profiles) {
    const std::string& path = profile.source.path;
    std::size_t index = 0;
    for (; index < arguments.size(); ++index) {
      std::error_code error;
      if (arguments[index] == path && used.insert(index).second) break;
      if (fs::is_directory(arguments[index], error) &&
          fs::equivalent(fs::path(path).parent_path(), arguments[index], error)) {
        break;
      }
    }
    out.push_back(std::min(index, arguments.size() - 1));
  }
  return out;
}

bool AreSeparateRuns(const std::vector<Profile>& profiles, const std::vector<std::size_t>& origin,
                     std::span<const Snapshot> baselines) {
  const std::set<std::size_t> arguments(origin.begin(), origin.end());
  if (baselines.empty() || arguments.size() < 2) return false;
  if (arguments.size() < profiles.size()) return true;  // A folder with several ranks.
  std::set<std::int64_t> ranks;
  bool is_known = true;
  for (const Profile& profile : profiles) {
    if (profile.distributed.rank < 0) {
      is_known = false;
    } else if (!ranks.insert(profile.distributed.rank).second) {
      return true;
    }
  }
  return !is_known && std::all_of(baselines.begin(), baselines.end(), [](const Snapshot& run) {
    return run.Environment("world_size") == "1";
  });
}

}  // namespace

Result<std::vector<Candidate>> ReadCandidates(const Options& options,
                                              std::span<const Snapshot> baselines,
                                              Console& console) {
  PROFGAUGE_TRY(std::vector<Profile> profiles, ReadProfiles(options, console));
  const auto origin = ArgumentsOf(profiles, options.arguments);
  std::vector<Candidate> candidates;
  if (!AreSeparateRuns(profiles, origin, baselines)) {
    candidates.push_back({RunName(options.arguments), std::move(profiles)});
    return candidates;
  }
  for (std::size_t index = 0; index < options.arguments.size(); ++index) {
    Candidate candidate{RunName({options.arguments[index]}), {}};
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      if (origin[i] == index) candidate.ranks.push_back(std::move(profiles[i]));
    }
    if (!candidate.ranks.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace profgauge::cli
