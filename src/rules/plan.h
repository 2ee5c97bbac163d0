// The plan: the order in which to fix findings, and the iteration time after each fix. Each time is
// simulated with all changes made so far (rules/plan_search.h).
//
// A change is the scenario of a finding's rule, i.e. its rows take less time. A plan does not
// change findings. It does not model contention and caches.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "rules/claim.h"
#include "rules/evaluator.h"
#include "rules/floor.h"
#include "rules/what_if.h"

namespace profgauge::rules {

struct PlanStep {
  /// Indices in Evaluation::findings: one, or two that save time only together. It may be a passed
  /// finding, because that may become the bottleneck after earlier steps.
  std::vector<std::size_t> findings;
  double time = 0;  ///< ns: the iteration time after it.
  /// ns: the same if the host's other work reacts, and no kernel reaches a target of these steps.
  std::optional<double> high;
  Claim claim;       ///< Simulated, given the steps before it.
  double alone = 0;  ///< ns per iteration, without them.
};

struct Plan {
  std::vector<PlanStep> steps;
  std::string absent_because;  ///< Why there are no steps; else empty.
  /// The iteration time before the first step, ns: iteration.time.mean − `first_calls`; if
  /// `with_pauses`, plus the mean time between iterations, because savings may lie there.
  double start = 0;
  bool with_pauses = false;
  double first_calls = 0;  ///< ns: one-time idle time for loading code; only for one iteration.
  /// ns: `start` minus profiler.delay_time, if the profiler may have slowed the host.
  std::optional<double> without_profiler;
  std::vector<std::size_t> no_effect;  ///< Fired findings that save too little in any order.
  std::size_t replays = 0;
  bool complete = true;  ///< False: the profile is too long to try all orders.
  std::string limits;    ///< Limits of the simulations, as text.
  Floor floor;           ///< The lower bound of the iteration time.

  double end() const { return steps.empty() ? start : steps.back().time; }
  double saved() const { return start - end(); }
};

/// Makes the plan for fired findings. Without steps, `absent_because` has the reason; the floor has
/// a separate one. `simulations` are those of `analysis`; nullptr if the profile cannot be
/// simulated. The number of simulations is limited by the number of steps that they replay in
/// total; the least time and the floor need a few more. REQUIRES: `findings` are those of `rules`
/// on `analysis`.
Plan MakePlan(std::span<const CompiledRule> rules, const std::vector<Finding>& findings,
              const analysis::Analysis& analysis, ScenarioRunner* simulations);

/// Sets the metrics plan.* and floor.*.
void AddPlanMetrics(const Plan& plan, analysis::Analysis& analysis);

}  // namespace profgauge::rules
