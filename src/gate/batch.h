// How many samples an iteration has, against one of the baseline: a smaller batch makes iterations
// faster and says nothing of the program.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gate/snapshot.h"

namespace profgauge {

/// Samples of an iteration of `run` over those of `base`: as both state them, else by the shapes of
/// matmuls and convolutions, of which one dimension of a tensor is this many times as large in 90
/// % of their time. Nothing if neither is known.
std::optional<double> SamplesRatio(const Snapshot& base, const Snapshot& run);

/// Why times of smaller iterations are no pass; nothing where they are not smaller.
std::optional<std::string> WhySmallerInputs(std::span<const Snapshot> baselines,
                                            std::span<const Snapshot> candidates);

}  // namespace profgauge
