// How many cores the recorded host has.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "model/profile.h"

namespace profgauge {

/// As the profile says, up to 4 096; 0 where it does not.
/// By the fact "cpu_cores", which readers add where a format has it.
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
