// `--ci SYSTEM`: one option for all outputs that a CI system reads.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "render/ci/ci.h"
#include "rules/policy.h"

namespace profgauge::cli {

/// The folder that --ci writes to if there is no --out.
inline constexpr std::string_view kCiFolder = "profgauge-report";

/// Returns the value of a variable; empty if it is unset.
using Environment = std::function<std::string(const std::string&)>;
/// Reads a variable of this process.
std::string Variable(const std::string& name);

/// The commit that the CI builds; empty if no variable has it.
std::string CommitOfCi(const Environment& environment);

/// The system that "auto" means, by the environment: "github", "gitlab", "jenkins", "buildkite",
/// "circleci", "generic", or "off".
std::string DetectCi(const Environment& environment);

/// Sets the outputs for the system `options.ci`, except those that the command line sets.
void ApplyCi(const Environment& environment, Options& options);

/// The address of the report in the CI: its page if the system gives stored files an address, else
/// the page of the build. `page` is the file as it was named; may be empty. Empty without a system
/// or an address.
std::string LinkOfReport(const Environment& environment, const std::string& page);

/// The file as redacted outputs name it: "run" for a profile of the command line and for files
/// below it, else the name without folders.
std::string HiddenFile(const Options& options, const std::string& file);
/// The text without names of these profiles and without folders.
std::string HiddenText(const Options& options, std::string text);

// Places of alerts in CI systems: paths from the repository's root, and the policy's line that set
// the limit or level.

/// Places for alerts of a run. An alert of a built-in policy has no file in the repository. It is
/// shown at the policy that extends it, else at the profile.
render::AlertPlaces PlacesOf(const Options& options, const rules::Policy& policy);
/// The places of alerts for a report without its policy: those that it names, else `otherwise`.
render::AlertPlaces PlacesOf(const Options& options, const std::string& policy,
                             const std::string& otherwise);

/// The place of an error: its own file, else the given policy, else the profile.
render::AlertPlace PlaceOf(const Options& options, const Where& where);

}  // namespace profgauge::cli
