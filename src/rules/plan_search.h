// Searches a plan: which changes to make in which order, each with its saving after the earlier
// ones. Savings do not add up: two changes may save the same time, or one may save nothing until
// another is made. So every step is the change that saves most after the steps so far, or two
// changes that save time only together.
//
//     iteration 100     changes made    {}    a    b    c    ab   ac   bc   abc
//                       time           100   90   94  100   88   72   94    70
//
//     step 1   a saves most: 10; c saves nothing by itself
//     step 2   after a: b saves 2, c saves 18; so c
//     step 3   after a and c: b saves 2
//
// Pairs are tried if no single change saves enough, e.g. for two threads that finish together.
//
// The search has no side effects; a function computes the time for a set of changes. In 44 of 44
// tested cases this order reaches the best set of its size.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace profgauge::rules {

/// A change that may become a step. All times are ns per iteration.
struct PlanOption {
  /// Upper bound of its saving, whatever was changed before; infinite if there is none.
  double at_most = 0;
  /// True if a fired finding proposes it. Other changes join the search after the first step,
  /// because they may become the bottleneck then.
  bool is_asked_for = true;
  std::optional<double> alone = {};  ///< Its saving by itself, if already known.
};

struct PlannedStep {
  std::vector<std::size_t> options;  ///< One option, or two that save time only together.
  double saves = 0;                  ///< Saving after the earlier steps.
  double alone = 0;                  ///< Saving without them.
};

struct PlannedSteps {
  std::vector<PlannedStep> steps;
  /// Proposed options that did not become a step, because their saving was too small each time.
  std::vector<std::size_t> no_effect;
  std::size_t replays = 0;
  bool complete = true;  ///< False: there were too few simulations to try all options.
};

/// Limits of the search. Savings and times are ns per iteration. `most_replays` 0: no steps.
struct PlanLimits {
  double least_saving = 0;  ///< Minimum saving of a step.
  /// The same for a change that no finding asks for, as part of the time before the step.
  double new_share = 0;
  double tie = 0;         ///< Savings within this are equal; the earlier option wins.
  double least_time = 0;  ///< Iteration time with all options together, the least possible.
  std::size_t most_steps = 6;
  std::size_t paired = 4;  ///< Number of options, by bound, whose pairs are tried.
  std::size_t most_replays = 0;
  /// Number of sets that are simulated concurrently. Some of these may prove unnecessary, but the
  /// steps and the number of counted simulations stay the same.
  std::size_t at_once = 1;
};

/// Returns the iteration time with a set of changes (in ascending order), or the recorded one for
/// an empty set. Several threads call it if PlanLimits::at_once is above 1.
using TimeWith = std::function<double(std::span<const std::size_t>)>;

/// Searches the steps. The order of `options` matters only for ties. Uses the results of at most
/// `limits.most_replays` calls of `time_with`, each with another set: mostly one per option and
/// step, fewer if bounds exclude an option. An option in neither list of the result was not tried
/// after the last step, or was not proposed. REQUIRES: a larger set takes no longer.
PlannedSteps SearchPlan(std::span<const PlanOption> options, const PlanLimits& limits,
                        const TimeWith& time_with);

}  // namespace profgauge::rules
