#include "api/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/replay.h"
#include "api/session.h"
#include "readers/one_run.h"
#include "readers/ranks.h"
#include "rules/facts.h"

namespace profgauge {
namespace {

namespace fs = std::filesystem;

// True if `path` is below `folder`, at any depth: log folders have their files some levels down.
bool IsBelow(const fs::path& path, const std::string& folder) {
  std::error_code error;
  for (fs::path at = path.parent_path(); !at.empty(); at = at.parent_path()) {
    if (fs::equivalent(at, folder, error)) return true;
    if (at == at.parent_path()) break;
  }
  // A merged profile has its folder's path. If this has no parent, the profile is in ".".
  return !path.has_parent_path() && fs::equivalent(".", folder, error);
}

// The index of the argument that a profile came from: the first one that is its path or a folder
// above it. If there is none, the last argument.
std::size_t ArgumentOf(const Profile& profile, const std::vector<std::string>& arguments) {
  const std::string& path = profile.source.path;
  std::size_t index = 0;
  for (; index < arguments.size(); ++index) {
    std::error_code error;
    if (arguments[index] == path) break;
    if (fs::is_directory(arguments[index], error) && IsBelow(path, arguments[index])) break;
  }
  return std::min(index, arguments.size() - 1);
}

// The index in `arguments` for each profile.
std::vector<std::size_t> ArgumentsOf(const std::vector<Profile>& profiles,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::size_t> out;
  for (const Profile& profile : profiles) out.push_back(ArgumentOf(profile, arguments));
  return out;
}

// True if each argument is a run: two profiles record the same rank, or a folder of several ranks
// is beside other arguments.
bool IsEachArgumentARun(const std::vector<Profile>& profiles,
                        const std::vector<std::size_t>& origin) {
  const std::set<std::size_t> arguments(origin.begin(), origin.end());
  if (arguments.size() < 2) return false;
  if (arguments.size() < profiles.size()) return true;
  std::set<std::int64_t> ranks;
  return std::any_of(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    const std::int64_t rank = profile.distributed.rank;
    return rank >= 0 && !ranks.insert(rank).second;
  });
}

// True if every run of the baseline has one rank, so that files without a stated rank are runs.
// Unknown without runs.
std::optional<bool> HaveOneRank(std::span<const gate::Snapshot> runs) {
  if (runs.empty()) return std::nullopt;
  return std::all_of(runs.begin(), runs.end(), [](const gate::Snapshot& run) {
    const std::string_view ranks = run.Environment("world_size");
    return ranks == "1" || (ranks.empty() && gate::IsOfTimes(run));
  });
}

// The profiles of each file, in the order of the arguments. Files below one folder keep their
// order: the sort is stable and compares only arguments.
std::vector<std::vector<Profile>> ByFile(std::vector<Profile> profiles,
                                         const std::vector<std::string>& arguments) {
  std::vector<std::vector<Profile>> files;
  for (Profile& profile : profiles) {
    const auto same = std::find_if(files.begin(), files.end(), [&](const auto& file) {
      return file.front().source.path == profile.source.path;
    });
    (same == files.end() ? files.emplace_back() : *same).push_back(std::move(profile));
  }
  std::stable_sort(files.begin(), files.end(), [&](const auto& a, const auto& b) {
    return ArgumentOf(a.front(), arguments) < ArgumentOf(b.front(), arguments);
  });
  return files;
}

// Makes one run of each argument that has profiles. `origin` comes from ArgumentsOf().
std::vector<Candidate> ByArgument(std::vector<Profile> profiles,
                                  const std::vector<std::size_t>& origin,
                                  const std::vector<std::string>& arguments) {
  std::vector<Candidate> runs;
  for (const std::string& argument : arguments) runs.push_back({RunName({argument}), {}});
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    runs[origin[i]].ranks.push_back(std::move(profiles[i]));
  }
  std::erase_if(runs, [](const Candidate& run) { return run.ranks.empty(); });
  return runs;
}

