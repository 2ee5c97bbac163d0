#include "cli/find_runs.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "base/errors.h"
#include "base/text.h"
#include "cli/profile_search.h"
#include "readers/one_run.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

// Matches "WORKER.TIME.pt.trace.json". The path may have line breaks.
const re2::RE2& WorkerName() {
  static const re2::RE2 kName(R"((?s)(.*/)?([^/]+)\.\d{10,19}\.pt\.trace\.json(?:\.gz)?)");
  return kName;
}

/// The run of a profile without a rank in its name: all hosts of one session are one run; of files
/// WORKER.TIME, the i-th file of each worker is in run i; any other profile is a run by itself.
std::string RunOfPlain(const FoundProfile& profile,
                       const std::map<std::string, std::int64_t>& position) {
  static const re2::RE2 kSession(R"re((?s).*/plugins/profile/[^/]+/[^/]+\.xplane\.pb)re");
  const std::string folder = fs::path(profile.path).parent_path().string();
  if (re2::RE2::FullMatch(profile.path, kSession)) return folder + "/*";
  const auto place = position.find(profile.path);
  if (place == position.end() || !profile.named.rank) return profile.path;
  return fmt::format("{}/*#{}", folder, place->second);
}

/// The position of each file among those of its folder and worker, sorted by name, which ends with
/// the time. Files at one position belong to one run of these workers.
///
///   w0.1700.pt.trace.json   0        w1.1702.pt.trace.json   0     -> run 0
///   w0.1800.pt.trace.json   1        w1.1801.pt.trace.json   1     -> run 1
std::map<std::string, std::int64_t> PositionsOf(const std::vector<FoundProfile>& profiles) {
  std::map<std::string, std::int64_t> counts, positions;
  for (const FoundProfile& profile : profiles) {
    std::string folder, worker;
    if (re2::RE2::FullMatch(profile.path, WorkerName(), &folder, &worker)) {
      positions[profile.path] = counts[folder + worker]++;
    }
  }
  return positions;
}

// The command that judges a run. It names the folder only if that has no other profiles, because
// `check` would read those as ranks, too.
std::string CommandOf(const FoundRun& run, std::size_t profiles_in_folder) {
  const fs::path folder = fs::path(run.files.front()).parent_path();
  const bool together = std::all_of(run.files.begin(), run.files.end(), [&](const auto& file) {
    return fs::path(file).parent_path() == folder;
  });
  if (together && profiles_in_folder == run.files.size()) {
    const std::string& only = run.files.size() == 1 ? run.files.front() : folder.string();
    return "profgauge check " + readers::AsShellWord(only);
  }
  std::string command = "profgauge check";
  for (const std::string& file : run.files) command += " " + readers::AsShellWord(file);
  return command;
}

/// The run of ranks that ended at different times: "run/worker*_step_12.*.pt.trace.json". Further
/// runs of the same workers are numbered.
std::string RunOfWorkers(const FoundProfile& profile, std::int64_t position) {
  static const re2::RE2 kTime(R"(\.\d{10,19}(\.pt\.trace\.json(?:\.gz)?)$)");
  std::string run = profile.named.run;
  if (re2::RE2::Replace(&run, kTime, R"(.*\1)") && position > 0)
    run += fmt::format("#{}", position);
  return run;
}

using Runs = std::map<std::string, std::vector<const FoundProfile*>>;

