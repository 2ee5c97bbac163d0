// Reading the profiles that a command line names, with a progress line.
#pragma once

#include <vector>

#include "cli/options.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Console;

/// One profile per rank, in rank order. Errors: kInput.
Result<std::vector<Profile>> ReadProfiles(const Options& options, Console& console);

}  // namespace profgauge::cli
