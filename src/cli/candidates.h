// The runs that `check` judges: usually one; with a baseline also several runs of one program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "gate/snapshot.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge::cli {

class Console;

struct Candidate {
  std::string name;            ///< RunName() of its arguments.
  std::vector<Profile> ranks;  ///< In rank order; never empty.
};

/// Reads all arguments. Several are the ranks of one run, but for these cases with `baselines`,
/// where each argument is a run of its own: one is a folder of several ranks; two record the same
/// rank; or a rank is not recorded and the baseline's runs have one rank.
/// Errors: kInput. The list is never empty.
Result<std::vector<Candidate>> ReadCandidates(const Options& options,
                                              std::span<const Snapshot> baselines,
                                              Console& console);

}  // namespace profgauge::cli
