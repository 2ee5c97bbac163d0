// Runs to compare with: from baseline files, the history, or profiles.
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

/// Kept data of a profile besides its snapshot; nullptr: not asked for.
struct SeenBesides {
  ImportLog* log = nullptr;  ///< Its reading losses are added.
  /// Doubts about its verdict (gate/doubts.h) are added; else they go to the console.
  std::vector<std::string>* doubts = nullptr;
  RunPicture* picture = nullptr;  ///< From a profile; others have none.
  std::span<const gate::Snapshot> beside =
      {};  ///< A history gives runs that are comparable with these.
};

/// The runs that `what` names: a baseline file, `history:BRANCH~N` (from --db), or a profile, which
/// is analyzed under `policy` (its iterations, kernel names and devices). A profile with data loss
/// is refused, unless `seen.log` takes its losses or --allow-incomplete is given: an incomplete
/// baseline would hide regressions. Errors: kConfig for baselines and histories, kInput for
/// profiles.
Result<std::vector<gate::Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                                  const rules::Policy& policy, Console& console,
                                                  const SeenBesides& seen = {});

/// Refuses a run that is no other run of the program that `others` recorded: of another format,
/// device or world size (kUsage, unless --force). Says so where its ops or shapes differ.
Status RefuseOther(const gate::Snapshot& run, std::span<const gate::Snapshot> others,
                   const Options& options, Console& console);

/// The --policy settings for kept runs; nothing is selected without it. Empty after its
/// errors were reported.
std::optional<rules::Policy> KeepingPolicy(const Options& options, Console& console);

/// The runs of --baseline: of files now, of the history once the candidates are known. `probe`
/// gets a run by which arguments are distinguished. Errors: as LoadSnapshots.
Result<BaselineSource> LoadBaselines(const Options& options, const rules::Policy& policy,
                                     Console& console, std::vector<gate::Snapshot>& probe);

/// Says which files beside the history at `path` SQLite would use, and that we do not.
void SayUnused(const std::string& path, Console& console);

/// The folder of the policy, whose repository is judged; else the working folder.
std::string JudgedFolderOf(const Options& options);

/// The judged commit and its ancestors: that of the question, else of the CI, else what is checked
/// out in the repository around `folder`. Where files differ from that, the run is of a commit that
/// is to come.
void TakeCommit(const std::string& folder, gate::HistoryQuestion& question);

/// The result of a run without a baseline: a failure for files; for a history `baseline_missing` of
/// profgauge.yaml, else `missing` of the policy, else no verdict.
rules::OnBaselineMissing OnMissingOf(const Options& options, const rules::Policy& policy);

/// Who accepts: --owner, else PROFGAUGE_OWNER, else who started the CI run, else git's `user.name`;
/// kUsage where no one says.
Result<std::string> OwnerOf(const Options& options);

/// All of `whats` together, in order.
Result<std::vector<gate::Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                                     const Options& options,
                                                     const rules::Policy& policy, Console& console);

}  // namespace profgauge::cli