// Splits profiles into runs. `may_be_several`: there may be several runs; `have_one_rank`: each of
// them has one rank, if that is known. First, each argument may be a run. Then, in one argument,
// each file may be a run if nothing states the ranks, and each has one rank, or they cannot be one
// run. Only the rest is checked to be one run, because CheckOneRun() would reject files of several
// runs.
Result<std::vector<Candidate>> Split(std::vector<Profile> profiles,
                                     const std::vector<std::string>& arguments, bool may_be_several,
                                     std::optional<bool> have_one_rank, readers::RanksFrom from) {
  std::vector<Candidate> candidates;
  const auto add_files = [&](std::vector<Profile> several) {
    for (std::vector<Profile>& file : ByFile(std::move(several), arguments)) {
      const std::string name = RunName({file.front().source.path});
      candidates.push_back({name, std::move(file)});
    }
  };
  if (from == readers::RanksFrom::kNothing) {
    add_files(std::move(profiles));
    return candidates;
  }
  const auto origin = ArgumentsOf(profiles, arguments);
  std::vector<Candidate> runs;
  if (may_be_several && IsEachArgumentARun(profiles, origin)) {
    runs = ByArgument(std::move(profiles), origin, arguments);
  } else {
    runs.push_back({RunName(arguments), std::move(profiles)});
  }
  for (Candidate& run : runs) {
    if (may_be_several && !readers::AreRanksKnown(run.ranks) &&
        have_one_rank.value_or(!readers::CheckMayBeOneRun(run.ranks, ""))) {
      add_files(std::move(run.ranks));
      continue;
    }
    PROFGAUGE_CHECK(readers::CheckOneRun(run.ranks, ""));
    candidates.push_back(std::move(run));
  }
  return candidates;
}

}  // namespace

Result<std::vector<Candidate>> SplitCandidates(std::vector<Profile> profiles,
                                               const std::vector<std::string>& arguments,
                                               bool is_compared,
                                               std::span<const gate::Snapshot> baselines,
                                               readers::RanksFrom from) {
  return Split(std::move(profiles), arguments, is_compared, HaveOneRank(baselines), from);
}

Result<std::vector<Candidate>> SplitRuns(std::vector<Profile> profiles,
                                         const std::vector<std::string>& arguments,
                                         readers::RanksFrom from) {
  return Split(std::move(profiles), arguments, true, true, from);
}

namespace {

// The name of a rank in the verdict, without folders.
std::string NameOfRank(const Profile& profile) {
  const std::string file = std::filesystem::path(profile.source.path).filename().string();
  const std::string rank = fmt::format("rank {}", profile.distributed.rank);
  return file.empty() ? rank : fmt::format("{} ({})", rank, file);
}

}  // namespace

bool AreListed(std::span<const Profile> ranks) {
  if (ranks.size() < 2) return false;
  return std::any_of(ranks.begin(), ranks.end(), [](const Profile& rank) {
    return std::ranges::any_of(rank.facts, [](const auto& fact) {
      return fact.first == readers::kRanksGivenBy && fact.second == readers::kByOrder;
    });
  });
}

Status FailWithEach(std::span<const Profile> ranks, const analysis::Selection& selection,
                    const rules::Policy& policy, const rules::Rulebook& rules,
                    bool allow_incomplete, gate::Verdict& verdict) {
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::span<const Profile> one = ranks.subspan(i, 1);
    PROFGAUGE_TRY(analysis::Replayable alone, analysis::AnalyzeForReplay(one, selection));
    rules.Predict(alone.replayer.get(), alone.analysis);
    const auto simulations = rules::SimulationsOf(alone.replayer.get());
    const rules::Evaluation evaluation = rules.Evaluate(
        alone.analysis, rules::CollectFacts(one, alone.analysis), false, simulations.get(), [] {});
    const gate::Verdict own = gate::Judge(
        policy, alone.analysis, ranks[i].log,
        gate::JudgeOptions{.allow_incomplete = allow_incomplete, .evaluation = &evaluation});
    if (own.status != gate::VerdictStatus::kFail || own.reasons.empty()) continue;
    failures.push_back(NameOfRank(ranks[i]) + " fails by itself: " + own.reasons.front());
  }
  if (failures.empty()) return {};
  verdict.errors += static_cast<std::int64_t>(failures.size());
  verdict.status = gate::VerdictStatus::kFail;
  verdict.reasons.insert(verdict.reasons.begin(), std::make_move_iterator(failures.begin()),
                         std::make_move_iterator(failures.end()));
  return {};
}

}  // namespace profgauge
