#include "readers/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/text.h"
#include "model/certificate.h"
#include "model/summary/summary.h"
#include "readers/load.h"
#include "readers/one_run.h"

namespace profgauge::readers {
namespace {

/// A path as alternating texts and numbers: "a/rank", "0", "_trace.json".
struct NameParts {
  std::vector<std::string_view> texts, numbers;  // texts[i] precedes numbers[i]; one text more.
};

// "r0/x12.json" has the texts "r", "/x", ".json" and the numbers "0", "12". Each number has a text
// before and after it, which may be empty.
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

/// Words before a rank's number, the most reliable first. They are used by torchtitan, Megatron,
/// Composer, TensorBoard's handler, Accelerate ("profile_0.json"), SGLang ("TP-0") and vLLM
/// ("dp0_pp0_tp1_dcp0_ep1_rank1").
constexpr std::string_view kRankWords[] = {"rank", "worker", "profile", "tp",  "ep", "dp",
                                           "dcp",  "cp",     "sp",      "etp", "pp"};
/// Dimensions of the ranks' grid, the fastest one last; used if no single word numbers the ranks.
constexpr std::string_view kGrid[] = {"pp", "dp", "ep", "dcp", "cp", "etp", "sp", "tp"};

/// Words whose numbers differ between runs, or between times in one run.
constexpr std::string_view kRunWords[] = {"iteration", "iter", "step",    "epoch",     "run",
                                          "exp",       "job",  "attempt", "experiment"};

/// The word of kRankWords or kRunWords directly before a number; otherwise empty.
std::string_view WordOf(std::string_view text) {
  const std::size_t last = text.find_last_not_of("-_");
  if (last == text.npos) return {};
  std::size_t begin = last + 1;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  std::string word(text.substr(begin, last + 1 - begin));
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::span<const std::string_view> words :
       {std::span<const std::string_view>(kRankWords),
        std::span<const std::string_view>(kRunWords)}) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return *found;
  }
  return {};
}

/// True for a time (s, ms or ns since 1970), which tools write after the rank's number.
/// TensorBoard's handler writes a time of any clock before ".pt.trace.json".
bool IsTime(const NameParts& name, std::size_t i) {
  return name.numbers[i].size() >= 10 || name.texts[i + 1].starts_with(".pt.trace.json");
}

using Numbers = std::vector<std::int64_t>;

/// Numbers that differ between names, at one position or after one word.
struct NameColumn {
  std::string_view word;  ///< Empty: not a rank's word.
  Numbers numbers;
};

bool AreDistinct(const Numbers& numbers) {
  return std::set<std::int64_t>(numbers.begin(), numbers.end()).size() == numbers.size();
}

/// The columns of numbers that differ, except for times. Nothing if a number is too long, a column
/// has a word of kRunWords, or the columns of one word disagree ("tp0_tp1").
std::optional<std::vector<NameColumn>> ColumnsOf(const std::vector<NameParts>& names) {
  std::vector<NameColumn> columns;
  for (std::size_t i = 0; i < names.front().numbers.size(); ++i) {
    const bool differs = std::any_of(names.begin(), names.end(), [&](const NameParts& name) {
      return name.numbers[i] != names.front().numbers[i];
    });
    const std::string_view word = WordOf(names.front().texts[i]);
    const bool is_time = std::any_of(names.begin(), names.end(),
                                     [&](const NameParts& name) { return IsTime(name, i); });
    if (!differs || (is_time && word.empty())) continue;
    if (std::find(std::begin(kRunWords), std::end(kRunWords), word) != std::end(kRunWords)) {
      return std::nullopt;
    }
    NameColumn column{word, {}};
    for (const NameParts& name : names) {
      const std::string_view digits = name.numbers[i];
      std::int64_t number = 0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (parsed.ec != std::errc{}) return std::nullopt;
      column.numbers.push_back(number);
    }
    const auto known = std::find_if(columns.begin(), columns.end(), [&](const NameColumn& other) {
      return !word.empty() && other.word == word;
    });
    if (known == columns.end()) {
      columns.push_back(std::move(column));
    } else if (known->numbers != column.numbers) {
      return std::nullopt;  // Two "rank" numbers that differ are unusable.
    }
  }
  return columns;
}

/// The rank of each name if the numbers of all names fill a grid:
///
///   tp0_pp0, tp1_pp0, tp0_pp1, tp1_pp1     0 1 2 3: tp changes fastest
std::optional<Numbers> RanksOfGrid(const std::vector<NameColumn>& columns, std::size_t count) {
  Numbers ranks(count, 0);
  std::size_t used = 0, size = 1;
  for (const std::string_view word : kGrid) {
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [word](const NameColumn& of) { return of.word == word; });
    if (column == columns.end()) continue;
    const std::set<std::int64_t> values(column->numbers.begin(), column->numbers.end());
    size *= values.size();
    ++used;
    for (std::size_t i = 0; i < count; ++i) {
      const auto place = std::distance(values.begin(), values.find(column->numbers[i]));
      ranks[i] = ranks[i] * static_cast<std::int64_t>(values.size()) + place;
    }
  }
  if (used != columns.size() || size != count || !AreDistinct(ranks)) return std::nullopt;
  return ranks;
}

