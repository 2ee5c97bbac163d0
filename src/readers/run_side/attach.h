// Finds what is known of the run beside each profile: inside of it, beside it, or as named.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Sets Profile::run_side of each profile that has a document. Beside a profile it has its name
/// with or without the suffix and `.run.json`; of `documents`, those of the folders that were read,
/// also the one of its rank, and `run.json` of the only profile. Of several documents the longest
/// counts. What cannot be used is kept as a problem, except for what the user names.
/// Errors: of `named` only: kUsage, and kInput with the codes of ReadRunDocument() and
/// "run/other-rank". REQUIRES: ranks were given.
Status AttachRunSides(std::vector<Profile>& profiles, const std::vector<std::string>& documents,
                      const StepTimesInput& named);

}  // namespace profgauge::readers
