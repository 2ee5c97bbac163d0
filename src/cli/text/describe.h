// What a profile contains, in words: `profgauge inspect`.
#pragma once

#include <string>

#include "model/profile.h"
#include "model/summary/summary.h"

namespace profgauge::cli {

/// A block of aligned lines: format, size, time, devices, events, iterations, what is recorded and
/// what is not, and what the reader met and repaired.
std::string DescribeProfile(const Profile& profile);
/// The same of a summary of a rank: what it was made of and what it keeps.
std::string DescribeSummary(const Summary& summary, const std::string& path);

}  // namespace profgauge::cli
