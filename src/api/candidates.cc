#include "api/candidates.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "api/session.h"
#include "readers/one_run.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

// Log folders keep their files some folders down.
bool IsBelow(const fs::path& path, const std::string& folder) {
  std::error_code error;
  for (fs::path at = path.parent_path(); !at.empty(); at = at.parent_path()) {
    if (fs::equivalent(at, folder, error)) return true;
    if (at == at.parent_path()) break;
  }
  // A merged profile has the path of its folder; "." stands for the folder of a bare name.
  return !path.has_parent_path() && fs::equivalent(".", folder, error);
}

// Which argument each profile came from.
std::vector<std::size_t> ArgumentsOf(const std::vector<Profile>& profiles,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::size_t> out;
  for (const Profile& profile : profiles) {
    const std::string& path = profile.source.path;
    std::size_t index = 0;
    for (; index < arguments.size(); ++index) {
      std::error_code error;
      if (arguments[index] == path) break;
      if (fs::is_directory(arguments[index], error) && IsBelow(path, arguments[index])) break;
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

Result<std::vector<Candidate>> SplitCandidates(std::vector<Profile> profiles,
                                               const std::vector<std::string>& arguments,
                                               std::span<const Snapshot> baselines) {
  const auto origin = ArgumentsOf(profiles, arguments);
  std::vector<Candidate> candidates;
  if (!AreSeparateRuns(profiles, origin, baselines)) {
    PROFGAUGE_CHECK(CheckOneRun(profiles, ""));
    candidates.push_back({RunName(arguments), std::move(profiles)});
    return candidates;
  }
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    Candidate candidate{RunName({arguments[index]}), {}};
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      if (origin[i] == index) candidate.ranks.push_back(std::move(profiles[i]));
    }
    if (!candidate.ranks.empty()) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace profgauge
