// Properties of chips that a project knows and its recordings lack: legacy traces, for one, name a
// GPU without its memory. What was recorded always wins.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/profile.h"

namespace profgauge {

struct KnownDevice {
  /// Glob over the recorded name. "*" also fits GPUs of which nothing at all was recorded.
  std::string match;
  /// What is known; the id means nothing.
  Gpu properties;
};

/// The GPUs of `profile`, with what the recording does not say of them taken from the first of
/// `known` that fits and says it. GPUs that have events and are not listed come last, when
/// something is known of them.
std::vector<Gpu> CompleteGpus(const Profile& profile, std::span<const KnownDevice> known);

}  // namespace profgauge
