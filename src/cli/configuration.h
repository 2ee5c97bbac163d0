// Finds profgauge.yaml and applies it to the options that neither the command line nor a variable
// set.
//
//   source of the value                noted in                 example
//   1  --policy strict.yaml            given                    one call
//   2  PROFGAUGE_POLICY=ci.yaml        given, by_variable       a CI system's settings
//   3  jobs: [{name: a, policy: …}]    config_file              one training program
//   4  policy: …  (top of the file)    config_file              the project
//   5  the field's initializer         nothing                  the program
//
// For each option, the first line that has a value counts; a list of baselines is one value. Only
// `labels` are merged: the first value of each name counts. Paths in the file are relative to the
// file; those of lines 1 and 2 are relative to the working folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/project.h"

namespace profgauge::cli {

class Console;

/// The value of --config for no configuration; a file with that name is `./none`.
inline constexpr std::string_view kNoConfiguration = "none";

/// Finds the nearest file in the working folder or above it, up to the folder with .git. Without
/// such a folder, only the working folder is searched, because folders above it may be another
/// user's. `profgauge.yaml` takes precedence over `.profgauge.yaml` in the same folder. Empty if
/// there is none. The path is relative ("../profgauge.yaml"), as shown in messages.
std::string FindConfiguration();

/// The root of the repository around the working folder, as "../". Empty if it is the working
/// folder, or if there is no repository.
std::string RootOfRepository();

/// Checks a default path that the user did not name: its links must not leave the repository,
/// because a pull request can add links. Errors: kConfig "config/outside-repository".
Status CheckDefault(const Options& options, std::string_view option, const std::string& path);

/// Loads the command's configuration: the file of --config, else the one that is found. nullopt if
/// there is none, with --config none, and for commands that read none.
tl::expected<std::optional<rules::Project>, rules::Errors> LoadConfiguration(
    const Options& options);

/// Applies those settings of a job, or of the top of the file (`job` is nullptr), that neither an
/// option nor a variable has set. If the run has no model, sets it to the job's name, because runs
/// of one job are no baseline of another. `compare` gets no policy and no baseline from here,
/// because only its command line may name a policy. REQUIRES: `options.command` is set.
void ApplySettings(const rules::Project& project, const rules::ProjectJob* job, Options& options);

/// The jobs that --job names; without it, all jobs. Errors: kUsage "config/no-such-job".
Result<std::vector<const rules::ProjectJob*>> JobsOf(const rules::Project& project,
                                                     const Options& options);

/// The job whose `inputs` match those on the command line; nullptr if none does. Files are compared
/// by identity, so links and `./` do not matter. Expands the patterns of every job. Errors: kUsage
/// "config/two-jobs" if several jobs match and --job does not select one, or if several --job are
/// given for one profile.
Result<const rules::ProjectJob*> JobOfArguments(const rules::Project& project,
                                                const Options& options);

/// The options for the profile on the command line: with its job's settings and name, or else with
/// the settings of the top. Unchanged without a configuration. Errors: those of JobOfArguments();
/// kUsage "config/no-such-job" for --job without a configuration.
Result<Options> OptionsOfProfile(const std::optional<rules::Project>& project,
                                 const Options& given);

/// The files and folders that match a job's inputs, pattern by pattern, sorted within each, every
/// path once. `**` matches any folders. Errors: kInput "config/no-inputs" with the contents found
/// instead; kConfig "config/too-many-inputs" if a pattern has over 1 000 000 entries, because some
/// runs would not be judged.
Result<std::vector<std::string>> InputsOf(const rules::Project& project,
                                          const rules::ProjectJob& job);

/// A policy file, here or at the root of the repository, that exists but is not used (for a note);
/// empty if none exists or a policy is named. A `policy.yaml` that is not ours is ignored.
std::string UnusedPolicy(const Options& options);

/// Calls `judge` with the options for the inputs of the command line or, if there are none, for
/// each job of the configuration. If there are several jobs, prints a line for each at the end.
/// `judge` always writes its outputs. Returns the strongest exit code.
///
///   profgauge check                       profgauge check --ci github, of three runs
///   job a -> judge -> exit 0              profgauge-report/
///   job b -> judge -> exit 1                verdict.json          of all
///   returns 1                               a/ report.html …      job a
///                                           b-1/ b-2/             job b with `take: all`
///
/// Each run has its outputs in a separate folder. After a job has failed, the next is still judged.
Result<int> RunJobs(const Options& given, Console& console,
                    const std::function<Result<int>(const Options&)>& judge);

}  // namespace profgauge::cli
