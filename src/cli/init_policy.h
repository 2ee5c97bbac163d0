// The policy that `init` writes: limits that fit a profile, and the rules that fire on it, so that
// the profile itself passes and anything worse does not.
#pragma once

#include <span>
#include <string>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// The YAML of a policy that extends the recommended one. Limits lie a little above what `analysis`
/// measured; those that the profile cannot answer are off; rules that fire as errors stand at level
/// warn with what they found. Judging the same run by it passes, unless its recording is
/// incomplete. Errors: kInternal when the text is no policy.
Result<std::string> InitPolicy(const std::string& profile, std::span<const Profile> ranks,
                               const Analysis& analysis);

}  // namespace profgauge::cli
