// Iterations on inputs of several lengths: the time of an iteration relative to the usual time of
// its input.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/change.h"
#include "gate/snapshot.h"

namespace profgauge {

/// How the lengths of inputs were taken off, where they were.
struct InputMix {
  bool is_taken_off = false;
  double longer = 0;  ///< By how much the candidate's inputs are longer, relative.
  /// Share of the candidate's iterations whose inputs the baseline does not have.
  double unknown_share = 0;
  double unknown_cost = 0;  ///< The relative increase of the compared mean by these.
};

/// Divides the values of each iteration by the time of iterations on the same input shapes in the
/// baseline, relative to its typical one. Iterations on shapes that the baseline has less than
/// three times are left out. Nothing changes if a run does not know its shapes, if the baseline has
/// only one length, or if too many of the candidate's iterations have other shapes. `base` and
/// `current`: a value for each iteration of these runs, from the first on.
InputMix TakeOffInputs(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       std::vector<stats::Series>& base, std::vector<stats::Series>& current);

}  // namespace profgauge
