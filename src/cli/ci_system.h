// `--ci SYSTEM`: one option in place of the outputs that a system of continuous integration reads.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "render/ci/ci.h"
#include "rules/policy.h"

namespace profgauge::cli {

/// Where --ci writes to without --out.
inline constexpr std::string_view kCiFolder = "profgauge-report";

/// The value of a variable; empty: it is not set, or empty.
using Environment = std::function<std::string(const std::string&)>;
/// The system of this process.
std::string Variable(const std::string& name);

/// The commit that the CI builds; empty: it names none.
std::string CommitOfCi(const Environment& environment);

/// The system that "auto" represents where these variables are set: "github", "gitlab", "jenkins",
/// "buildkite", "circleci", "generic", or "off".
std::string DetectCi(const Environment& environment);

/// Names the outputs of `options.ci` that the command line does not name.
void ApplyCi(const Environment& environment, Options& options);

/// Where the CI shows the report to people: its page where the system gives kept files an address,
/// else the page of the build. `page`: the file as it was named, may be empty. Empty: no system, or
/// it names no address.
std::string LinkOfReport(const Environment& environment, const std::string& page);

// Where CI systems show alerts: paths as the repository knows them, and the line of the policy that
// set the limit or the level.

/// Places for alerts of a run. A built-in policy's alert is in no file of the repository: it
/// is shown at the policy that extends it, else at the profile.
render::AlertPlaces PlacesOf(const Options& options, const rules::Policy& policy);
/// For a report without its policy at hand: all at the policy that it names, else at itself.
render::AlertPlaces PlacesOf(const Options& options, const std::string& policy,
                             const std::string& otherwise);

/// For an error: its file, else the given policy, else the profile.
render::AlertPlace PlaceOf(const Options& options, const Where& where);

}  // namespace profgauge::cli
