// Recordings whose clocks contradict themselves, in the folder of shared data.
#pragma once

#include <string>

namespace profgauge {

/// Whether a test of properties leaves a recording out: files of strangers-2 state times that
/// cannot all be true, and are read as they are. This goes when readers refuse such clocks.
inline bool HasContradictingClocks(const std::string& path) {
  return path.find("/data/strangers-2/") != std::string::npos;
}

}  // namespace profgauge
