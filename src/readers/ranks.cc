#include "readers/ranks.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "model/certificate.h"
#include "model/summary/summary.h"
#include "readers/one_run.h"

namespace profgauge::readers {
namespace {

/// A path as alternating texts and numbers: "a/rank", "0", "_trace.json".
struct NameParts {
  std::vector<std::string_view> texts, numbers;  // texts[i] precedes numbers[i]; one text more.
};

// "r0/x12.json": texts "r", "/x", ".json", numbers "0", "12". There is a text before and after each
// number, which may be empty.
NameParts PartsOfName(std::string_view path) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  NameParts parts;
  for (std::size_t at = 0;;) {
    std::size_t end = at;
    while (end < path.size() && !is_digit(path[end])) ++end;
    parts.texts.push_back(path.substr(at, end - at));
    if (end == path.size()) return parts;
    for (at = end; end < path.size() && is_digit(path[end]); ++end) {
    }
    parts.numbers.push_back(path.substr(at, end - at));
    at = end;
  }
}

/// Whether the text ends with a word that a rank's number follows: those of torchtitan, Megatron,
/// Composer, TensorBoard's handler, Accelerate ("profile_0.json") and SGLang ("TP-0").
bool EndsWithRankWord(std::string_view text) {
  static const RE2 word(R"((?i)(?:^|[^a-z])(?:rank|worker|profile|tp)[-_]*$)");
  return RE2::PartialMatch(text, word);
}

/// Seconds, ms or ns since 1970, which tools write after a rank's number. TensorBoard's handler
/// writes any clock before ".pt.trace.json".
bool IsTime(const NameParts& name, std::size_t i) {
  return name.numbers[i].size() >= 10 || name.texts[i + 1].starts_with(".pt.trace.json");
}

/// The one number in which the name differs from the others', as the rank that it states.
std::optional<std::int64_t> StatedRank(const NameParts& name, const std::vector<bool>& differs) {
  std::optional<std::int64_t> rank;
  for (std::size_t i = 0; i < name.numbers.size(); ++i) {
    if (!differs[i]) continue;
    const std::string_view digits = name.numbers[i];
    if (IsTime(name, i) && !EndsWithRankWord(name.texts[i])) continue;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || !EndsWithRankWord(name.texts[i])) return std::nullopt;
    if (rank && *rank != number) return std::nullopt;  // "node0/rank1": which of them?
    rank = number;
  }
  return rank;
}

/// So that "./rank0.json" and "rank1.json" differ only in the number.
std::string Normal(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

bool IsOfOneFile(const std::vector<Profile>& profiles) {
  return std::all_of(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    return profile.source.path == profiles.front().source.path;
  });
}

// Against the first only: names are evidence already, this looks for a contradiction.
bool MayBeOneRun(const std::vector<Profile>& profiles) {
  const auto is_other = [&](const Profile& profile) {
    return WhyOfDifferentRuns(profiles.front(), profile).has_value();
  };
  return std::none_of(profiles.begin() + 1, profiles.end(), is_other);
}

// A summary is a profile and a table: its table must say the same, since it is written out again.
void SetRank(std::int64_t rank, std::string_view by, Profile& profile) {
  profile.distributed.rank = rank;
  profile.facts.emplace_back(kRanksGivenBy, by);
  if (auto summary = SummaryOf(profile)) {
    summary->numbers["rank"] = {rank};
    summary->texts["fact.key"].emplace_back(kRanksGivenBy);
    summary->texts["fact.value"].emplace_back(by);
    profile = ProfileOfSummary(*summary, profile.source.path);
  }
}

// All or nothing: if one name is not to be trusted, none is.
void GiveRanksByName(std::vector<Profile>& profiles) {
  const auto is_known = [](const Profile& profile) { return profile.distributed.rank >= 0; };
  if (std::all_of(profiles.begin(), profiles.end(), is_known)) return;
  std::vector<std::string> paths;
  for (const Profile& profile : profiles) paths.push_back(Normal(profile.source.path));
  const auto ranks = RanksOfNames(paths);
  if (!ranks) return;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const DistributedInfo& info = profiles[i].distributed;
    if (is_known(profiles[i]) && info.rank != (*ranks)[i]) return;
    if (info.world_size >= 0 && (*ranks)[i] >= info.world_size) return;
  }
  if (!MayBeOneRun(profiles)) return;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (!is_known(profiles[i])) SetRank((*ranks)[i], "the names of the files", profiles[i]);
  }
}

using Groups = std::map<std::string_view, std::int64_t>;

/// Process groups with their sizes, of several ranks each.
Groups GroupsOf(const Profile& profile) {
  Groups groups;
  for (const Collective& collective : profile.collectives) {
    const std::string_view name = profile.Name(collective.group);
    if (!name.empty() && collective.group_size > 1) groups.emplace(name, collective.group_size);
  }
  for (const ProcessGroup& group : profile.distributed.groups) {
    if (!group.name.empty() && group.size > 1) groups.emplace(group.name, group.size);
  }
  return groups;
}