/// Makes a path absolute, so that "./rank0.json" and "rank1.json" differ only in the number.
std::string Normal(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

bool IsOfOneFile(const std::vector<Profile>& profiles) {
  return std::all_of(profiles.begin(), profiles.end(), [&](const Profile& profile) {
    return profile.source.path == profiles.front().source.path;
  });
}

// Compares only with the first profile: names are the evidence, this looks for contradictions.
bool MayBeOneRun(const std::vector<Profile>& profiles) {
  const auto is_other = [&](const Profile& profile) {
    return WhyOfDifferentRuns(profiles.front(), profile).has_value();
  };
  return std::none_of(profiles.begin() + 1, profiles.end(), is_other);
}

// Sets the rank. A summary also has it in a table that is written out again, so sets it there, too.
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

// Uses the names of all files or of no file: one unusable name makes all of them unreliable.
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

/// The sizes of the process groups that have several ranks.
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

/// True if all profiles have a common process group of at least as many ranks. This is also true
/// for several runs of one program, whose times CheckMayBeOneRun(), called earlier, compares.
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

/// True if each profile is of a different NeuronCore.
bool AreOfDifferentCores(const std::vector<Profile>& profiles) {
  // `name` is the key of neuron-profile, `later` that of schema 7.4.0.
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

/// True if all files are in one plugins/profile/TIME, where XLA's tools write a file per host of a
/// session.
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
  for (const NameParts& name : names) {
    if (name.texts != names.front().texts) return std::nullopt;
  }
  const auto columns = ColumnsOf(names);
  if (!columns) return std::nullopt;
  for (const std::string_view word : kRankWords) {
    const auto column = std::find_if(columns->begin(), columns->end(),
                                     [word](const NameColumn& of) { return of.word == word; });
    if (column == columns->end()) continue;
    if (AreDistinct(column->numbers)) return column->numbers;
    if (word == "rank") return std::nullopt;  // Local ranks of several nodes, or several runs.
  }
  return RanksOfGrid(*columns, names.size());
}

void GiveRanks(std::vector<Profile>& profiles, RanksFrom from) {
  if (profiles.size() < 2 || from == RanksFrom::kNothing) return;
  if (from == RanksFrom::kRecorded) return GiveRanksByName(profiles);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].distributed.rank >= 0) continue;
    SetRank(static_cast<std::int64_t>(i), kByOrder, profiles[i]);
  }
}

// Leaves out a profile only if all of this is true, so that a rank which lost its kernels stays: it
// has no kernels, launches and rank; others have kernels and all ranks; its name is unlike theirs.
std::vector<std::string> LeaveOutCoordinators(std::vector<Profile>& profiles) {
  const auto may_be = [](const Profile& profile) {
    const auto& calls = profile.api.kind;
    return profile.has_timeline && !IsSummary(profile) && profile.device.size() == 0 &&
           profile.distributed.rank < 0 &&
           std::find(calls.begin(), calls.end(), ApiKind::kLaunch) == calls.end();
  };
  std::vector<std::string> left_out;
  const auto first = std::stable_partition(
      profiles.begin(), profiles.end(), [&](const Profile& profile) { return !may_be(profile); });
  if (first == profiles.begin() || first == profiles.end()) return left_out;
  std::vector<Profile> others(std::make_move_iterator(first),
                              std::make_move_iterator(profiles.end()));
  profiles.erase(first, profiles.end());
  GiveRanksByName(profiles);
  std::set<std::int64_t> ranks;
  std::int64_t world = -1;
  bool have_work = true;
  for (const Profile& profile : profiles) {
    have_work = have_work && profile.device.size() > 0 && profile.distributed.rank >= 0;
    ranks.insert(profile.distributed.rank);
    world = std::max(world, profile.distributed.world_size);
  }
  const auto count = static_cast<std::int64_t>(profiles.size());
  const bool are_complete = have_work && static_cast<std::int64_t>(ranks.size()) == count &&
                            *ranks.rbegin() == count - 1 &&
                            (world < 0 ? count > 1 : world == count);
  for (Profile& other : others) {
    if (are_complete && !HasNameLike(other.source.path, profiles)) {
      left_out.push_back(
          fmt::format("{}: host events only, beside {} of a world of {}", other.source.path,
                      count == 1 ? "1 rank" : fmt::format("{} ranks", count), count));
    } else {
      profiles.push_back(std::move(other));
    }
  }
  return left_out;
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
