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

/// Further data of a profile that a caller may request. nullptr means not requested.
struct SeenBesides {
  ImportLog* log = nullptr;  ///< Receives its reading losses.
  /// Receives doubts about the run's verdict (gate/doubts.h). If nullptr, the console shows them.
  std::vector<std::string>* doubts = nullptr;
  RunPicture* picture = nullptr;  ///< Filled for a profile; unchanged for others.
  std::span<const gate::Snapshot> beside =
      {};  ///< A history returns runs that are comparable with these.
};

/// Loads the runs that `what` names: a baseline file, `history:BRANCH~N` (from --db), or a profile,
/// which is analyzed under `policy` (its iterations, kernel names and devices). A profile with data
/// loss is rejected, unless `seen.log` receives its losses or --allow-incomplete is given: an
/// incomplete baseline would hide regressions. Errors: kConfig for baselines and histories, kInput
/// for profiles.
Result<std::vector<gate::Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                                  const rules::Policy& policy, Console& console,
                                                  const SeenBesides& seen = {});

/// Rejects a run of another program than `others`, i.e. with another format, device or world size
/// (kUsage, unless --force). Prints a note if its operators or shapes differ.
Status RefuseOther(const gate::Snapshot& run, std::span<const gate::Snapshot> others,
                   const Options& options, Console& console);

/// The settings of --policy for runs that are stored; without --policy nothing is selected. nullopt
/// after its errors were reported.
std::optional<rules::Policy> KeepingPolicy(const Options& options, Console& console);

/// The runs of --baseline: those of files now, those of the history when the candidates are known.
/// `probe` receives a run if one was needed to classify the arguments. Errors: as LoadSnapshots().
Result<BaselineSource> LoadBaselines(const Options& options, const rules::Policy& policy,
                                     Console& console, std::vector<gate::Snapshot>& probe);

/// Prints which files beside the history at `path` SQLite would use and ProfGauge ignores.
void SayUnused(const std::string& path, Console& console);

/// The folder of the policy, whose repository is judged; else the working folder.
std::string JudgedFolderOf(const Options& options);

/// Sets the judged commit and its ancestors: from the question, else from the CI, else the commit
/// checked out in the repository around `folder`. If files differ from it, the run belongs to a
/// future commit.
void TakeCommit(const std::string& folder, gate::HistoryQuestion& question);

/// The verdict on a run without a baseline: a failure if the baseline is a file. For a history:
/// `baseline_missing` of profgauge.yaml, else `missing` of the policy, else no verdict.
rules::OnBaselineMissing OnMissingOf(const Options& options, const rules::Policy& policy);

/// The person who accepts a change: --owner, else PROFGAUGE_OWNER, else who started the CI run,
/// else git's `user.name`. Errors: kUsage if none is set.
Result<std::string> OwnerOf(const Options& options);

/// Loads the runs of all `whats`, in order.
Result<std::vector<gate::Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                                     const Options& options,
                                                     const rules::Policy& policy, Console& console);

}  // namespace profgauge::cli
