// Iterations on inputs of several lengths: what an iteration takes beyond what its input asks for.
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
  double longer = 0;         ///< By how much the candidate's inputs are longer, relative.
  double unknown_share = 0;  ///< Of the candidate's iterations: inputs that the baseline has not.
  double unknown_cost = 0;   ///< By how much these make the mean of what is compared longer.
};

/// Divides the values of each iteration by what iterations on the same input shapes take in the
/// baseline, relative to its typical one. Iterations on shapes that the baseline has less than
/// three times are left out. Nothing changes where a run does not know its shapes, where the
/// baseline has one length alone, or where too many of the candidate's iterations have other
/// shapes. `base` and `current`: a value for each iteration of these runs, from the first on.
InputMix TakeOffInputs(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       std::vector<stats::Series>& base, std::vector<stats::Series>& current);

}  // namespace profgauge
