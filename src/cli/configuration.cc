#include "cli/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "base/errors.h"
#include "base/files.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/commands.h"
#include "rules/policy.h"

namespace profgauge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNames[] = {"profgauge.yaml", ".profgauge.yaml"};

/// Converts `path`, if it is relative to `file`, to one relative to the working folder.
std::string BesideFile(const std::string& file, const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).lexically_normal().string();
}

/// The source of settings, for messages: "job resnet50 of profgauge.yaml".
std::string SourceOf(const rules::Project& project, const rules::ProjectJob* job) {
  return job == nullptr ? project.file : fmt::format("job {} of {}", job->name, project.file);
}

/// Takes a setting from the job, or else from the top, unless its option was given.
template <class Member, class Put>
void TakeSetting(const rules::Project& project, const rules::ProjectJob* job,
                 const Options& options, std::string_view option, Member member, Put put) {
  if (options.IsGiven(option)) return;
  const auto& own = job == nullptr ? project.top : job->own;
  const auto& chosen = (own.*member) ? own : project.top;
  if (chosen.*member)
    put((chosen.*member)->text, job != nullptr && &chosen == &own ? job : nullptr);
}

// The limit of entries below a pattern: a tree with more was named by mistake.
constexpr std::size_t kMostEntriesOfTree = 1'000'000;

/// The matches of a pattern, part by part. `**` matches any number of folders (links are not
/// followed); at the end of a pattern, all files below.
///
///   runs/**/rank*.json        Expand("runs", ["**", "rank*.json"])
///     runs/rank0.json           ** is no folder: Expand("runs", ["rank*.json"])
///     runs/a/rank0.json         ** is one: Expand("runs/a", ["**", "rank*.json"])
///     runs/a/b/rank0.json       and so on, one call for each folder
class PatternSearch {
 public:
  explicit PatternSearch(const std::string& pattern) {
    for (const fs::path& part : fs::path(pattern)) {
      const bool is_again = !parts_.empty() && parts_.back() == "**" && part == "**";
      if (!part.empty() && !is_again) parts_.push_back(part.string());
    }
    Expand({}, parts_);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  }

  /// True if the search was complete. Otherwise its matches must not be used.
  bool ended() const { return seen_ <= kMostEntriesOfTree; }
  /// Returns files and folders, each once, by name.
  std::vector<std::string> TakeFound() { return std::move(found_); }

 private:
  void Expand(const fs::path& base, std::span<const std::string> rest) {
    std::error_code error;
    if (rest.empty()) {
      if (fs::exists(base, error)) found_.push_back(base.string());
      return;
    }
    const std::string& part = rest.front();
    if (!IsGlob(part)) return Expand(base / part, rest.subspan(1));
    // A pattern with several `**` reaches a folder in several ways, so it is listed only once.
    if (!listed_.emplace(base.string(), rest.size()).second) return;
    const bool is_last = rest.size() == 1, is_deep = part == "**";
    if (is_deep && !is_last) Expand(base, rest.subspan(1));
    for (const FolderEntry& entry : ListEntries(base.empty() ? "." : base)) {
      if (++seen_ > kMostEntriesOfTree) return;
      if (entry.kind == EntryKind::kOther) continue;
      const fs::path path = base / entry.path.filename();
      if (is_deep && entry.kind == EntryKind::kFolder) Expand(path, rest);
      const bool matches =
          is_deep ? is_last && !entry.is_folder() : GlobMatch(part, entry.path.filename().string());
      if (!matches) continue;
      if (is_last) {
        found_.push_back(path.string());
      } else if (entry.is_folder()) {
        Expand(path, rest.subspan(1));
      }
    }
  }

  std::vector<std::string> parts_, found_;
  std::set<std::pair<std::string, std::size_t>> listed_;  // Folders, by the parts that are left.
  std::size_t seen_ = 0;
};

/// Up to five names in a folder, for an error to a user who expected other files.
std::string NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::path& path : ListFolder(folder)) {
    names.push_back(path.filename().string() + (fs::is_directory(path, error) ? "/" : ""));
  }
  constexpr std::size_t kNamed = 5;
  if (names.size() > kNamed) {
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(fmt::format("{} more", more));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The deepest existing folder of a pattern.
fs::path FolderThatExists(const std::string& pattern) {
  fs::path folder;
  std::error_code error;
  for (const fs::path& part : fs::path(pattern)) {
    if (IsGlob(part.string()) || !fs::is_directory(folder / part, error)) break;
    folder /= part;
  }
  return folder.empty() ? "." : folder;
}

/// The working folder and its parents up to the repository's root: "", "../", … Without a
/// repository only the working folder, because its parents may be another user's.
std::vector<std::string> FoldersOfRepository() {
  std::error_code error;
  std::vector<std::string> folders = {""};
  fs::path whole = fs::current_path(error);
  while (!error && !fs::exists(whole / ".git", error)) {
    if (whole == whole.root_path()) return {""};
    whole = whole.parent_path();
    folders.push_back(folders.back() + "../");
  }
  return folders;
}

}  // namespace

