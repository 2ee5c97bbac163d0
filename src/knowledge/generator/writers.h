// thresholds.yaml → one header of typed constants per section, the set of those that a policy may
// set (tunable.h), and all rows as data (thresholds.cc).
#pragma once

#include <filesystem>

namespace profgauge::knowledge {

/// Reads SOURCE/thresholds.yaml and writes OUT/SECTION.h, OUT/tunable.h and OUT/thresholds.cc.
/// Mistakes are printed, all of them; then nothing is written and the result is false.
bool WriteThresholds(const std::filesystem::path& source, const std::filesystem::path& out);

}  // namespace profgauge::knowledge
