// What a profile contains, in words: `profgauge inspect`.
#pragma once

#include <string>

#include "model/profile.h"

namespace profgauge::cli {

/// A block of aligned lines: format, size, time, devices, events, iterations, what is recorded and
/// what is not, and what the reader met and mended.
std::string DescribeProfile(const Profile& profile);

}  // namespace profgauge::cli
