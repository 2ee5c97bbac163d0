// The policies that are used if the user names none.
#pragma once

#include <span>
#include <string_view>

#include "analysis/analysis.h"
#include "api/session.h"
#include "model/profile.h"

namespace profgauge {

/// The policy of runs for which the other default policies do not fit.
inline constexpr std::string_view kDefaultPolicy = "builtin:recommended";
inline constexpr std::string_view kCpuPolicy = "builtin:cpu";
inline constexpr std::string_view kTimesPolicy = "builtin:times";

/// True if the run's program used no GPU, as far as its profiles show: they have operators, but no
/// device event, no call of a GPU runtime, no memory on a device, no listed device, and no events
/// of unknown kinds.
bool IsCpuOnly(std::span<const Profile> ranks);

struct DefaultPolicy {
  std::string_view name = kDefaultPolicy;
  analysis::Remark
      remark;  ///< The report's sentence about the choice; its text is empty if there is none.
};
/// The policy for runs that are judged together: kTimesPolicy if all are times without a profile,
/// kCpuPolicy if all are CPU-only. If listed devices, which the programs may not have used, are the
/// only sign of a GPU, it is kDefaultPolicy, and the remark explains how to choose. REQUIRES:
/// `runs` is not empty.
DefaultPolicy DefaultPolicyOf(std::span<const RunToJudge> runs);

}  // namespace profgauge
