// The rule book: all rules that a policy selects, compiled before a profile is read.
//
//   auto policy = LoadPolicy(path);
//   auto book = LoadRulebook(*policy, {today, allow_long_waivers});
//   …read and analyze…
//   Evaluation evaluation = book->Evaluate(analysis, CollectFacts(ranks, analysis));
//   Verdict verdict = Judge(*policy, analysis, log, {.evaluation = &evaluation});
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rules/evaluator.h"
#include "rules/plan.h"
#include "rules/policy.h"
#include "rules/rule.h"
#include "rules/selection.h"
#include "rules/what_if.h"

namespace profgauge::rules {

/// A compiled rule book. Movable; findings point into it and into the policy.
class Rulebook {
 public:
  const RuleSet& rules() const { return *rules_; }  ///< All loaded rules, including disabled ones.
  const std::vector<CompiledRule>& compiled() const { return compiled_; }
  bool LooksAt(const analysis::TableSpec& table) const;  ///< True if any rule reads its rows.

  /// Simulates the policy's scenarios: adds what_if.NAME.* and the table what_if. Call it before
  /// Evaluate(). `replayer`: of AnalyzeForReplay(); nullptr if the profile cannot be simulated.
  void Predict(const analysis::simulation::Replayer* replayer, analysis::Analysis& analysis) const;
  /// Returns the findings of one run. `simulations` (of SimulationsOf()), if any, gives the savings
  /// of rules with a scenario. `trace` keeps intermediate values for `rules explain`; without it,
  /// rules about a device kind that the run does not have (AWS Neuron) are skipped unless required.
  /// `beside`, if given, runs concurrently with the rules.
  Evaluation Evaluate(const analysis::Analysis& analysis, const Facts& facts, bool trace = false,
                      ScenarioRunner* simulations = nullptr,
                      std::function<void()> beside = {}) const;
  /// Returns the order in which to fix findings. Without simulations it has no steps, but a reason.
  Plan PlanOf(const Evaluation& evaluation, const analysis::Analysis& analysis,
              ScenarioRunner* simulations) const;

 private:
  friend tl::expected<Rulebook, Errors> LoadRulebook(const Policy&, const SelectOptions&);
  std::unique_ptr<const RuleSet> rules_;
  std::vector<CompiledRule> compiled_;
  std::vector<CompiledScenario> scenarios_;
  std::chrono::sys_days today_{};
  std::int64_t allowed_missing_ = 0;  ///< Number of ranks, as the policy says.
  knowledge::TunableThresholds thresholds_;
};

/// Loads the built-in rules and those that the policy names, applies the policy and compiles them.
/// `policy` must outlive the result. Errors: those of all files and expressions.
tl::expected<Rulebook, Errors> LoadRulebook(const Policy& policy, const SelectOptions& options);

}  // namespace profgauge::rules
