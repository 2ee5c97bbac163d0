// Finds whether the level of a branch rose, and which commit caused it. `history check` prints it.
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
#include <utility>
#include <vector>

#include "gate/select.h"
#include "rules/policy.h"

namespace profgauge::gate {

/// The answer about a branch.
enum class HistoryState : std::uint8_t {
  kSteady,
  kStep,   ///< A step over the limit that was neither accepted nor undone.
  kCreep,  ///< The last runs exceed the first ones since the last step down by more than the limit.
  kTooFew,  ///< Too few comparable runs to decide.
};

/// The result for one metric of a branch.
struct HistoryFindings {
  HistoryState state = HistoryState::kSteady;
  double change = 0;            ///< Relative; negative if a metric that should be high fell.
  std::optional<double> level;  ///< For steps: the change of the level, if larger.
  bool is_of_total = false;     ///< The change is that of the total, not of typical iterations.
  std::vector<std::string> commits;  ///< Commits that may have caused a step, most probable first.
  /// Steps before it that were not undone either: changes and commits.
  std::vector<std::pair<double, std::vector<std::string>>> earlier;
  std::size_t runs = 0;  ///< Number of comparable runs.
};

/// The value of `metric` in a run, inverted if higher is better, so that larger is always worse.
/// Nothing if the run has no value above 0.
std::optional<double> WorseIsHigher(const Snapshot& run, const std::string& metric);

/// Finds changes of `metric` in its bad direction. `runs` are those since the last accepted level,
/// oldest first. Creep needs a limit on `metric` in `policy`. kTooFew if there are fewer than 8
/// runs, or if a run has no value, so that the level is unknown. If several steps were not
/// undone, names each of them. Time: O(n^2) for n runs per step.
HistoryFindings CheckHistory(std::span<const ChosenRun> runs, const std::string& metric,
                             const rules::PolicyBaseline& policy);

/// The result as text: "+4.8 % at one of 2 commits: 3f2a (most likely), 77c1".
std::string FindingsText(const HistoryFindings& findings);

/// Explains which commit may have caused the step of a failing run: one of the baseline `window`,
/// one of later runs that failed, or its own. "the step is not of this commit, but of one of 2: c11
/// (most likely), c12". Empty if no run failed before, or if a run has no times.
std::string BlameText(std::span<const ChosenRun> window, std::span<const ChosenRun> failed,
                      const Snapshot& candidate, double noise_floor);

namespace stats {

/// Finds where a step of `values` (logarithms) may be: indices of the first value after it. The
/// most probable first, then, in order, those that chance does not exclude. The true one is among
/// them in 96 to 100 of 100 cases. Empty for fewer than 4 values. `least`: fewest values on either
/// side. Method: a likelihood set; two levels are fitted by least squares at each place.
std::vector<std::size_t> BlameSet(std::span<const double> values, double noise_floor,
                                  std::size_t least = 2);

/// The change at the most probable step, as a logarithm. Nothing if chance may explain it, or if a
/// level followed by a ramp fits better. Two values after the step are enough to find it.
std::optional<double> FindStep(std::span<const double> values, double noise_floor);

}  // namespace stats

}  // namespace profgauge::gate
