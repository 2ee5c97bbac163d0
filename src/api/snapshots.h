// The stored form of a run (snapshot): made from profiles, or read from a file of `baseline save`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "gate/baseline_info.h"
#include "gate/snapshot.h"
#include "model/profile.h"
#include "profgauge/error.h"

namespace profgauge {

/// Makes the snapshot of profiles that were read and analyzed with `selection`. If `name` is empty,
/// it is that of the first rank's file. A selection of less than all iterations is stored as a
/// property of the run, so that it is only compared with runs of the same selection. REQUIRES:
/// `ranks` is not empty, and `analysis` is of these. Errors: those of AttributeTime().
Result<gate::Snapshot> SnapshotOf(const std::string& name, std::span<const Profile> ranks,
                                  const analysis::Analysis& analysis,
                                  const analysis::Selection& selection);

/// Adds the iterations and parts of each rank for a run of at least three, so that the change of an
/// outlier rank is explained by its own parts (gate/compare.h). Takes as long again as
/// SnapshotOf(). Ranks whose profiles cannot be attributed separately get none. REQUIRES:
/// `snapshot` is of these.
void AddPartsByRank(std::span<const Profile> ranks, const analysis::Selection& selection,
                    gate::Snapshot& snapshot);

/// True if the file states that it is a baseline; false if it cannot be read.
bool IsBaselineFile(const std::string& path);

/// Reads the runs of a baseline file; any other file is an error. Errors: kConfig.
Result<std::vector<gate::Snapshot>> LoadBaselineFile(const std::string& path);

/// Renames runs to `word`, or to "WORD 1" and so on if there are several, because names may show
/// who recorded the runs.
void HideNames(std::string_view word, std::vector<gate::Snapshot>& runs);

// Where the runs come from that a run is compared with.

/// The baselines found for the candidates.
struct ChosenBaseline {
  std::vector<gate::Snapshot> runs;
  std::vector<gate::Snapshot> anchor;  ///< The origin for measuring slow drift; empty: none.
  /// Later ancestors than `runs` that failed or needed another profile. They may repeat a slowdown.
  std::vector<gate::Snapshot> failed;
  std::vector<gate::Snapshot> parts;      ///< Runs for limits on parts; empty: as `runs`.
  std::vector<std::int64_t> same_commit;  ///< HistoryChoice's.
  bool is_of_history = false;             ///< `runs` and the others are in order, oldest first.
  /// Explains in which run a failing candidate's slowdown may have begun; empty if that is unknown.
  std::function<std::string(const gate::Snapshot& candidate)> blame;
  gate::BaselineInfo info;
};

struct BaselineSource {
  std::vector<gate::Snapshot> runs;  ///< Known before the candidates: from files.
  /// Finds the runs to compare the candidates with; empty if there is nothing to search.
  std::function<Result<ChosenBaseline>(std::span<const gate::Snapshot> candidates)> choose;

  bool IsAsked() const { return !runs.empty() || choose; }
  /// All runs to compare these candidates with. Errors: those of `choose`.
  Result<ChosenBaseline> For(std::span<const gate::Snapshot> candidates) const;
};

/// The error for a run that cannot be judged because its baseline is missing.
Error MissingBaseline(const gate::BaselineInfo& info);

}  // namespace profgauge
