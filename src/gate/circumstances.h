// What explains a change besides the program: batch size, inputs, clocks.
//
// Each of the three can make a slower program look equal, or an equal one slow. Inputs of known
// lengths are taken off; with unknown inputs a pass is undecided. Of another batch nothing is
// compared, unless per sample (gate/work.h). The part of a change that clocks explain is
// stated. Only other clocks excuse a certain failure, since they may explain all of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/change.h"
#include "gate/compare.h"
#include "gate/snapshot.h"
#include "rules/policy.h"

namespace profgauge::gate {

// How many samples an iteration has, against one of the baseline: a smaller batch makes iterations
// faster and says nothing of the program.

/// Samples of an iteration of `run` over those of `base`: as both state them, else by the shapes of
/// matmuls and convolutions, of which one dimension of a tensor is this many times as large in 90
/// % of their time. Nothing if neither is known.
std::optional<double> SamplesRatio(const Snapshot& base, const Snapshot& run);

// Iterations on inputs of several lengths: the time of an iteration relative to the usual time of
// its input.

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

// Runs whose devices ran at other clocks than the baseline's: how much of a change clocks explain,
// and the consequences for a verdict.

/// The clocks of both sides while the device worked.
struct ClockChange {
  double base = 0, current = 0;  ///< MHz; medians over the runs.
  /// The least and the largest change of an iteration that the clocks explain, as a part of it:
  /// compute-bound kernels follow the clock of the cores, memory-bound ones that of the memory,
  /// others either; idle time stays, or takes up the device's loss.
  double low = 0, high = 0;
  double power_capped = 0, throttled = 0;  ///< Shares of the candidate's time.
};

/// Nothing where either side does not know its clocks, or they differ by 3 % or less.
std::optional<ClockChange> FindClockChange(std::span<const Snapshot> baselines,
                                           std::span<const Snapshot> candidates);

/// "the GPU ran at 1200 instead of 1980 MHz (at its power limit for 63 % of the time), which
/// explains +14.0 % to +31.0 %"
std::string ClockText(const ClockChange& clocks);

/// States in `comparison` the explained part of each typical time. Where all of a change beyond its
/// limit may be the clocks', or a faster clock may hide one, that limit is undecided
/// ("baseline/other-clocks"), unless the policy has `match: any` or `explains_only`; a change over
/// the largest explanation by more than the limit fails as before.
void JudgeClocks(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const rules::PolicyBaseline& policy, bool explains_only,
                 RunComparison& comparison);

}  // namespace profgauge::gate
