// The number of cores of the recorded host.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "model/profile.h"

namespace profgauge {

/// Returns the profile's fact "cpu_cores" (at most 4 096), which readers add if the format has it;
/// 0 if the profile has no such fact.
inline std::int32_t CoresOfHost(const Profile& profile) {
  constexpr std::int32_t kMostCores = 4'096;
  for (const auto& [key, text] : profile.facts) {
    if (key != "cpu_cores") continue;
    std::int32_t cores = 0;
    std::from_chars(text.data(), text.data() + text.size(), cores);
    return std::clamp(cores, 0, kMostCores);
  }
  return 0;
}

}  // namespace profgauge
