// The presets that are enforced when no one names a policy.
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"
#include "api/session.h"
#include "model/profile.h"

namespace profgauge {

/// Enforced when no one names a policy.
inline constexpr std::string_view kDefaultPolicy = "builtin:recommended";
inline constexpr std::string_view kCpuPolicy = "builtin:cpu";
inline constexpr std::string_view kTimesPolicy = "builtin:times";

/// Whether the run is of a program that used no GPU, as far as its profiles can say: operators,
/// but no device event, no call of a GPU runtime, no memory on a device, no listed device, and no
/// events of kinds that no one here knows.
bool IsCpuOnly(std::span<const Profile> ranks);

struct DefaultPolicy {
  std::string_view name = kDefaultPolicy;
  analysis::Remark
      remark;  ///< The report's sentence about the choice; without text if there is none.
};
/// The policy of runs that are judged together: kTimesPolicy where all of them are times without a
/// profile, kCpuPolicy where all of them are CPU-only. If only
/// listed devices, which the programs may not have used, speak against that, it stays
/// kDefaultPolicy, and the remark says how to choose. REQUIRES: `runs` is not empty.
DefaultPolicy DefaultPolicyOf(std::span<const RunToJudge> runs);

}  // namespace profgauge
