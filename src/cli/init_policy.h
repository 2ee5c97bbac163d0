// The policy that `init` writes: limits that fit a profile, and the rules that fire on it, so that
// the profile itself passes and anything worse does not.
#pragma once

#include <span>
#include <string>

#include "analysis/analysis.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

/// A run of the program that the policy is for.
struct InitRun {
  std::span<const Profile> ranks;
  const Analysis& analysis;
};

/// The YAML of a policy that extends the recommended one. Limits are a little above the worst value
/// of `runs`, and twice the difference above it where runs differ; those that a run cannot
/// answer are off; rules that fire as errors are at level warn with their findings. Judging each
/// of the runs by it passes, unless its profile is incomplete. REQUIRES: at least one run.
/// Errors: kInternal when the text is no policy.
Result<std::string> InitPolicy(const std::string& profile, std::span<const InitRun> runs);

}  // namespace profgauge::cli
