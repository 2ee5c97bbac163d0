#include "cli/find_runs.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <system_error>
#include <tuple>

#include "base/byte_source.h"
#include "base/errors.h"
#include "base/text.h"
#include "cli/run_name.h"
#include "readers/detect.h"
#include "readers/one_run.h"
#include "readers/reader.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 6;
constexpr std::size_t kMostNames = 100'000, kSniffedBytes = 64 << 10, kOthersNamed = 5;

/// A file that is a profile.
struct FoundProfile {
  std::string path, format;
  NamedProfile named;
  std::optional<std::int64_t> world_size;
};

std::string HeadOf(ByteSource& source) {
  std::string head(kSniffedBytes, '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    const auto got = source.Read(std::as_writable_bytes(std::span(head).subspan(have)));
    if (!got || *got == 0) break;
    have += *got;
  }
  head.resize(have);
  return head;
}

/// A profile, or what the file is instead.
Result<FoundProfile> Sniffed(const std::string& path) {
  PROFGAUGE_TRY(auto source, OpenByteSource(path));
  const std::string head = HeadOf(*source);
  PROFGAUGE_TRY(const Reader* reader,
                FindReader(path, std::as_bytes(std::span(head)), source->compressed()));
  FoundProfile profile{path, std::string(reader->name()), ParseProfilePath(path), {}};
  // Traces say it near their beginning: rank and size of the world in one small object.
  static const re2::RE2 kRank(R"re("distributedInfo"\s*:\s*\{[^{}]*"rank"\s*:\s*(\d+))re");
  static const re2::RE2 kWorld(R"re("distributedInfo"\s*:\s*\{[^{}]*"world_size"\s*:\s*(\d+))re");
  std::int64_t number = 0;
  if (re2::RE2::PartialMatch(head, kRank, &number)) profile.named.rank = number;
  if (re2::RE2::PartialMatch(head, kWorld, &number)) profile.world_size = number;
  return profile;
}

void Walk(const fs::path& folder, std::vector<FoundProfile>& profiles, FoundRuns& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  std::size_t seen = 0;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++seen > kMostNames) {
      found.is_whole = false;
      break;
    }
    const bool is_hidden = at->path().filename().string().starts_with('.');
    if (at->is_directory(error) && (is_hidden || at.depth() + 1 >= kDeepest)) {
      at.disable_recursion_pending();
    }
    if (is_hidden || at->is_symlink(error) || !at->is_regular_file(error)) continue;
    auto profile = Sniffed(at->path().string());
    if (profile) {
      profiles.push_back(*std::move(profile));
    } else if (found.others.size() < kOthersNamed) {
      found.others.emplace_back(at->path().string(), profile.error().message);
    }
  }
  std::sort(profiles.begin(), profiles.end(),
            [](const FoundProfile& a, const FoundProfile& b) { return a.path < b.path; });
}

/// The run that a profile without a rank in its name is of, among those of its folder. The files of
/// hosts of one session are one run; of names WORKER.TIME the i-th of each worker is of run i.
std::string RunOfPlain(const FoundProfile& profile,
                       const std::map<std::string, std::int64_t>& position) {
  static const re2::RE2 kSession(R"re(.*/plugins/profile/[^/]+/[^/]+\.xplane\.pb)re");
  static const re2::RE2 kWorker(R"((.*/)?([^/]+)\.\d{10,19}\.pt\.trace\.json(?:\.gz)?)");
  const std::string folder = fs::path(profile.path).parent_path().string();
  if (re2::RE2::FullMatch(profile.path, kSession)) return folder + "/*";
  if (!re2::RE2::FullMatch(profile.path, kWorker) || !profile.named.rank) return profile.path;
  return fmt::format("{}/*#{}", folder, position.at(profile.path));
}

/// Of each file its place among those of the same folder and worker.
std::map<std::string, std::int64_t> PositionsOf(const std::vector<FoundProfile>& profiles) {
  static const re2::RE2 kWorker(R"((.*)\.\d{10,19}\.pt\.trace\.json(?:\.gz)?)");
  std::map<std::string, std::int64_t> counts, positions;
  for (const FoundProfile& profile : profiles) {
    std::string worker;
    if (re2::RE2::FullMatch(profile.path, kWorker, &worker)) {
      positions[profile.path] = counts[worker]++;
    }
  }
  return positions;
}

