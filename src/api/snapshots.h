// The stored form of a run: made of profiles, or read from a file of `baseline save`.
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

/// The snapshot of profiles that were read and analyzed with `selection`. `name`: empty takes that
/// of the first rank's file. A selection of less than all iterations becomes a property of the run,
/// so that it is compared only with runs of the same selection. REQUIRES: `ranks` is not empty, and
/// `analysis` is of these. Errors: those of AttributeTime().
Result<gate::Snapshot> SnapshotOf(const std::string& name, std::span<const Profile> ranks,
                                  const analysis::Analysis& analysis,
                                  const analysis::Selection& selection);

/// Adds the iterations and parts of each rank of a run of at least three: the change of a rank that
/// stands out is explained by its own (gate/compare.h). As long again as SnapshotOf(). Ranks whose
/// profiles cannot be attributed alone get none. REQUIRES: `snapshot` is of these.
void AddPartsByRank(std::span<const Profile> ranks, const analysis::Selection& selection,
                    gate::Snapshot& snapshot);

/// Whether the file says that it is a baseline; false when it cannot be read.
bool IsBaselineFile(const std::string& path);

/// The runs of a baseline file, of nothing else. Errors: kConfig.
Result<std::vector<gate::Snapshot>> LoadBaselineFile(const std::string& path);

/// Renames runs to `word`, or "WORD 1" and so on where there are several: names report whoever
/// gave them.
void HideNames(std::string_view word, std::vector<gate::Snapshot>& runs);

// Where the runs come from that a run is compared with.

/// The baselines found for the candidates.
struct ChosenBaseline {
  std::vector<gate::Snapshot> runs;
  std::vector<gate::Snapshot> anchor;  ///< Origin for measuring creep; empty: none.
  /// Ancestors after the runs that failed or asked for another recording: they repeat a
  /// slowdown.
  std::vector<gate::Snapshot> failed;
  std::vector<gate::Snapshot> parts;      ///< Runs for limits on parts; empty: as `runs`.
  std::vector<std::int64_t> same_commit;  ///< HistoryChoice's.
  bool is_of_history = false;             ///< `runs` and the others are in order, oldest first.
  /// Where the step may be of a candidate that fails; empty: nothing is known of it.
  std::function<std::string(const gate::Snapshot& candidate)> blame;
  gate::BaselineInfo info;
};

struct BaselineSource {
  std::vector<gate::Snapshot> runs;  ///< Known before the candidates: of files.
  /// Looks for runs that the candidates can be compared with; empty: no one looks.
  std::function<Result<ChosenBaseline>(std::span<const gate::Snapshot> candidates)> choose;

  bool IsAsked() const { return !runs.empty() || choose; }
  /// All runs for these candidates. Errors: those of `choose`.
  Result<ChosenBaseline> For(std::span<const gate::Snapshot> candidates) const;
};

/// Why a run cannot be judged against a baseline that is not there.
Error MissingBaseline(const gate::BaselineInfo& info);

}  // namespace profgauge
