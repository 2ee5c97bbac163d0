// profgauge.yaml on the command line: found, and put into the options that no one gave.
//
// A value comes from the option, else the variable PROFGAUGE_…, else the job, else the top of the
// file, else the default.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/project.h"

namespace profgauge::cli {

class Console;

/// The nearest file in the working folder or above it, up to the folder with .git; without such a
/// folder only the working folder counts. Empty: there is none.
std::string FindConfiguration();

/// The folder of the repository that the working folder is in, as "../" or "": where it is itself,
/// or where there is none.
std::string RootOfRepository();

/// The configuration of the command: --config, else the one that is found; nothing where there is
/// none, with --no-config, and for commands that read none.
tl::expected<std::optional<Project>, Errors> LoadConfiguration(const Options& options);

/// Settings of a job, or of the top of the file, where neither an option nor a variable has one.
/// `job`: nullptr only for the top.
void ApplySettings(const Project& project, const ProjectJob* job, Options& options);

/// The jobs that --job names, else all. Errors: kUsage "config/no-such-job".
Result<std::vector<const ProjectJob*>> JobsOf(const Project& project, const Options& options);

/// The job whose `inputs` match those on the command line; nullptr: none does. Errors: kUsage
/// "config/two-jobs" where several do and --job does not select one.
Result<const ProjectJob*> JobOfArguments(const Project& project, const Options& options);

/// The matches of a job's inputs, sorted: files and folders. `**` represents any folders.
/// Errors: kInput "config/no-inputs" with the contents found instead.
Result<std::vector<std::string>> InputsOf(const Project& project, const ProjectJob& job);

/// A policy file here or at the root of the repository that no one named, for a note; empty: there
/// is none.
std::string UnusedPolicy(const Options& options);

/// Calls `judge` with the options for the inputs of the command line, or of each job of the
/// configuration, each with outputs in a separate folder; then a line for each job. `judge`
/// writes its outputs in every case. Returns the strongest exit code.
Result<int> RunJobs(const Options& given, Console& console,
                    const std::function<Result<int>(const Options&)>& judge);

}  // namespace profgauge::cli