/// Joins folders that a launcher wrote for each host: runs of neighboring folders are one run if
/// their files record ranks of one world size, each rank once, and all ranks are present.
void JoinNodes(Runs& by_run) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::string>> nodes;
  for (const auto& [run, members] : by_run) {
    const FoundProfile& first = *members.front();
    const fs::path above = fs::path(first.path).parent_path().parent_path();
    const bool is_part =
        first.world_size && std::all_of(members.begin(), members.end(), [&](const auto* member) {
          return member->world_size == first.world_size && member->named.rank;
        });
    if (is_part && static_cast<std::int64_t>(members.size()) < *first.world_size) {
      nodes[{above.string(), *first.world_size}].push_back(run);
    }
  }
  for (const auto& [key, runs] : nodes) {
    std::set<std::int64_t> ranks;
    std::set<fs::path> folders;
    std::vector<const FoundProfile*> all;
    for (const std::string& run : runs) {
      folders.insert(fs::path(by_run[run].front()->path).parent_path());
      for (const FoundProfile* member : by_run[run]) {
        ranks.insert(*member->named.rank);
        all.push_back(member);
      }
    }
    const bool are_all = static_cast<std::int64_t>(ranks.size()) == key.second &&
                         ranks.size() == all.size() && *ranks.rbegin() == key.second - 1;
    if (!are_all || folders.size() != runs.size()) continue;
    for (const std::string& run : runs) by_run.erase(run);
    by_run[key.first + "/*"] = std::move(all);
  }
}

/// The profiles of each run, by their names or else by their contents: files of one folder that
/// record different ranks of one world size are one run. If a rank is recorded twice, it is unknown
/// which files belong together, so each is a run.
std::map<std::string, std::vector<const FoundProfile*>> ByRun(
    const std::vector<FoundProfile>& profiles) {
  const auto positions = PositionsOf(profiles);
  std::map<std::string, std::vector<const FoundProfile*>> by_run, recorded;
  for (const FoundProfile& profile : profiles) {
    const bool is_named = profile.named.run != profile.path;
    const auto position = positions.find(profile.path);
    const std::string run = !is_named                     ? RunOfPlain(profile, positions)
                            : position == positions.end() ? profile.named.run
                                                          : RunOfWorkers(profile, position->second);
    if (run == profile.path && profile.named.rank && profile.world_size) {
      const std::string folder = fs::path(profile.path).parent_path().string();
      recorded[fmt::format("{}/*#of{}", folder, *profile.world_size)].push_back(&profile);
    } else {
      by_run[run].push_back(&profile);
    }
  }
  for (auto& [run, members] : recorded) {
    std::set<std::int64_t> ranks;
    for (const FoundProfile* member : members) ranks.insert(*member->named.rank);
    if (ranks.size() == members.size()) {
      by_run[members.size() == 1 ? members.front()->path : run] = std::move(members);
    } else {
      for (const FoundProfile* member : members) by_run[member->path].push_back(member);
    }
  }
  JoinNodes(by_run);
  return by_run;
}

std::int64_t ChangedAt(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  return error ? 0 : time.time_since_epoch().count();
}

/// The key for the order of runs, latest last: the time in the name, the step, then the files'
/// modification time, which copying changes.
auto OrderOf(const FoundRun& run) {
  std::int64_t changed = 0;
  for (const std::string& file : run.files) changed = std::max(changed, ChangedAt(file));
  return std::tuple(run.time.value_or(0), run.step.value_or(-1), changed, run.name);
}

// Groups profiles into runs, sorts ranks in each run, then runs by OrderOf(). Names of runs are
// relative to `folder`.
FoundRuns Grouped(const FoundProfiles& profiles, const std::string& folder) {
  std::map<std::string, std::size_t> in_folder;
  for (const FoundProfile& profile : profiles.profiles) {
    ++in_folder[fs::path(profile.path).parent_path().string()];
  }
  using Ordered = std::pair<decltype(OrderOf(FoundRun())), FoundRun>;
  std::vector<Ordered> runs;
  for (auto& [name, members] : ByRun(profiles.profiles)) {
    std::vector<const FoundProfile*> ranks = members;
    std::stable_sort(ranks.begin(), ranks.end(), [](const auto* a, const auto* b) {
      return a->named.rank.value_or(-1) < b->named.rank.value_or(-1);
    });
    FoundRun run;
    run.name = fs::path(name).lexically_relative(folder).generic_string();
    run.format = ranks.front()->format;
    for (const FoundProfile* member : ranks) {
      run.files.push_back(member->path);
      if (member->named.rank) run.ranks.push_back(*member->named.rank);
      if (member->world_size) run.world_size = member->world_size;
      if (member->named.step) run.step = member->named.step;
      if (member->named.time) run.time = std::max(run.time.value_or(0), *member->named.time);
    }
    run.command = CommandOf(run, in_folder[fs::path(run.files.front()).parent_path().string()]);
    auto order = OrderOf(run);
    runs.emplace_back(std::move(order), std::move(run));
  }
  std::sort(runs.begin(), runs.end(),
            [](const Ordered& a, const Ordered& b) { return a.first < b.first; });
  FoundRuns found{{}, profiles.others, profiles.is_whole};
  for (Ordered& run : runs) found.runs.push_back(std::move(run.second));
  return found;
}

}  // namespace

