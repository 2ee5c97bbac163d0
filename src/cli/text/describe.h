// The contents of a profile, in words: `profgauge inspect`.
#pragma once

#include <string>

#include "model/profile.h"
#include "model/summary/summary.h"

namespace profgauge::cli {

/// A block of aligned lines: format, size, time, devices, events, iterations, recorded
/// and missing data, and the reader's repairs.
std::string DescribeProfile(const Profile& profile);
/// The same for a summary of a rank: its profile and its contents.
std::string DescribeSummary(const Summary& summary, const std::string& path);

}  // namespace profgauge::cli
