// Finds documents about the run for each profile: inside it, beside it, or named by the user.
#pragma once

#include <string>
#include <vector>

#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/reader.h"

namespace profgauge::readers {

/// Sets Profile::run_side of each profile that has a document. A document beside a profile has its
/// name, with or without suffixes, plus `.run.json`. In folders that were read (`documents`), it
/// may also state the profile's rank, or be the `run.json` of the only profile. If there are
/// several documents, the one with most iterations is used. An unusable document is a problem of
/// the profile, but an error if the user named it. Errors, only for `named`: kUsage, and kInput
/// with the codes of ReadRunDocument() and "run/other-rank". REQUIRES: ranks were set.
///
///   run/rank0.pt.trace.json.gz   its documents: rank0.pt.trace.json.gz.run.json, then
///                                rank0.pt.trace.json.run.json, ..., rank0.run.json
///   run/x.run.json               for the profile of the folder whose rank it states, or for the
///                                only profile there
Status AttachRunSides(std::vector<Profile>& profiles, const std::vector<std::string>& documents,
                      const StepTimesInput& named);

}  // namespace profgauge::readers
