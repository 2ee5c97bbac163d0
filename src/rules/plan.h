// The plan: which findings to fix in which order, and the iteration time after each, by
// simulations of all changes so far (rules/plan_search.h).
//
// A change is the scenario of a finding's rule: its rows take less time. The plan changes no
// finding. Not modeled: contention and caches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "rules/claim.h"
#include "rules/evaluator.h"
#include "rules/what_if.h"

namespace profgauge::rules {

struct PlanStep {
  /// Positions in Evaluation::findings; two that save time only together. A finding that passed may
  /// become the limit once the steps before it are done.
  std::vector<std::size_t> findings;
  double time = 0;             ///< ns: the iteration time after it.
  std::optional<double> high;  ///< ns: the same if the host's other work reacts.
  Claim claim;                 ///< Simulated, given the steps before it.
  double alone = 0;            ///< ns per iteration, without them.
};

/// The time of an iteration if the device never waited for the host, every kernel ran at the roof
/// of its operator, no rank waited for another, and collectives reached the best bandwidth that one
/// of their kind reaches in the run. Kernels of unknown work count as recorded.
struct Floor {
  double time = 0;             ///< ns per iteration.
  double reachable = 0;        ///< With this device's reach instead of its data sheet.
  double counted = 0;          ///< Part of the time of computing kernels whose work is known.
  std::string absent_because;  ///< Why there is none; empty with one.
};

/// `steps`: all that a plan changes, after which an iteration takes `end` instead of `start`: the
/// floor is never above it. REQUIRES: replayer.can_replay().
Floor FindFloor(const analysis::simulation::Replayer& replayer, const analysis::Analysis& analysis,
                const analysis::simulation::Scenario& steps, double start, double end);

struct Plan {
  std::vector<PlanStep> steps;
  std::string absent_because;  ///< Why there are no steps; empty with steps.
  double start = 0;  ///< ns: iteration.time.mean less `first_calls`; savings are taken from it.
  double first_calls = 0;  ///< ns: of a single iteration, idle time in which calls load code, once.
  /// ns: the start less profiler.delay_time, where that bounds the idle time.
  std::optional<double> without_profiler;
  std::vector<std::size_t> no_effect;  ///< Fired findings that save too little in every order.
  std::size_t replays = 0;
  bool complete = true;  ///< False: the profile is too long to try all orders.
  std::string limits;    ///< Limits of the simulations.
  Floor floor;           ///< The least time of any change of this program.

  double end() const { return steps.empty() ? start : steps.back().time; }
  double saved() const { return start - end(); }
};

/// The plan for fired findings. Without steps `absent_because` says why; the floor has a separate
/// reason. `simulations`: of that analysis, as the findings were made with; null where the profile
/// cannot be replayed. At most
/// plan.most_replayed_steps steps are replayed; a few more replays are for the least time and the
/// floor.
/// REQUIRES: `findings` are of `rules` and of `analysis`.
Plan MakePlan(std::span<const CompiledRule> rules, const std::vector<Finding>& findings,
              const analysis::Analysis& analysis, ScenarioRunner* simulations);

/// Sets plan.* and floor.*.
void AddPlanMetrics(const Plan& plan, analysis::Analysis& analysis);

}  // namespace profgauge::rules
