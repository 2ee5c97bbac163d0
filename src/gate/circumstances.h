// Explains changes that the program did not cause: batch size, inputs and clocks.
//
// Each can make a slower program look equal, or an equal one slow. Known input lengths are removed
// from the times; with unknown inputs, a pass is undecided. Runs with another batch size are
// compared only per sample (gate/work.h). The part of a change that clocks explain is reported.
// Only clocks can excuse a certain failure, because they may explain all of it.
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

// Batch size: a smaller batch makes iterations faster, although the program did not change.

/// Samples per iteration of `run`, relative to those of `base`: by the recorded numbers if both
/// have them, otherwise by the shapes of matmuls and convolutions, in 90 % of whose time one
/// dimension of a tensor must differ by this factor. Nothing if neither is known.
std::optional<double> SamplesRatio(const Snapshot& base, const Snapshot& run);

// Input lengths: a time is compared relative to the usual time of iterations on the same input.

/// The effect of input lengths, if they were removed from the times.
struct InputMix {
  bool is_taken_off = false;
  double longer = 0;  ///< How much longer the candidate's inputs are, relative.
  /// Share of the candidate's iterations on inputs that the baseline does not have.
  double unknown_share = 0;
  double unknown_cost = 0;  ///< Relative increase of the compared mean by these iterations.
};

/// Divides each iteration's value by the baseline's time for the same input shapes, relative to its
/// typical iteration. Skips iterations on shapes that the baseline has less than three times.
/// Changes nothing if shapes are unknown for a run, if the baseline has only one length, or if too
/// many of the candidate's iterations have other shapes. `base` and `current` have a value for each
/// iteration, from the first on.
InputMix TakeOffInputs(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                       std::vector<stats::Series>& base, std::vector<stats::Series>& current);

// Clocks: how much of a change different device clocks explain, and their effect on a verdict.

/// The clocks of both sides while the device was busy.
struct ClockChange {
  double base = 0, current = 0;  ///< MHz; medians over the runs.
  /// The smallest and largest relative change of an iteration that the clocks explain.
  /// Compute-bound kernels follow the core clock, memory-bound ones the memory clock, and others
  /// may follow either. Idle time stays, or absorbs the device's loss.
  double low = 0, high = 0;
  double power_capped = 0, throttled = 0;  ///< Shares of the candidate's time.
};

/// Finds the change of clocks. Nothing if a side's are unknown, or if they differ by at most 3 %.
std::optional<ClockChange> FindClockChange(std::span<const Snapshot> baselines,
                                           std::span<const Snapshot> candidates);

/// The change of clocks as text: "the GPU ran at 1200 instead of 1980 MHz (at its power limit for
/// 63 % of the time), which explains +14.0 % to +31.0 %".
std::string ClockText(const ClockChange& clocks);

/// Adds the explained part to each typical time of `comparison`. A limit becomes undecided
/// ("baseline/other-clocks") if clocks may explain all of a change over it, or if a faster clock
/// may hide such a change, except if the policy has `match: any`. A change that exceeds the largest
/// explanation by more than the limit still fails.
void JudgeClocks(std::span<const Snapshot> baselines, std::span<const Snapshot> candidates,
                 const rules::PolicyBaseline& policy, RunComparison& comparison);

}  // namespace profgauge::gate
