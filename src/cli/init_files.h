// The files that `init` writes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

// The policy that `init` writes. Its limits fit a profile, and it knows the rules that fire on it,
// so that the profile itself passes and worse ones do not.

/// A run of the program, from which the policy is made.
struct InitRun {
  std::span<const Profile> ranks;
  const analysis::Analysis& analysis;
};

/// The YAML of a policy that extends the recommended one (for files of times: builtin:times with
/// limits on their values). Limits are slightly above the worst value of `runs`, plus twice the
/// difference between runs. Limits that a run cannot answer are off. Rules that fire as errors are
/// set to warn with their findings. So each of the runs passes, unless its profile is incomplete.
/// `fixes_times`: also limits on times, which do not follow accepted levels. REQUIRES: at least one
/// run. Errors: kInternal if the text is no valid policy.
Result<std::string> InitPolicy(const std::string& profile, std::span<const InitRun> runs,
                               bool fixes_times);

// The files that `init --project` writes: a configuration with one job, its policy, and a CI job
// that calls `check`. They are short, so that their owner reads them; the samples in ci/ also have
// comments, alerts and histories.

struct NewFile {
  std::string path;  ///< Relative to the root of the repository.
  std::string text;
};

/// Converts `path`, relative to the working folder, to one relative to the root of the repository;
/// absolute if it is outside.
std::string FromRoot(const std::string& path);

/// A name for the job of `inputs`: the nearest folder that is not named after a step, else `run`.
/// Has only lower-case letters, digits and `-`, at most 40 characters.
std::string JobName(const std::vector<std::string>& inputs, std::string_view run);

/// Patterns for the `inputs` of a job, relative to the root, each once. They match `profiles` and
/// later ones beside them: a folder without the number that ends its name, if it has one
/// ("runs/r*" for "runs/r0"), a file by its folder and the end of its name.
std::vector<std::string> InputPatterns(const std::vector<std::string>& profiles);

/// Makes profgauge.yaml with one job. `is_fresh`: CI starts with a clean folder, so all profiles in
/// it are of one commit.
NewFile ProjectFile(std::string_view job, const std::vector<std::string>& inputs,
                    std::string_view policy, bool is_fresh);

/// The CI system of the repository: "github" or "gitlab" if it has a remote there, "jenkins" if it
/// has a Jenkinsfile; else empty.
std::string DetectHost();

/// The outputs of `check` that the text of a .gitignore does not list.
std::vector<std::string> NotIgnored(std::string_view ignores);
/// The lines to append to `file`, so that it lists `names`. Its last line may have no line end.
std::string IgnoreLines(const std::string& file, const std::vector<std::string>& names);

/// The file that calls `check` in `system`: "github", "gitlab" or "jenkins".
NewFile CiFile(std::string_view system);

}  // namespace profgauge::cli
