// Everything that is known before a profile is read: the rules that a policy makes run, compiled.
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

/// Movable; findings point into it and into the policy.
class Rulebook {
 public:
  const RuleSet& rules() const {
    return *rules_;
  }  ///< All that were loaded, also those switched off.
  const std::vector<CompiledRule>& compiled() const { return compiled_; }
  bool LooksAt(const analysis::TableSpec& table) const;  ///< Whether any of them needs its rows.

  /// Predicts the policy's scenarios; adds what_if.NAME.* and the table what_if. Before Evaluate().
  /// `replayer`: of AnalyzeForReplay(); null where the profile cannot be replayed.
  void Predict(const analysis::simulation::Replayer* replayer, analysis::Analysis& analysis) const;
  /// The findings of one run. Gains of rules that name a scenario come from `simulations`, if there
  /// are any (SimulationsOf()). `trace` keeps intermediate values, for `rules explain`. Without it
  /// rules about a kind of device that the run does not have (AWS Neuron) are skipped, unless they
  /// are required. `beside`, where given, runs beside the rules.
  Evaluation Evaluate(const analysis::Analysis& analysis, const Facts& facts, bool trace = false,
                      ScenarioRunner* simulations = nullptr,
                      std::function<void()> beside = {}) const;
  /// Which findings to fix in which order. Without simulations: a plan without steps, and why.
  Plan PlanOf(const Evaluation& evaluation, const analysis::Analysis& analysis,
              ScenarioRunner* simulations) const;

 private:
  friend tl::expected<Rulebook, Errors> LoadRulebook(const Policy&, const SelectOptions&);
  std::unique_ptr<const RuleSet> rules_;
  std::vector<CompiledRule> compiled_;
  std::vector<CompiledScenario> scenarios_;
  std::chrono::sys_days today_{};
  std::int64_t allowed_missing_ = 0;  ///< Ranks, as the policy says.
  knowledge::TunableThresholds thresholds_;
};

/// Loads the built-in rules and those that the policy names, applies the policy to them and
/// compiles them. `policy` must outlive the result. Errors: those of all files and expressions.
tl::expected<Rulebook, Errors> LoadRulebook(const Policy& policy, const SelectOptions& options);

}  // namespace profgauge::rules
