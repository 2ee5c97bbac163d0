// The checks of a run from its profiles to its reports, for any profiles.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::fuzz {

/// Analyses, judges and reports the run as `profgauge check` does. Checks: breakdowns and causes of
/// idle time sum to their wholes; numbers are finite; report.json is read back as the same;
/// summaries of the ranks give the numbers of their profiles; a baseline is read back unchanged,
/// and the run has not changed against itself. REQUIRES: `ranks` is not empty.
void CheckRun(std::vector<Profile> ranks);

}  // namespace profgauge::fuzz
