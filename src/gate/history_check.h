// Whether the level of a branch went up, and by which commit. `history check` prints it.
//
//     kStep    . . . . . : : : : :         change_points.h: a level, then another that stays;
//              . . . . . . . . : :         of the last runs: two levels fit better than a ramp
//     kCreep   . . . . : : : : ' '         no step is certain, but the ends differ
//     steady   . . : : : . . . . .         a step that was undone
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/select.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// The answer about a branch.
enum class HistoryState : std::uint8_t {
  kSteady,
  kStep,   ///< A step up over the limit that was neither accepted nor undone.
  kCreep,  ///< The last runs exceed the first ones since the last step down by more than the limit.
  kTooFew,  ///< Too few comparable runs to decide.
};

/// The state of one metric of a branch.
struct HistoryFindings {
  HistoryState state = HistoryState::kSteady;
  double change = 0;                 ///< Relative.
  std::optional<double> level;       ///< Of a step: the change of the level, where it is larger.
  bool is_of_total = false;          ///< The change is one of the total, not of typical iterations.
  std::vector<std::string> commits;  ///< The possible commits of a step, the likeliest first.
  std::size_t runs = 0;              ///< Comparable ones.
};

/// The value of `metric` in a run, or its inverse where higher is better, so that more is worse.
/// Nothing where the run has none above 0.
std::optional<double> WorseIsHigher(const Snapshot& run, const std::string& metric);

/// Looks for the wrong direction of `metric`: up, or down where higher is better. `runs` are
/// ones since the last accepted level, oldest first. Creep needs a limit on `metric` in `policy`.
/// kTooFew of fewer than 8 runs, or if one has no value: that is no statement about the level. Of
/// several steps the last one that still lasts is named. O(n^2) for n runs a step.
HistoryFindings CheckHistory(std::span<const ChosenRun> runs, const std::string& metric,
                             const rules::PolicyBaseline& policy);

/// "+4.8 % at one of 2 commits: 3f2a (most likely), 77c1"
std::string FindingsText(const HistoryFindings& findings);

/// Where the step of a run that fails may be, of the runs of a baseline, those after it that
/// failed before, and this one: "the step is not of this commit, but of one of 2: c11 (most
/// likely), c12". Empty where no run failed before, or a run has no times.
std::string BlameText(std::span<const ChosenRun> window, std::span<const ChosenRun> failed,
                      const Snapshot& candidate, double noise_floor);

namespace stats {

/// Where a step of `values` (logarithms) may be: the index of the first value after it. The best
/// place first, then those whose fit chance does not rule out, in order; the true one is among them
/// in 96 to 100 of 100. Empty of fewer than 4 values. `least`: the least number of values on either
/// side. A likelihood set: two levels are fitted by least squares for each place.
std::vector<std::size_t> BlameSet(std::span<const double> values, double noise_floor,
                                  std::size_t least = 2);

/// The change at the best place of two levels, a logarithm; nothing where chance may make it, or
/// where a level and a ramp after it fit better. Two values after a step show it.
std::optional<double> FindStep(std::span<const double> values, double noise_floor);

}  // namespace stats

}  // namespace profgauge::gate
