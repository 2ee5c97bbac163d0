// Runs to compare with: from baseline files, the history, or profiles.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "cli/options.h"
#include "gate/snapshot.h"
#include "model/profile.h"
#include "profgauge/error.h"
#include "rules/policy.h"

namespace profgauge::cli {

class Console;

/// The snapshot of profiles that were read and analysed with `selection`.
Result<Snapshot> SnapshotOf(const std::string& name, std::span<const Profile> ranks,
                            const Analysis& analysis, const Selection& selection);

/// The runs that `what` names: a baseline file, `history:BRANCH~N` (from --db), or a profile,
/// which is analysed under `policy` (its iterations, kernel names and devices).
/// Errors: kConfig for baselines and histories, kInput for profiles.
/// What reading a profile lost is added to `log`, unless that is nullptr.
Result<std::vector<Snapshot>> LoadSnapshots(const std::string& what, const Options& options,
                                            const Policy& policy, Console& console,
                                            ImportLog* log = nullptr);

/// Refuses a run that is no other run of the program that `others` recorded: of another format,
/// device or world size (kUsage, unless --force). Says so where its ops or shapes differ.
Status RefuseOther(const Snapshot& run, std::span<const Snapshot> others, const Options& options,
                   Console& console);

/// Renames runs to `word`, or "WORD 1" and so on where there are several: names tell of whoever
/// gave them.
void HideNames(std::string_view word, std::vector<Snapshot>& runs);

/// Whether the file says that it is a baseline; false when it cannot be read.
bool IsBaselineFile(const std::string& path);

/// The runs of a baseline file, of nothing else. Errors: kConfig.
Result<std::vector<Snapshot>> LoadBaselineFile(const std::string& path);

/// What --baseline names. Errors: as LoadSnapshots.
Result<std::vector<Snapshot>> LoadBaselines(const Options& options, const Policy& policy,
                                            Console& console);

/// All of `whats` together, in order.
Result<std::vector<Snapshot>> LoadAllSnapshots(const std::vector<std::string>& whats,
                                               const Options& options, const Policy& policy,
                                               Console& console);

}  // namespace profgauge::cli