std::string FindConfiguration() {
  std::error_code error;
  for (const std::string& folder : FoldersOfRepository()) {
    for (const std::string_view name : kNames) {
      std::string path = folder + std::string(name);
      if (fs::is_regular_file(path, error)) return path;
    }
  }
  return {};
}

namespace {

// The error for a file outside of the repository that its configuration names: messages would show
// its contents, and outputs would change it. Values that the command line replaces are not checked.
std::optional<Error> WhatIsOutside(const rules::Project& project, const Options& options) {
  const fs::path root = RepositoryOf(project.file);
  std::optional<Error> found;
  const auto check = [&](const rules::ProjectText& one, std::string_view option) {
    const bool is_file = !one.text.starts_with("builtin:") && !one.text.starts_with("history:");
    const std::string path = BesideFile(project.file, one.text);
    if (found || !is_file || options.IsGiven(option) || IsWithin(path, root)) return;
    found = rules::OutsideRepository(
        one.text, one.where,
        fmt::format("give it on the command line: `{} {}`", option, Printable(path)));
  };
  const auto check_all = [&](const rules::ProjectSettings& settings) {
    if (settings.policy) check(*settings.policy, "--policy");
    if (settings.db) check(*settings.db, "--db");
    for (const rules::ProjectText& one : settings.baselines) check(one, "--baseline");
  };
  check_all(project.top);
  for (const rules::ProjectJob& job : project.jobs) check_all(job.own);
  return found;
}

}  // namespace

std::string RootOfRepository() { return FoldersOfRepository().back(); }

Status CheckDefault(const Options& options, std::string_view option, const std::string& path) {
  const fs::path here = RepositoryOf("in the working folder");
  if (path.empty() || options.IsGiven(option) || IsWithin(path, here)) return {};
  return Fail(rules::OutsideRepository(
      path, {}, fmt::format("give it on the command line: `{} {}`", option, Printable(path))));
}

tl::expected<std::optional<rules::Project>, rules::Errors> LoadConfiguration(
    const Options& options) {
  if (options.command == nullptr || (options.command->bit & kOnConfigured) == 0)
    return std::nullopt;
  if (options.config == kNoConfiguration) return std::nullopt;
  const std::string path = options.config.empty() ? FindConfiguration() : options.config;
  if (path.empty()) return std::nullopt;
  if (options.config.empty() && !IsWithin(path, RepositoryOf(path))) {
    return tl::unexpected<rules::Errors>(
        {rules::OutsideRepository(path, {}, "give it on the command line: `--config FILE`")});
  }
  auto project = rules::LoadProject(path);
  if (!project) return tl::unexpected<rules::Errors>(std::move(project).error());
  if (auto outside = WhatIsOutside(*project, options))
    return tl::unexpected<rules::Errors>({*std::move(outside)});
  return std::optional<rules::Project>(*std::move(project));
}

void ApplySettings(const rules::Project& project, const rules::ProjectJob* job, Options& options) {
  const auto path = [&](const std::string& text) { return BesideFile(project.file, text); };
  options.config_file = project.file;
  // `compare` explains, and judges only by a policy that its command line names.
  const bool judges = (options.command->bit & kOnCompare) == 0;
  if (judges)
    TakeSetting(project, job, options, "--policy", &rules::ProjectSettings::policy,
                [&](const std::string& text, const rules::ProjectJob* own) {
                  options.policy = text.starts_with("builtin:") ? text : path(text);
                  options.policy_from = SourceOf(project, own);
                });
  TakeSetting(project, job, options, "--db", &rules::ProjectSettings::db,
              [&](const std::string& text, const rules::ProjectJob*) { options.db = path(text); });
  TakeSetting(project, job, options, "--ranks", &rules::ProjectSettings::ranks,
              [&](const std::string& text, const rules::ProjectJob*) { options.ranks = text; });
  TakeSetting(
      project, job, options, "", &rules::ProjectSettings::baseline_missing,
      [&](const std::string& text, const rules::ProjectJob*) { options.baseline_missing = text; });
  TakeSetting(
      project, job, options, "", &rules::ProjectSettings::learning_until,
      [&](const std::string& text, const rules::ProjectJob*) { options.learning_until = text; });
  const auto add_labels = [&](const rules::ProjectSettings& settings) {
    for (const auto& [name, text] : settings.labels) {
      const auto is_it = [&wanted = name](const auto& label) { return label.first == wanted; };
      const bool is_given = std::any_of(options.labels.begin(), options.labels.end(), is_it);
      if (!is_given) options.labels.emplace_back(name, text);
    }
  };
  if (job != nullptr) add_labels(job->own);
  add_labels(project.top);
  // Runs of one job are no baseline for another job.
  if (job != nullptr && options.model.empty()) options.model = job->name;
  // Several runs of one report are compared with each other, not with a baseline.
  const bool compares = (options.command->bit & kOnJudging) != 0 && options.runs.empty();
  if (options.IsGiven("--baseline") || !compares) return;
  const bool has_own = job != nullptr && !job->own.baselines.empty();
  for (const rules::ProjectText& one : has_own ? job->own.baselines : project.top.baselines) {
    options.baselines.push_back(one.text.starts_with("history:") ? one.text : path(one.text));
  }
}

