// Properties of chips that a project knows and its profiles lack: legacy traces, for one, name a
// GPU without its memory. What was recorded always wins.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// What a chip can do at most.
struct DevicePeaks {
  /// Dense operations per second by element type: float64 and float32 of the vector units, and of
  /// the matrix units (float64_matrix, float32_matrix); tf32, float16, bfloat16, float8, int8.
  std::map<std::string, double, std::less<>> flop_rate;
  double memory_bandwidth = -1;  ///< Bytes per second; -1 unknown.
};

struct KnownDevice {
  /// Glob over the recorded name. "*" also fits GPUs of which nothing at all was recorded.
  std::string match;
  /// What is known; the id means nothing.
  Gpu properties;
  DevicePeaks peaks = {};
};

/// The GPUs of `profile`, with what the profile does not say of them taken from the first of
/// `known` that fits and says it. GPUs that have events and are not listed come last, when
/// something is known of them.
std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known);

}  // namespace profgauge
