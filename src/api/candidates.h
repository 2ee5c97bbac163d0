// The runs that `check` judges: usually one; with a baseline, also several runs of one program.
//
// Arguments are grouped into runs by the ranks that the profiles record. This table is for a check
// with a baseline. Without one, only row 6 gives several runs; the others are one run, or an error:
//
//   arguments                       recorded                            runs
//   1  a.json b.json                ranks 0 and 1                       one, of two ranks
//   2  a.json b.json                rank 0 twice                        two, of one rank each
//   3  runA/ runB/                  ranks 0 and 1 in each folder        two, of two ranks each
//   4  run/                         ranks 0 to 3                        one, of four ranks
//   5  a.json b.json                no rank; the baseline has 1 rank    two, of one rank each
//   6  any, with --ranks separate   anything                            one for each file
//
// This is important: if two runs were mistaken for two ranks of one run, they would be averaged,
// and a good one would hide a bad one.
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

/// Finds the runs among profiles that were read from `arguments`; at least one. If no comparison is
/// asked for, the profiles are the ranks of one run. Else each argument is a separate run if one is
/// a folder of several ranks, or if two record the same rank, also while there is no baseline yet.
/// Each file is a run if `from` is RanksFrom::kNothing, or if nothing states its rank and the runs
/// of `baselines` have one rank, or if there are none and the files cannot be one run. REQUIRES:
/// `profiles` is not empty. Errors: as CheckOneRun() for each run.
Result<std::vector<Candidate>> SplitCandidates(std::vector<Profile> profiles,
                                               const std::vector<std::string>& arguments,
                                               bool is_compared,
                                               std::span<const gate::Snapshot> baselines,
                                               readers::RanksFrom from);

/// Finds the runs of one program among profiles, as SplitCandidates() does with one rank each.
Result<std::vector<Candidate>> SplitRuns(std::vector<Profile> profiles,
                                         const std::vector<std::string>& arguments,
                                         readers::RanksFrom from);

// For files that only the caller treats as ranks of one run (`--ranks as-listed`).

/// True if these profiles are ranks only by their order: some profile has its rank from the command
/// line. False for a single profile.
bool AreListed(std::span<const Profile> ranks);

/// Judges each of the ranks separately, and fails `verdict` if one fails, because the means of a
/// run must not hide a file that is another run. Baselines judge only the whole run. A rank without
/// a verdict changes nothing. Reasons of failed ranks come first in `verdict`. Evaluates all rules
/// once per rank, sequentially. Errors: kUsage if `selection` matches no iteration of a rank.
Status FailWithEach(std::span<const Profile> ranks, const analysis::Selection& selection,
                    const rules::Policy& policy, const rules::Rulebook& rules,
                    bool allow_incomplete, gate::Verdict& verdict);

}  // namespace profgauge
