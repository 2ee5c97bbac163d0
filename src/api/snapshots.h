// The stored form of a run: made of profiles, or read from a file of `baseline save`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "gate/snapshot.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// The snapshot of profiles that were read and analyzed with `selection`.
Result<Snapshot> SnapshotOf(const std::string& name, std::span<const Profile> ranks,
                            const Analysis& analysis, const Selection& selection);

/// Whether the file says that it is a baseline; false when it cannot be read.
bool IsBaselineFile(const std::string& path);

/// The runs of a baseline file, of nothing else. Errors: kConfig.
Result<std::vector<Snapshot>> LoadBaselineFile(const std::string& path);

/// Renames runs to `word`, or "WORD 1" and so on where there are several: names report whoever
/// gave them.
void HideNames(std::string_view word, std::vector<Snapshot>& runs);

}  // namespace profgauge
