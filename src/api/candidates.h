// The runs that `check` judges: usually one; with a baseline also several runs of one program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/snapshot.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

struct Candidate {
  std::string name;            ///< RunName() of its arguments.
  std::vector<Profile> ranks;  ///< In rank order; never empty.
};

/// The runs among profiles that were read from `arguments`, which are the ranks of one run, but for
/// these cases with `baselines`, where each argument is a run of its own: one is a folder of
/// several ranks; two record the same rank; or a rank is not recorded and the baseline's runs have
/// one rank. Errors: kInput where the profiles of one run cannot be one. REQUIRES: `profiles` is
/// not empty. The list is never empty.
Result<std::vector<Candidate>> SplitCandidates(std::vector<Profile> profiles,
                                               const std::vector<std::string>& arguments,
                                               std::span<const Snapshot> baselines);

}  // namespace profgauge