std::optional<bool> FoundRun::IsComplete() const {
  if (!world_size) return std::nullopt;
  const std::set<std::int64_t> distinct(ranks.begin(), ranks.end());
  return static_cast<std::int64_t>(distinct.size()) == *world_size;
}

Result<FoundRuns> FindRuns(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    const bool is_file = fs::exists(folder, error);
    return Fail(InputError(
        folder, "input/missing", is_file ? "a file, expected a folder" : "no such folder",
        "`--part` lists the runs below a folder; without it `inspect` shows a file"));
  }
  return Grouped(FindProfiles({folder}), folder);
}

FoundRuns FindRunsAmong(const std::vector<std::string>& paths) {
  return Grouped(FindProfiles(paths), ".");
}

std::vector<std::string> FilesOfOnlyRun(const std::string& folder) {
  const Result<FoundRuns> found = FindRuns(folder);
  const bool is_only = found && found->is_whole && found->runs.size() == 1;
  return is_only ? found->runs.front().files : std::vector<std::string>();
}

// The error names the three latest runs, because a user whose training writes a folder per step
// usually means these.
Error NotOneRun(const FoundRuns& found, const std::string& folder) {
  constexpr std::size_t kCommands = 3;
  if (found.runs.empty()) {
    Error error = InputError(folder, "input/no-profiles", "the folder contains no profile",
                             "name the folder to which the profiler wrote; expected files like "
                             "worker0.pt.trace.json.gz in it");
    for (const auto& [path, what] : found.others) {
      error.notes.push_back(fmt::format("note: {}: {}", Printable(path), Printable(what)));
    }
    return error;
  }
  if (found.runs.size() == 1) {
    return InputError(folder, "input/too-many-names",
                      fmt::format("more than {} names are below the folder: whether {} is its only "
                                  "run is unknown",
                                  kMostNames, Printable(found.runs.front().name)),
                      fmt::format("to judge this run: {}", found.runs.front().command));
  }
  Error error = InputError(folder, "input/several-runs",
                           fmt::format("the folder has {} runs below it", found.runs.size()));
  const std::size_t first = found.runs.size() > kCommands ? found.runs.size() - kCommands : 0;
  for (std::size_t i = first; i < found.runs.size(); ++i) {
    error.notes.push_back("help: " + found.runs[i].command);
  }
  const bool is_ordered = std::all_of(found.runs.begin(), found.runs.end(), [](const auto& run) {
    return run.time.has_value() || run.step.has_value();
  });
  error.notes.push_back(fmt::format("help: {}`profgauge inspect {}` lists all",
                                    is_ordered ? "the last is the latest; " : "",
                                    readers::AsShellWord(folder)));
  return error;
}

Result<Part> ParsePart(const std::string& text) {
  Part part;
  if (text.empty()) return part;
  const std::size_t slash = text.find('/');
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, part.index);
  const bool has_index =
      index.ec == std::errc() && slash != std::string::npos && index.ptr == text.data() + slash;
  const auto count = has_index ? std::from_chars(index.ptr + 1, end, part.count)
                               : std::from_chars_result{end, std::errc::invalid_argument};
  if (count.ec == std::errc() && count.ptr == end && part.index < part.count) return part;
  return Fail(UsageError("usage/bad-value",
                         fmt::format("option `--part` needs I/N with I from 0 to N - 1, found `{}`",
                                     Printable(text))));
}

}  // namespace profgauge::cli