Result<std::vector<const rules::ProjectJob*>> JobsOf(const rules::Project& project,
                                                     const Options& options) {
  std::vector<const rules::ProjectJob*> jobs;
  for (const std::string& name : options.job) {
    const rules::ProjectJob* job = project.Find(name);
    if (job == nullptr) {
      std::vector<std::string_view> names;
      for (const rules::ProjectJob& one : project.jobs) names.push_back(one.name);
      Error error = UsageError("config/no-such-job",
                               fmt::format("{} has no job `{}`", project.file, Printable(name)),
                               fmt::format("its jobs are {}", fmt::join(names, ", ")));
      return Fail(std::move(error));
    }
    jobs.push_back(job);
  }
  if (!jobs.empty()) return jobs;
  for (const rules::ProjectJob& job : project.jobs) jobs.push_back(&job);
  return jobs;
}

// The job of the profile; nullptr if no job has it as an input, so that only the top of the
// configuration applies. Skips a job whose inputs match nothing, as another may have the profile.
Result<const rules::ProjectJob*> JobOfArguments(const rules::Project& project,
                                                const Options& options) {
  if (!options.job.empty()) {
    PROFGAUGE_TRY(const auto named, JobsOf(project, options));
    if (named.size() == 1) return named.front();
    return Fail(UsageError("config/two-jobs", "a profile is of one job, found several `--job`",
                           "give one, or leave out the profile to judge all of them"));
  }
  std::vector<const rules::ProjectJob*> found;
  for (const rules::ProjectJob& job : project.jobs) {
    const auto inputs = InputsOf(project, job);
    if (!inputs) continue;
    const bool matches = std::any_of(
        options.arguments.begin(), options.arguments.end(), [&](const std::string& argument) {
          return std::any_of(inputs->begin(), inputs->end(), [&](const std::string& input) {
            std::error_code error;
            return fs::equivalent(argument, input, error) && !error;
          });
        });
    if (matches) found.push_back(&job);
  }
  if (found.size() < 2) return found.empty() ? nullptr : found.front();
  Error error = UsageError("config/two-jobs",
                           fmt::format("jobs `{}` and `{}` both have this profile as an input",
                                       found[0]->name, found[1]->name),
                           fmt::format("name the job: --job {}", found[0]->name));
  error.where = found[1]->where;
  return Fail(std::move(error));
}

Result<Options> OptionsOfProfile(const std::optional<rules::Project>& project,
                                 const Options& given) {
  Options options = given;
  if (!project && !options.job.empty()) {
    return Fail(UsageError("config/no-such-job", "`--job` needs a profgauge.yaml, found none",
                           "--config names one that is elsewhere"));
  }
  if (!project) return options;
  PROFGAUGE_TRY(const rules::ProjectJob* job, JobOfArguments(*project, options));
  ApplySettings(*project, job, options);
  if (job != nullptr) options.run_name = job->name;
  return options;
}

Result<std::vector<std::string>> InputsOf(const rules::Project& project,
                                          const rules::ProjectJob& job) {
  std::vector<std::string> inputs;
  std::set<std::string> known;
  for (const rules::ProjectText& pattern : job.inputs) {
    PatternSearch search(BesideFile(project.file, pattern.text));
    if (!search.ended()) {
      Error error = InputError(
          project.file, "config/too-many-inputs",
          fmt::format("`{}` has more than {} files and folders to look through",
                      Printable(pattern.text), FormatCount(std::int64_t{kMostEntriesOfTree})),
          "name a folder of runs: `runs/*/*.json.gz`");
      error.kind = ErrorKind::kConfig;
      error.where = pattern.where;
      return Fail(std::move(error));
    }
    for (std::string& path : search.TakeFound()) {
      if (known.insert(path).second) inputs.push_back(std::move(path));
    }
  }
  if (!inputs.empty()) return inputs;
  const rules::ProjectText& first = job.inputs.front();
  const fs::path folder = FolderThatExists(BesideFile(project.file, first.text));
  const std::string names = NamesIn(folder);
  Error error =
      InputError(project.file, "config/no-inputs",
                 fmt::format("job `{}`: nothing matches `{}`", job.name, Printable(first.text)),
                 fmt::format("the folder {} has {}", folder.string(),
                             names.empty() ? "no files" : Printable(names)));
  error.where = first.where;
  return Fail(std::move(error));
}

std::string UnusedPolicy(const Options& options) {
  if (!options.policy.empty()) return {};
  const std::vector<std::string> folders = FoldersOfRepository();
  for (const std::string& folder : {folders.front(), folders.back()}) {
    const std::string path = folder + "policy.yaml";
    std::error_code error;
    if (fs::is_regular_file(path, error) && rules::LoadPolicy(path)) return path;
  }
  return {};
}

}  // namespace profgauge::cli
