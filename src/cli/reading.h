// Reading the profiles that a command line names, with a progress line.
#pragma once

#include <vector>

#include "api/session.h"
#include "cli/options.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Console;

/// Which iterations and ranks the command line selects.
EvaluateOptions Choices(const Options& options);

/// One profile per rank, in rank order. Errors: kInput.
Result<std::vector<Profile>> ReadProfiles(const Options& options, Console& console);

}  // namespace profgauge::cli
