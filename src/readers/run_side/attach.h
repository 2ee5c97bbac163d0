// Finds documents about the run for each profile: inside it, beside it, or as named.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Sets Profile::run_side of each profile that has a document. Beside a profile it has its name
/// with or without the suffix and `.run.json`; of `documents`, those of the folders that were read,
/// also the one of its rank, and `run.json` of the only profile. If there are several, the longest
/// counts. Unusable ones are kept as a problem, except those that the user names.
/// Errors: of `named` only: kUsage, and kInput with the codes of ReadRunDocument() and
/// "run/other-rank". REQUIRES: ranks were given.
///
///   run/rank0.pt.trace.json.gz   its documents: rank0.pt.trace.json.gz.run.json, then
///                                rank0.pt.trace.json.run.json, ..., rank0.run.json
///   run/x.run.json               of the profile in the folder whose rank it states, or of the only
///                                profile there
Status AttachRunSides(std::vector<Profile>& profiles, const std::vector<std::string>& documents,
                      const StepTimesInput& named);

}  // namespace profgauge::readers