std::string CommandOf(const FoundRun& run, std::size_t profiles_in_folder) {
  const fs::path folder = fs::path(run.files.front()).parent_path();
  const bool together = std::all_of(run.files.begin(), run.files.end(), [&](const auto& file) {
    return fs::path(file).parent_path() == folder;
  });
  if (together && profiles_in_folder == run.files.size()) {
    const std::string& only = run.files.size() == 1 ? run.files.front() : folder.string();
    return "profgauge check " + AsShellWord(only);
  }
  std::string command = "profgauge check";
  for (const std::string& file : run.files) command += " " + AsShellWord(file);
  return command;
}

void GroupProfiles(const std::string& folder, const std::vector<FoundProfile>& profiles,
                   FoundRuns& found) {
  const auto positions = PositionsOf(profiles);
  std::map<std::string, std::vector<const FoundProfile*>> by_run;
  std::map<std::string, std::size_t> in_folder;
  for (const FoundProfile& profile : profiles) {
    const bool is_named = profile.named.run != profile.path;
    by_run[is_named ? profile.named.run : RunOfPlain(profile, positions)].push_back(&profile);
    ++in_folder[fs::path(profile.path).parent_path().string()];
  }
  for (auto& [name, members] : by_run) {
    std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
      return a->named.rank.value_or(-1) < b->named.rank.value_or(-1);
    });
    FoundRun run;
    run.name = fs::path(name).lexically_relative(folder).generic_string();
    run.format = members.front()->format;
    for (const FoundProfile* member : members) {
      run.files.push_back(member->path);
      if (member->named.rank) run.ranks.push_back(*member->named.rank);
      if (member->world_size) run.world_size = member->world_size;
      if (member->named.step) run.step = member->named.step;
      if (member->named.time) run.time = std::max(run.time.value_or(0), *member->named.time);
    }
    run.command = CommandOf(run, in_folder[fs::path(run.files.front()).parent_path().string()]);
    found.runs.push_back(std::move(run));
  }
  std::stable_sort(found.runs.begin(), found.runs.end(), [](const FoundRun& a, const FoundRun& b) {
    return std::tuple(a.time.value_or(0), a.step.value_or(-1)) <
           std::tuple(b.time.value_or(0), b.step.value_or(-1));
  });
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
    return Fail(InputError(folder, "input/missing", "there is no such folder",
                           "`profgauge find` looks below a folder; `inspect` takes a file"));
  }
  FoundRuns found;
  std::vector<FoundProfile> profiles;
  Walk(folder, profiles, found);
  GroupProfiles(folder, profiles, found);
  return found;
}

Result<FoundRun> RunOfStep(const FoundRuns& found, const std::string& folder,
                           const std::string& step) {
  if (step == "latest" && !found.runs.empty()) return found.runs.back();
  std::string steps;
  for (const FoundRun& run : found.runs) {
    if (run.step && std::to_string(*run.step) == step) return run;
    if (run.step) steps += fmt::format("{}{}", steps.empty() ? "" : ", ", *run.step);
  }
  return Fail(InputError(folder, "input/no-step",
                         fmt::format("no run of step `{}` lies here", Printable(step)),
                         steps.empty() ? "no name states a step; `profgauge find` lists the runs"
                                       : "there are the steps " + steps));
}

Error NotOneRun(const FoundRuns& found, const std::string& folder) {
  constexpr std::size_t kCommands = 8;
  if (found.runs.empty()) {
    Error error = InputError(folder, "input/no-profiles", "the folder contains no profile",
                             "expected files like worker0.pt.trace.json.gz in it");
    for (const auto& [path, what] : found.others) {
      error.notes.push_back(fmt::format("note: {}: {}", Printable(path), Printable(what)));
    }
    return error;
  }
  Error error = InputError(folder, "input/several-runs",
                           fmt::format("{} runs lie below the folder", found.runs.size()));
  const std::size_t first = found.runs.size() > kCommands ? found.runs.size() - kCommands : 0;
  for (std::size_t i = first; i < found.runs.size(); ++i) {
    error.notes.push_back("help: " + found.runs[i].command);
  }
  error.notes.push_back(fmt::format(
      "help: the last is the latest: --step latest takes it; `profgauge find {}` lists all",
      AsShellWord(folder)));
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
