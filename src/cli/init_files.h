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

// The policy that `init` writes: limits that fit a profile, and the rules that fire on it, so that
// the profile itself passes and anything worse does not.

/// A run of the program that the policy is for.
struct InitRun {
  std::span<const Profile> ranks;
  const analysis::Analysis& analysis;
};

/// The YAML of a policy that extends the recommended one; of files of times builtin:times, with
/// limits on what they state. Limits are a little above the worst value
/// of `runs`, and twice the difference above it where runs differ; those that a run cannot
/// answer are off; rules that fire as errors are at level warn with their findings. Judging each
/// of the runs by it passes, unless its profile is incomplete. REQUIRES: at least one run.
/// Errors: kInternal when the text is no policy. `fixes_times`: also limits on times, which do not
/// follow levels that are accepted.
Result<std::string> InitPolicy(const std::string& profile, std::span<const InitRun> runs,
                               bool fixes_times);

// The files that `init --project` writes: a configuration with one job, its policy, and the start
// of `check` in a CI system. They are short, so that their owner reads them; the samples of ci/
// have comments, alerts and histories.

struct NewFile {
  std::string path;  ///< From the root of the repository.
  std::string text;
};

/// `path`, which is given from the working folder, from the root of the repository; absolute where
/// it is outside.
std::string FromRoot(const std::string& path);

/// A name for the job of `inputs`: the nearest folder that is not named by a step, else `run`; in
/// small letters, digits and `-`, at most 40.
std::string JobName(const std::vector<std::string>& inputs, std::string_view run);

/// Patterns for `inputs` of a job that match `profiles` and later ones beside them: a
/// folder as it is, files by their folder and the end of their names. Each once, from the root.
std::vector<std::string> InputPatterns(const std::vector<std::string>& profiles);

/// profgauge.yaml with one job. `is_fresh`: CI judges a clean folder, so that all profiles in it
/// are of one commit.
NewFile ProjectFile(std::string_view job, const std::vector<std::string>& inputs,
                    std::string_view policy, bool is_fresh);

/// "github" or "gitlab" where the repository of the working folder has a remote there, "jenkins"
/// where it has a Jenkinsfile; else empty.
std::string DetectHost();

/// The outputs that no line of a .gitignore names.
std::vector<std::string> NotIgnored(std::string_view ignores);
/// `names` as lines to add to the file, which may end within a line.
std::string IgnoreLines(const std::string& file, const std::vector<std::string>& names);

/// The file that starts `check` in `system`: "github", "gitlab" or "jenkins".
NewFile CiFile(std::string_view system);

}  // namespace profgauge::cli
