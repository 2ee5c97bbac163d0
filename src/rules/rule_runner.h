// One rule over one run, from its rows to its findings:
//
//   applies? ──► rows by group ──► result of each group ──► findings, with texts
//   rule_run.cc                  groups.cc                    finding_texts.cc
//
// Numbers that a rule needs are absent, not 0, where the profile does not have them. Then the rule,
// the group or the limit has no result, and says so; it neither fires nor passes on them, unless
// the rule itself has a default for the number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "rules/groups.h"
#include "rules/rule_run.h"

namespace profgauge::rules {

/// Evaluates one rule over one run.
class RuleRun {
 public:
  RuleRun(const CompiledRule& rule, RunData& run, const RuleRunOptions& options)
      : rule_(rule), run_(run), options_(options), most_gain_(rule, run) {}

  /// Once. At least one finding: where the rule does not apply, one that says why.
  std::vector<Finding> Run();

 private:
  const expr::Schema& schema() const { return rule_.names.schema; }

  /// The only finding, with its reason. `field`: the name that is missing, if it is for one.
  void NotApplicable(std::string reason, std::string field);
  /// One line of `rules explain`: what a program came to.
  void Trace(std::vector<TraceValue>& trace, std::string name, const expr::Program& program,
             std::string shown) const;
  std::string Shown(const expr::Outcome& outcome, const expr::Program& program,
                    const expr::Display& display = {}) const {
    return options_.trace ? ShownOutcome(outcome, program.type(), display) : std::string();
  }
  void TraceNames(Named which, std::vector<TraceValue>& trace) const {
    if (options_.trace) AddNames(rule_, data_, which, trace);
  }

  /// How a rule that fires at that level counts.
  static FindingStatus StatusOf(Level level);

  // Whether the rule applies at all.

  /// These three: false where the rule does not apply, or no row is selected; finding_ then says
  /// why.
  bool CheckRows();

  /// Whether a column has a value anywhere.
  static bool HasData(const expr::Source& source);
  bool CheckNeeds();
  bool SelectRows();

  // If a number is uncertain, a level is sure if all its possible values reach
  // it.

  void JudgeWhatMayBe();

  /// An uncertain error is a warning.
  void DoubtError(Judged& judged) const;

  // One group.

  /// From `when` over metric, limits and gain to the level, and whether it is sure and waived.
  Judged Judge(const RowGroup& group);

  /// If the rule makes its error uncertain, it is a certain warning.
  void CheckSure(const RowGroup& group, Judged& out);

  /// Group fields and `let`s; needed again before a group is worded, since groups share the data.
  void Prepare(const RowGroup& group, std::vector<TraceValue>& trace);

  /// `outcome` may be a part of `out`.
  void MarkAbsent(Judged& out, const expr::Outcome& outcome) const;
  /// Why a number is absent, in words.
  std::string WhyAbsent(const expr::Outcome& outcome) const;
  /// False where `when` is false or unknown: the group passes, or the rule does not apply to it.
  bool CheckWhen(const RowGroup& group, Judged& out);

  /// The highest level whose limit is passed; false when none is, and one is unknown.
  bool CheckLimits(const RowGroup& group, Judged& out, std::optional<Level>& level);
  void TraceLimit(const CompiledRule::Limit& limit, const expr::Outcome& outcome,
                  std::vector<TraceValue>& trace) const;
  /// The highest level that the rule can reach under its setting.
  Level MostLevel() const;
  /// The level that the policy sets for the rule, else its own.
  Level Chosen(Level own) const;
  void TraceBound(Judged& out) const;
  /// The estimated saving, bounded by the cost of the rows and by the iteration; nothing if
  /// unknown.
  std::optional<CappedGain> GainOf(const Judged& judged) const;

  /// Whether the rule's own judgement concerns too little to fail or warn; a policy's setting
  /// is kept.
  bool IsSmall(const Judged& judged) const;

  Unit MetricUnit() const { return expr::DisplayUnit(rule_.metric_display, rule_.metric->type()); }

  /// Whether the measurement is too uncertain to fail.
  bool UsesLowConfidence() const { return rule_.metric && IsUncertain(*rule_.metric); }

  /// Whether a value that the program reads has low confidence, also through names of `let`.
  bool IsUncertain(const expr::Program& value) const;

  /// The metric whose uncertainty a name shares; empty for one that is certain.
  static std::string_view SureAs(const Binding& binding);
  /// The first waiver that has not expired and whose condition holds for the group.
  void Waive(const RowGroup& group, Judged& out);

  // Groups together.

  /// With `report: each` a finding for each group that fired or was waived, else the worst group's.
  std::vector<Finding> Report();
  /// What was measured, or looked at, of a rule that passed.
  std::string WhatIsFine(const Finding& found) const;
  /// The finding of one group with its texts, rows and gain; texts only where they will be shown.
  Finding Word(const Judged& judged);

  /// What a rule that passes measures of what its scenario takes away.
  void SetEstimate(const RowGroup& group, Finding& out);
  // The simulation of the rule's scenario replaces its estimate, of which it may save more: idle
  // time of other causes goes with that of one. A plan promises the same number.
  void SetClaim(const Judged& judged, Finding& out);
  // Says what a simulation saves beyond the time that the rule measured.
  void AddExcess(const Judged& judged, Finding& out);

  const CompiledRule& rule_;
  RunData& run_;
  const RuleRunOptions& options_;
  MostGain most_gain_;
  expr::Data data_;
  std::vector<expr::RowId> rows_;
  std::size_t looked_at_ = 0;  ///< Rows before `where`.
  /// Of rows whose `where` is unknown: what is absent, and why. Empty without such rows.
  std::string unknown_field_, unknown_because_;
  Grouping grouping_;
  std::vector<Judged> judged_;
  std::optional<ScenarioOutcome> simulated_;  ///< Once asked for: of the rule, of all groups.
  Finding finding_;                           ///< Shared by all findings of the rule.
};

}  // namespace profgauge::rules
