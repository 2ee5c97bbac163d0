// What must hold of a run from its profiles to its reports, whatever they are.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::fuzz {

/// Analyses, judges and reports the run as `profgauge check` does. Held: breakdowns and causes of
/// idle time sum to their wholes; numbers are finite; report.json is read back as the same; what is
/// kept of the ranks says what their profiles say; a baseline comes back as it was, and the run
/// has not changed against itself. REQUIRES: `ranks` is not empty.
void CheckRun(std::vector<Profile> ranks);

}  // namespace profgauge::fuzz
