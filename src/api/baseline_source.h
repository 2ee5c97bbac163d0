// Where the runs come from that a run is compared with.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gate/baseline_info.h"
#include "gate/snapshot.h"
#include "profgauge/error.h"

namespace profgauge {

/// The baselines found for the candidates.
struct ChosenBaseline {
  std::vector<Snapshot> runs;
  std::vector<Snapshot> anchor;  ///< Origin for measuring creep; empty: none.
  std::vector<Snapshot> parts;   ///< Runs for limits on parts; empty: as `runs`.
  /// Where the step may be of a candidate that fails; empty: nothing is known of it.
  std::function<std::string(const Snapshot& candidate)> blame;
  BaselineInfo info;
};

struct BaselineSource {
  std::vector<Snapshot> runs;  ///< Known before the candidates: of files.
  /// Looks for runs that the candidates can be compared with; empty: no one looks.
  std::function<Result<ChosenBaseline>(std::span<const Snapshot> candidates)> choose;

  bool IsAsked() const { return !runs.empty() || choose; }
  /// All runs for these candidates. Errors: those of `choose`.
  Result<ChosenBaseline> For(std::span<const Snapshot> candidates) const;
};

/// Why a run cannot be judged against a baseline that is not there.
Error MissingBaseline(const BaselineInfo& info);

}  // namespace profgauge
