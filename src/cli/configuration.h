// profgauge.yaml on the command line: found, and put into the options that nobody gave.
//
// A value comes from the option, else the variable PROFGAUGE_…, else the job, else the top of the
// file, else the default.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "profgauge/error.h"
#include "rules/errors.h"
#include "rules/project.h"

namespace profgauge::cli {

/// The file that `folder` and those above it have, up to the first with a .git; without such a
/// folder `folder` alone counts. Empty: there is none.
std::string FindConfiguration(const std::string& folder);

/// The configuration of the command: --config, else the one that is found; nothing where there is
/// none, with --no-config, and for commands that read none.
tl::expected<std::optional<Project>, Errors> LoadConfiguration(const Options& options);

/// What a job, or the top of the file, says, where neither an option nor a variable does.
/// `job`: nullptr for the top alone.
void ApplySettings(const Project& project, const ProjectJob* job, Options& options);

/// The jobs that --job names, else all. Errors: kUsage "config/no-such-job".
Result<std::vector<const ProjectJob*>> JobsOf(const Project& project, const Options& options);

/// The job whose `inputs` match what the command line names; nullptr: none does. Errors: kUsage
/// "config/two-jobs" where several do and --job names none of them.
Result<const ProjectJob*> JobOfArguments(const Project& project, const Options& options);

/// What the inputs of a job match, sorted: files and folders. `**` stands for any folders.
/// Errors: kInput "config/no-inputs" with what is there instead.
Result<std::vector<std::string>> InputsOf(const Project& project, const ProjectJob& job);

/// A policy file beside the configuration that is judged by nobody, for a note; empty: there is
/// none.
std::string UnusedPolicy(const Options& options);

}  // namespace profgauge::cli
