// What-if: scenarios in the rule language, predicted by the replay
// (analysis/simulation/replayer.h).
//
//   host_op.name matches 'DataLoader' by 0
//
// A condition looks at rows `host_op` (operators and ranges), `api_call` (runtime and driver
// calls), `launch` (kernels, copies and memsets) or `host_gap` (idle time of a device, and the
// host's work in it); the selected work takes `by` times as long. One condition looks at one kind
// of row.
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

/// "host_op.name matches 'x' by 0.5", split at the last ` by `. `place` is its source,
/// for messages: "--scale". Errors: kUsage, "usage/no-factor" with the missing part of the factor.
Result<WhatIfScale> ParseScale(std::string_view text, std::string_view place);

struct CompiledScale {
  analysis::simulation::PathTable table = analysis::simulation::PathTable::kHost;
  expr::Program condition;
  double factor = 1;
  std::optional<expr::Program> by;  ///< In place of `factor`: of each row, 0 to 1.
  bool without_waiting = false;     ///< Collectives that it selects wait for no rank either.
  /// The rank of collectives that it selects arrives with the next to last.
  bool keeps_up = false;
  bool hides = false;  ///< Selected transfers run beside computation, instead of `factor`.
};

struct CompiledScenario {
  std::string name;
  std::vector<CompiledScale> scales;
  bool without_waiting = false;
  /// Work that several of its changes select takes the smallest factor, not the product: they are
  /// the changes of several findings.
  bool by_smallest = false;
  bool host_reacts =
      false;  ///< The host's other work may become slower (ScenarioRunner::WithSlowerHost()).

  /// Whether it changes the host's work, which a profiler slows.
  bool changes_host() const {
    return std::any_of(scales.begin(), scales.end(), [](const CompiledScale& scale) {
      return scale.table != analysis::simulation::PathTable::kDevice;
    });
  }
  /// Whether rows become as short as a target of each row: no kernel takes less.
  bool is_to_target() const {
    return std::any_of(scales.begin(), scales.end(),
                       [](const CompiledScale& scale) { return scale.by.has_value(); });
  }
};

/// Errors: those of the expressions, all of them, with their places.
tl::expected<CompiledScenario, Errors> CompileScenario(const WhatIf& scenario);
/// The scenarios of a policy. Errors: also limits on scenarios that it does not have.
tl::expected<std::vector<CompiledScenario>, Errors> CompileScenarios(const Policy& policy);

/// So many scenarios are looked at side by side: each needs much memory.
inline constexpr std::size_t kMostSimulatedAtOnce = 3;

struct ScenarioOutcome {
  std::optional<analysis::simulation::Prediction> prediction;
  std::string absent_because;          ///< Why there is none.
  std::optional<double> slower_host;   ///< ns: the iteration time then, where the host reacts.
  std::vector<std::uint64_t> matched;  ///< Rows, per scale.
};

/// Predicts scenarios of one run; thread-safe (except for very large runs
/// whose times are all kept: it runs those one after the other); rows are made once, for all
/// scenarios, and kept: memory of a row for each host range, call, launch or gap that is named.
/// The changes of each scenario are found once, too: a scenario must outlive it, and stay as it is.
class ScenarioRunner {
 public:
  /// `replayer` must outlive it.
  explicit ScenarioRunner(
      const analysis::simulation::Replayer& replayer,
      analysis::simulation::PredictionOf wanted = analysis::simulation::PredictionOf::kTimesAndPath)
      : replayer_(replayer), wanted_(wanted) {}
  ScenarioOutcome Run(const CompiledScenario& scenario) { return RunTogether({&scenario, 1}); }
  /// The rows that the scenario changes, for Replayer::Predict(). Nothing is predicted.
  const analysis::simulation::Scenario& ChangesOf(const CompiledScenario& scenario) {
    return Find(scenario).changes;
  }
  /// Whether any of its conditions selects a row.
  bool Matches(const CompiledScenario& scenario) {
    return std::ranges::any_of(Find(scenario).matched, [](auto rows) { return rows > 0; });
  }
  /// Runs all `scenarios` as one change. No prediction where it needs other ranks' profiles.
  ScenarioOutcome RunTogether(std::span<const CompiledScenario> scenarios);
  /// The changes with all other ranges of the host slower, by plan.host_reaction.
  analysis::simulation::Scenario WithSlowerHost(const analysis::simulation::Scenario& changes);

  const analysis::simulation::Replayer& replayer() const { return replayer_; }

 private:
  /// Of one scenario.
  struct Found {
    analysis::simulation::Scenario changes;
    std::vector<std::uint64_t> matched;  ///< Rows, per scale.
  };
  const Found& Find(const CompiledScenario& scenario);
  /// The work that the scale's condition selects, by factors.
  std::vector<analysis::simulation::Scaling> Select(const CompiledScale& scale);

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
  std::mutex large_;  ///< Held by the one scenario of a large run that keeps many times.
};

/// For the times of rules and plans; null without a replayer, where nothing is simulated.
inline std::unique_ptr<ScenarioRunner> SimulationsOf(
    const analysis::simulation::Replayer* replayer) {
  if (replayer == nullptr) return nullptr;
  return std::make_unique<ScenarioRunner>(*replayer, analysis::simulation::PredictionOf::kTimes);
}

/// Why the changes cannot be simulated on these ranks, in one clause; empty where they can.
/// Waiting, ranks that keep up and collectives that are hidden need the other ranks.
std::string WhyNotSimulated(const analysis::simulation::Scenario& changes,
                            const analysis::simulation::Replayer& replayer);

/// Limits of predictions, in clauses; `replayer` null: of any profile.
std::string PredictionLimits(const analysis::simulation::Replayer* replayer);

/// "kernels 61.0 %, host 20.3 %": the new critical path, its largest parts first.
std::string PathText(const analysis::simulation::Prediction& prediction);

/// Adds what_if.NAME.* and the table what_if. Without scenarios nothing changes.
/// `replayer`: of that analysis; null where the profile cannot be replayed.
void AddWhatIf(std::span<const CompiledScenario> scenarios,
               const analysis::simulation::Replayer* replayer, analysis::Analysis& analysis);

}  // namespace profgauge::rules
