// Properties of chips that a project knows but its profiles do not state: legacy traces name a
// GPU without its memory. Recorded values always win.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// Peak rates of a chip.
struct DevicePeaks {
  /// Dense operations per second by element type: float64 and float32 of the vector units, and of
  /// the matrix units (float64_matrix, float32_matrix); tf32, float16, bfloat16, float8, int8.
  std::map<std::string, double, std::less<>> flop_rate;
  double memory_bandwidth = -1;  ///< Bytes per second; -1 unknown.
};

struct KnownDevice {
  /// Glob over the recorded name. "*" also fits GPUs of which nothing at all was recorded.
  std::string match;
  /// Known properties; the id has no meaning.
  Gpu properties;
  DevicePeaks peaks = {};
};

/// The GPUs of `profile`; properties that the profile does not state come from the first of
/// `known` that matches and has them. GPUs that have events and are not listed come last, when
/// some property of them is known.
std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known);

}  // namespace profgauge
