// `--ci SYSTEM`: one option in place of the outputs that a system of continuous integration reads.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/options.h"

namespace profgauge::cli {

/// Where --ci writes to without --out.
inline constexpr std::string_view kCiFolder = "profgauge-report";

/// The value of a variable; empty: it is not set, or empty.
using Environment = std::function<std::string(const std::string&)>;
/// The system of this process.
std::string Variable(const std::string& name);

/// The system that "auto" represents where these variables are set: "github", "gitlab", "jenkins",
/// "buildkite", "circleci", "generic", or "off".
std::string DetectCi(const Environment& environment);

/// Names the outputs of `options.ci` that the command line does not name.
void ApplyCi(const Environment& environment, Options& options);

}  // namespace profgauge::cli
