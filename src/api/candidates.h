// The runs that `check` judges: usually one; with a baseline also several runs of one program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "gate/snapshot.h"
#include "gate/verdict.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "readers/ranks.h"
#include "rules/policy.h"
#include "rules/rulebook.h"

namespace profgauge {

struct Candidate {
  std::string name;            ///< RunName() of its arguments.
  std::vector<Profile> ranks;  ///< In rank order; never empty.
};

/// The runs among profiles that were read from `arguments`: the ranks of one run, except with
/// `baselines`. There each argument is a separate run if one is a folder of several ranks or two
/// record the same rank; each file is one where RanksFrom::kNothing says so, or where nothing
/// states its rank and the baseline's runs have one rank. Errors: as CheckOneRun() for each.
/// REQUIRES: `profiles` is not empty. The list is never empty.
Result<std::vector<Candidate>> SplitCandidates(std::vector<Profile> profiles,
                                               const std::vector<std::string>& arguments,
                                               std::span<const Snapshot> baselines, RanksFrom from);

/// The runs of one program among profiles: as with baselines of one rank.
Result<std::vector<Candidate>> SplitRuns(std::vector<Profile> profiles,
                                         const std::vector<std::string>& arguments, RanksFrom from);

// Files that only the caller calls ranks of one run (`--ranks as-listed`).

/// Whether nothing but their order makes these ranks.
bool AreListed(std::span<const Profile> ranks);

/// Judges each of the ranks by itself, and fails `verdict` where one fails: the means of a run must
/// not hide a file of another run. Baselines judge only the whole run. Errors: kUsage,
/// where `selection` fits no iteration of one.
Status FailWithEach(std::span<const Profile> ranks, const Selection& selection,
                    const Policy& policy, const Rulebook& rules, bool allow_incomplete,
                    Verdict& verdict);

}  // namespace profgauge
