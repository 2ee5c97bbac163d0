// profgauge.yaml on the command line: found, and put into the options that no one gave.
//
//   place of the value                 noted in                 example
//   1  --policy strict.yaml            given                    one call
//   2  PROFGAUGE_POLICY=ci.yaml        given, by_variable       a CI system's settings
//   3  jobs: [{name: a, policy: …}]    config_file              one training program
//   4  policy: …  (top of the file)    config_file              the project
//   5  the field's initializer         nothing                  the program
//
// The first line that has a value decides, one option at a time; a list of baselines is one value.
// `labels` are joined instead: the first of each name counts. Paths in the file are relative to the
// file, those of lines 1 and 2 to the working folder.
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

/// The value of --config for no configuration at all; a file of that name is `./none`.
inline constexpr std::string_view kNoConfiguration = "none";

/// The nearest file in the working folder or above it, up to the folder with .git; without such a
/// folder only the working folder counts: folders above may be another user's. `profgauge.yaml`
/// precedes `.profgauge.yaml` of the same folder. Empty: there is none. The path is relative
/// ("../profgauge.yaml"), as messages show it.
std::string FindConfiguration();

/// The folder of the repository that the working folder is in, as "../" or "": where it is itself,
/// or where there is none.
std::string RootOfRepository();

/// For a path of the program's own, which nobody named: its links must not lead out of the
/// repository, since a pull request can bring them. Errors: kConfig "config/outside-repository".
Status CheckDefault(const Options& options, std::string_view option, const std::string& path);

/// The configuration of the command: --config, else the one that is found; nothing where there is
/// none, with --config none, and for commands that read none.
tl::expected<std::optional<rules::Project>, rules::Errors> LoadConfiguration(
    const Options& options);

/// Settings of a job, or of the top of the file, where neither an option nor a variable has one.
/// `job`: nullptr only for the top. It also sets the model of the run to the job's name if none was
/// given: runs of one job are no baseline of another's. `compare` takes no policy and no baseline
/// from here: it judges only by a policy that its command line names. REQUIRES: `options.command`
/// is set.
void ApplySettings(const rules::Project& project, const rules::ProjectJob* job, Options& options);

/// The jobs that --job names, else all. Errors: kUsage "config/no-such-job".
Result<std::vector<const rules::ProjectJob*>> JobsOf(const rules::Project& project,
                                                     const Options& options);

/// The job whose `inputs` match those on the command line; nullptr: none does. Files are compared
/// by identity, so links and `./` do not matter. Errors: kUsage "config/two-jobs" where several do
/// and --job does not select one, or where several --job are given for one profile. Cost: expands
/// the patterns of every job.
Result<const rules::ProjectJob*> JobOfArguments(const rules::Project& project,
                                                const Options& options);

/// The options for judging the profile of the command line: with the settings of its job and the
/// job's name, else with those of the top; unchanged where there is no configuration. Errors: those
/// of JobOfArguments(); kUsage "config/no-such-job" for --job without a configuration.
Result<Options> OptionsOfProfile(const std::optional<rules::Project>& project,
                                 const Options& given);

/// The matches of a job's inputs: files and folders, pattern by pattern, sorted within one, each
/// path once. `**` represents any folders. Errors: kInput "config/no-inputs" with the contents
/// found instead; kConfig "config/too-many-inputs" above 1 000 000 entries of a pattern: a part of
/// the matches would leave runs unjudged.
Result<std::vector<std::string>> InputsOf(const rules::Project& project,
                                          const rules::ProjectJob& job);

/// A policy file here or at the root of the repository that no one named, for a note; empty: there
/// is none, or a policy is named. A `policy.yaml` that cannot be read as a policy is not ours.
std::string UnusedPolicy(const Options& options);

/// Calls `judge` with the options for the inputs of the command line, or of each job of the
/// configuration; then a line for each job, where there are several. `judge` writes its outputs in
/// every case. Returns the strongest exit code.
///
///   profgauge check                       profgauge check --ci github, of three runs
///   job a -> judge -> exit 0              profgauge-report/
///   job b -> judge -> exit 1                verdict.json          of all
///   returns 1                               a/ report.html …      job a
///                                           b-1/ b-2/             job b with `take: all`
///
/// Each run has its outputs in a separate folder. A job that fails does not keep the next from
/// being judged.
Result<int> RunJobs(const Options& given, Console& console,
                    const std::function<Result<int>(const Options&)>& judge);

}  // namespace profgauge::cli
