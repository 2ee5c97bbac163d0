// What-if: scenarios in the rule language, whose effect is simulated
// (analysis/simulation/replayer.h).
//
//   host_op.name matches 'DataLoader' by 0
//
// A condition selects rows: `host_op` (operators and ranges), `api_call` (runtime and driver
// calls), `launch` (kernels, copies and memsets) or `host_gap` (idle time of a device with the
// host's work in it). The selected work takes `by` times as long. A condition selects one kind of
// row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/simulation/replayer.h"
#include "base/errors.h"
#include "expr/program.h"
#include "rules/policy.h"

namespace profgauge::rules {

/// Parses "host_op.name matches 'x' by 0.5", split at the last ` by `. `place` names its source in
/// messages: "--scale". Errors: kUsage; "usage/no-factor" without a factor.
Result<WhatIfScale> ParseScale(std::string_view text, std::string_view place);

struct CompiledScale {
  analysis::simulation::PathTable table = analysis::simulation::PathTable::kHost;
  expr::Program condition;
  double factor = 1;
  std::optional<expr::Program> by;  ///< Expression per row, 0 to 1, instead of `factor`.
  bool without_waiting = false;     ///< Selected collectives also wait for no rank.
  /// The rank of a selected collective arrives as early as the last but one.
  bool keeps_up = false;
  bool hides = false;  ///< Selected transfers overlap with computation, instead of `factor`.
};

struct CompiledScenario {
  std::string name;
  std::vector<CompiledScale> scales;
  bool without_waiting = false;
  /// True if work that several changes select takes the smallest factor, not their product, because
  /// the changes belong to several findings.
  bool by_smallest = false;
  bool host_reacts = false;  ///< Other work of the host may slow down (WithSlowerHost()).

  /// True if a factor is neither recorded nor a removal: how much such a change usually leaves.
  bool is_typical() const {
    return std::any_of(scales.begin(), scales.end(), [](const CompiledScale& scale) {
      return !scale.by && scale.factor > 0 && scale.factor < 1;
    });
  }
  /// True if it changes work of the host, which a profiler slows.
  bool changes_host() const {
    return std::any_of(scales.begin(), scales.end(), [](const CompiledScale& scale) {
      return scale.table != analysis::simulation::PathTable::kDevice;
    });
  }
  /// True if selected rows take their own target times, the shortest possible ones.
  bool is_to_target() const {
    return std::any_of(scales.begin(), scales.end(),
                       [](const CompiledScale& scale) { return scale.by.has_value(); });
  }
};

/// Compiles a scenario. Reports all errors of its expressions, with places.
tl::expected<CompiledScenario, Errors> CompileScenario(const WhatIf& scenario);
/// Compiles the scenarios of a policy. Errors: those of scenarios, and limits on unknown ones.
tl::expected<std::vector<CompiledScenario>, Errors> CompileScenarios(const Policy& policy);

/// The number of scenarios that are simulated concurrently; each needs much memory.
inline constexpr std::size_t kMostSimulatedAtOnce = 3;

struct ScenarioOutcome {
  std::optional<analysis::simulation::Prediction> prediction;
  std::string absent_because;          ///< Why there is no prediction; else empty.
  std::optional<double> slower_host;   ///< ns: iteration time if the host's other work slows down.
  std::vector<std::uint64_t> matched;  ///< Number of matched rows per scale.
  bool is_without_rows = false;        ///< No prediction, as it is known to change nothing.
};

/// Simulates scenarios of one run; thread-safe. For very large runs whose times are all kept,
/// scenarios run one by one. Rows are made once for all scenarios and kept: memory for each host
/// range, call, launch or gap of a named kind. The changes of a scenario are also found only once,
/// so a scenario must stay unchanged and outlive this object.
class ScenarioRunner {
 public:
  /// REQUIRES: `replayer` outlives the runner.
  explicit ScenarioRunner(
      const analysis::simulation::Replayer& replayer,
      analysis::simulation::PredictionOf wanted = analysis::simulation::PredictionOf::kTimesAndPath)
      : replayer_(replayer), wanted_(wanted) {}
  ScenarioOutcome Run(const CompiledScenario& scenario) { return RunTogether({&scenario, 1}); }
  /// The rows that the scenario changes, for Replayer::Predict(). It simulates nothing.
  const analysis::simulation::Scenario& ChangesOf(const CompiledScenario& scenario) {
    return Find(scenario).changes;
  }
  /// True if any condition of the scenario selects a row.
  bool Matches(const CompiledScenario& scenario) {
    return std::ranges::any_of(Find(scenario).matched, [](auto rows) { return rows > 0; });
  }
  /// True if every row is known not to be what the scenario changes, so it would save nothing.
  bool IsWithoutRows(const CompiledScenario& scenario) {
    return !Matches(scenario) && Find(scenario).is_known && !scenario.without_waiting;
  }
  /// Simulates all `scenarios` as one change. No prediction if it needs profiles of other ranks.
  ScenarioOutcome RunTogether(std::span<const CompiledScenario> scenarios);
  /// The changes, with all other host ranges made slower by plan.host_reaction.
  analysis::simulation::Scenario WithSlowerHost(const analysis::simulation::Scenario& changes);

  const analysis::simulation::Replayer& replayer() const { return replayer_; }

 private:
  /// The changes of one scenario.
  struct Found {
    analysis::simulation::Scenario changes;
    std::vector<std::uint64_t> matched;  ///< Number of matched rows per scale.
    bool is_known = true;  ///< There are rows, and every condition has an answer for each.
  };
  const Found& Find(const CompiledScenario& scenario);
  /// The work that the scale's condition selects, by factor. `is_known` becomes false if there are
  /// no rows, or some for which the condition or the factor is unknown.
  std::vector<analysis::simulation::Scaling> Select(const CompiledScale& scale, bool& is_known);

  const analysis::simulation::Replayer& replayer_;
  analysis::simulation::PredictionOf wanted_;
  struct KnownRows {
    std::mutex use;
    std::optional<analysis::simulation::Replayer::Rows> rows;
  };
  KnownRows known_[4];  ///< By table.
  std::mutex finding_;
  std::map<const CompiledScenario*, Found> found_;
  std::optional<analysis::simulation::Scaling> slower_host_;
  std::mutex large_;  ///< Locked while a scenario of a large run keeps many times.
};

/// Makes the runner for rules and plans; nullptr without a replayer, so that nothing is simulated.
inline std::unique_ptr<ScenarioRunner> SimulationsOf(
    const analysis::simulation::Replayer* replayer) {
  if (replayer == nullptr) return nullptr;
  return std::make_unique<ScenarioRunner>(*replayer, analysis::simulation::PredictionOf::kTimes);
}

/// A clause that explains why the changes cannot be simulated on these ranks; empty if they can.
/// Waiting, ranks that keep up, and overlapped collectives need the profiles of other ranks.
std::string WhyNotSimulated(const analysis::simulation::Scenario& changes,
                            const analysis::simulation::Replayer& replayer);

/// The limits of simulations, as clauses. With `replayer` nullptr, those of any profile.
std::string PredictionLimits(const analysis::simulation::Replayer* replayer);

/// The new critical path as text, largest parts first: "kernels 61.0 %, host 20.3 %".
std::string PathText(const analysis::simulation::Prediction& prediction);

/// Adds the metrics what_if.NAME.* and the table what_if; nothing without scenarios. `replayer` is
/// that of this analysis; nullptr if the profile cannot be simulated.
void AddWhatIf(std::span<const CompiledScenario> scenarios,
               const analysis::simulation::Replayer* replayer, analysis::Analysis& analysis);

}  // namespace profgauge::rules
