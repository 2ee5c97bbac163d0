// The search for a plan: which changes to make in which order, each with its saving once the
// changes before it are made. Savings do not add up: two changes may save the same time, and one
// may save nothing until another is made. So every step is the change that saves most given the
// steps so far, or two that save together time that neither saves separately.
//
//     iteration 100     changes made    {}    a    b    c    ab   ac   bc   abc
//                       time           100   90   94  100   88   72   94    70
//
//     step 1   a saves most: 10; c saves nothing by itself
//     step 2   after a: b saves 2, c saves 18; so c
//     step 3   after a and c: b saves 2
//
// Pairs are tried where no single change saves enough: two threads that finish together.
//
// Pure: a function gives the result of a set of changes. In 44 of 44 tested cases
// this order reaches the best set of its size.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace profgauge::rules {

/// A change that may become a step. Times are ns per iteration throughout.
struct PlanOption {
  /// The most it saves, in any order; infinite where there is no bound.
  double at_most = 0;
  /// Whether a finding proposes it; else it joins the search after the first step, since it may
  /// become the limit then.
  bool is_asked_for = true;
  std::optional<double> alone = {};  ///< What it saves by itself, where that is known already.
};

struct PlannedStep {
  std::vector<std::size_t> options;  ///< One; two that save only together.
  double saves = 0;                  ///< Given the steps before it.
  double alone = 0;                  ///< By itself, without them.
};

struct PlannedSteps {
  std::vector<PlannedStep> steps;
  /// Options that are asked for and are no step, whose saving was seen to be too little each time.
  std::vector<std::size_t> no_effect;
  std::size_t replays = 0;
  bool complete = true;  ///< False: there were too few replays to look at all options.
};

/// Savings and times in ns per iteration. `most_replays` 0: the plan has no steps.
struct PlanLimits {
  double least_saving = 0;  ///< Minimum saving of a step.
  double tie = 0;           ///< Savings as near as this are the same: the earlier option.
  double least_time = 0;    ///< No set of options takes less: what all of them together take.
  std::size_t most_steps = 6;
  std::size_t paired = 4;  ///< Number of options whose pairs are tried, by possible saving.
  std::size_t most_replays = 0;
  /// How many sets are looked at side by side, of which some may turn out not to be needed. That
  /// changes neither the steps nor the number of replays.
  std::size_t at_once = 1;
};

/// The time of an iteration with a set of changes, given in ascending order; of none: as recorded.
/// Called by several threads where PlanLimits::at_once says so.
using TimeWith = std::function<double(std::span<const std::size_t>)>;

/// The result depends on the order of `options` only between ties. At most `limits.most_replays`
/// calls of `time_with` whose results are used, each for another set: mostly one for each option
/// and step, fewer where bounds show that an option cannot be the best. An option in neither list
/// was not tried after the last step, or was never asked for. REQUIRES: a larger set takes no
/// longer.
PlannedSteps SearchPlan(std::span<const PlanOption> options, const PlanLimits& limits,
                        const TimeWith& time_with);

}  // namespace profgauge::rules
