// Loads runs to compare with: from baseline files, the history, or profiles.
//
//   argument                   becomes
//   baseline.json              the runs of the file, as they were saved
//   history:main~5             the last 5 runs of the branch in --db; with others beside them,
//                              those that are comparable with these
//   run.pt.trace.json, ranks/  one run, read and analyzed now
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/comparison.h"
#include "api/snapshots.h"
#include "cli/options.h"
#include "gate/select.h"
#include "gate/snapshot.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

class Console;

/// Further data of a profile that a caller may request; nullptr: not requested.
struct SeenBesides {
  ImportLog* log = nullptr;  ///< Receives its reading losses.
  /// Receives doubts about its verdict (gate/doubts.h); else they go to the console.
  std::vector<std::string>* doubts = nullptr;
  RunPicture* picture = nullptr;  ///< Filled for a profile; unchanged for others.
  std::span<const gate::Snapshot> beside =
      {};  ///< A history returns runs that are comparable with these.
};

/// The runs that `what` names: a baseline file, `history:BRANCH~N` (from --db), or a profile, which
/// is analyzed under `policy` (its iterations, kernel names and devices). A profile with data loss
/// is rejected, unless `seen.log` receives its losses or --allow-incomplete is given: an incomplete
/// baseline would hide regressions. Errors: kConfig for baselines and histories, kInput for
/// profiles.
Result<std::vector<gate::Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                                  const rules::Policy& policy, Console& console,
                                                  const SeenBesides& seen = {});

/// Rejects a run of another program than that of `others`: of another format, device or world size
/// (kUsage, unless --force). Prints a note if its ops or shapes differ.
Status RefuseOther(const gate::Snapshot& run, std::span<const gate::Snapshot> others,
                   const Options& options, Console& console);

/// The --policy settings for stored runs; without --policy nothing is selected. nullopt after its
/// errors were reported.
std::optional<rules::Policy> KeepingPolicy(const Options& options, Console& console);

/// The runs of --baseline: from files now, from the history once the candidates are known. `probe`
/// receives a run if one was needed to classify the arguments. Errors: as LoadSnapshots().
Result<BaselineSource> LoadBaselines(const Options& options, const rules::Policy& policy,
                                     Console& console, std::vector<gate::Snapshot>& probe);

/// Prints which files beside the history at `path` SQLite would use and we do not.
void SayUnused(const std::string& path, Console& console);

/// The folder of the policy, whose repository is judged; else the working folder.
std::string JudgedFolderOf(const Options& options);

/// Sets the judged commit and its ancestors: from the question, else from the CI, else the one
/// checked out in the repository around `folder`. If files differ from it, the run belongs to a
/// future commit.
void TakeCommit(const std::string& folder, gate::HistoryQuestion& question);

/// The result of a run without a baseline: a failure for files; for a history `baseline_missing` of
/// profgauge.yaml, else `missing` of the policy, else no verdict.
rules::OnBaselineMissing OnMissingOf(const Options& options, const rules::Policy& policy);

/// The person who accepts: --owner, else PROFGAUGE_OWNER, else who started the CI run, else git's
/// `user.name`; kUsage if none is set.
Result<std::string> OwnerOf(const Options& options);

/// The runs of all `whats`, in order.
Result<std::vector<gate::Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                                     const Options& options,
                                                     const rules::Policy& policy, Console& console);

}  // namespace profgauge::cli