/// Whether all communicate in one process group that has room for all of them. Runs of one program,
/// whose groups are alike, pass as well: CheckMayBeOneRun(), which comes before, compares their
/// times.
bool ShareGroup(const std::vector<Profile>& profiles) {
  Groups common = GroupsOf(profiles.front());
  for (const Profile& profile : profiles) {
    const Groups groups = GroupsOf(profile);
    std::erase_if(common, [&](const auto& group) {
      const auto found = groups.find(group.first);
      return found == groups.end() || found->second != group.second;
    });
  }
  const auto count = static_cast<std::int64_t>(profiles.size());
  return std::any_of(common.begin(), common.end(),
                     [&](const auto& group) { return group.second >= count; });
}

/// Whether each records another NeuronCore.
bool AreOfDifferentCores(const std::vector<Profile>& profiles) {
  // As neuron-profile calls them, and schema 7.4.0.
  const auto fact = [](const Profile& profile, std::string_view name, std::string_view later) {
    const std::string_view found = FactOf(profile, name);
    return found.empty() ? FactOf(profile, later) : found;
  };
  std::set<std::pair<std::string_view, std::string_view>> cores;
  for (const Profile& profile : profiles) {
    const std::string_view device = fact(profile, "nd_idx", "neuron_device_idx");
    const std::string_view core = fact(profile, "nc_idx", "neuroncore_idx");
    if (device.empty() || core.empty() || !cores.emplace(device, core).second) return false;
  }
  return true;
}

/// plugins/profile/TIME: XLA's tools write a file of each host of one session into it.
bool ShareSession(const std::vector<Profile>& profiles) {
  namespace fs = std::filesystem;
  const fs::path session = fs::path(Normal(profiles.front().source.path)).parent_path();
  const fs::path above = session.parent_path();
  if (above.filename() != "profile" || above.parent_path().filename() != "plugins") return false;
  return std::all_of(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    return fs::path(Normal(profile.source.path)).parent_path() == session;
  });
}

}  // namespace

std::optional<std::vector<std::int64_t>> RanksOfNames(const std::vector<std::string>& paths) {
  if (paths.size() < 2) return std::nullopt;
  std::vector<NameParts> names;
  for (const std::string& path : paths) names.push_back(PartsOfName(path));
  std::vector<bool> differs(names.front().numbers.size(), false);
  for (const NameParts& name : names) {
    if (name.texts != names.front().texts) return std::nullopt;
    for (std::size_t i = 0; i < differs.size(); ++i) {
      differs[i] = differs[i] || name.numbers[i] != names.front().numbers[i];
    }
  }
  std::vector<std::int64_t> ranks;
  std::set<std::int64_t> seen;
  for (const NameParts& name : names) {
    const auto rank = StatedRank(name, differs);
    if (!rank || !seen.insert(*rank).second) return std::nullopt;
    ranks.push_back(*rank);
  }
  return ranks;
}

void GiveRanks(std::vector<Profile>& profiles, RanksFrom from) {
  if (profiles.size() < 2 || from == RanksFrom::kNothing) return;
  if (from == RanksFrom::kRecorded) return GiveRanksByName(profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].distributed.rank >= 0) continue;
    SetRank(static_cast<std::int64_t>(i), kByOrder, profiles[i]);
  }
}

bool AreRanksKnown(const std::vector<Profile>& profiles) {
  const auto is_known = [](const Profile& profile) { return profile.distributed.rank >= 0; };
  return profiles.size() < 2 || IsOfOneFile(profiles) ||
         std::all_of(profiles.begin(), profiles.end(), is_known) || ShareGroup(profiles) ||
         AreOfDifferentCores(profiles) || ShareSession(profiles);
}

Status CheckRanksKnown(const std::vector<Profile>& profiles, const std::string& where) {
  if (AreRanksKnown(profiles)) return {};
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> paths;
  for (const Profile& profile : profiles) {
    const std::string word = AsShellWord(profile.source.path);
    if (std::find(paths.begin(), paths.end(), word) == paths.end()) paths.push_back(word);
  }
  Error error = InputError(where, "input/ranks-unknown",
                           fmt::format("{} files may be ranks of one run or separate runs: no rank "
                                       "is recorded or named",
                                       paths.size()));
  const std::size_t named = std::min(paths.size(), kMostNamed);
  const std::string list = fmt::format(
      "{}", fmt::join(paths.begin(), paths.begin() + static_cast<std::ptrdiff_t>(named), " "));
  const std::string_view more = named < paths.size() ? " …" : "";
  error.notes.push_back(
      fmt::format("help: ranks 0, 1, … of one run: `profgauge check --ranks as-listed {}{}`",
                  where.empty() ? list : AsShellWord(where), where.empty() ? more : ""));
  for (std::size_t i = 0; i < named; ++i) {
    error.notes.push_back(fmt::format("help: for a separate run: `profgauge check {}`", paths[i]));
  }
  if (named < paths.size()) {
    error.notes.push_back(fmt::format("note: and {} more", paths.size() - named));
  }
  error.notes.emplace_back("help: runs of one program: compare them with `--baseline FILE`");
  return Fail(std::move(error));
}

}  // namespace profgauge::readers
