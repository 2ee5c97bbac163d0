// Evaluates one rule on one run, from its rows to its findings:
//
//   applies? ──► rows by group ──► result of each group ──► findings, with texts
//   rule_run.cc                  groups.cc                    finding_texts.cc
//
// Numbers that a rule needs are absent, not 0, if the profile does not have them. The rule, group
// or limit then has no result but a reason; it neither fires nor passes, unless the rule has a
// default for the number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metric_id.h"
#include "knowledge/findings.h"
#include "rules/gain_bound.h"
#include "rules/groups.h"
#include "rules/rule_run.h"

namespace profgauge::rules {

/// Evaluates one rule over one run.
class RuleRun {
 public:
  RuleRun(const CompiledRule& rule, RunData& run, const RuleRunOptions& options)
      : rule_(rule), run_(run), options_(options), most_gain_(rule, run) {}

  /// Runs the rule, once. Returns at least one finding, with a reason if it does not apply.
  std::vector<Finding> Run();

 private:
  const expr::Schema& schema() const { return rule_.names.schema; }

  /// Makes the only finding "not applicable". `field` is the missing name, if that is the reason.
  void NotApplicable(std::string reason, std::string field);
  /// Adds the result of a program to the lines of `rules explain`.
  void Trace(std::vector<TraceValue>& trace, std::string name, const expr::Program& program,
             std::string shown) const;
  std::string Shown(const expr::Outcome& outcome, const expr::Program& program,
                    const expr::Display& display = {}) const {
    return options_.trace ? ShownOutcome(outcome, program.type(), display) : std::string();
  }
  void TraceNames(Named which, std::vector<TraceValue>& trace) const {
    if (options_.trace) AddNames(rule_, data_, which, trace);
  }

  /// The status of a rule that fires at this level.
  static FindingStatus StatusOf(Level level);

  // Whether the rule applies.

  /// Each of these three functions returns false if the rule does not apply or selects no row;
  /// finding_ then has the reason.
  bool CheckRows();

  /// True if the column has any value.
  static bool HasData(const expr::Source& source);
  bool CheckNeeds();
  bool SelectRows();

  // Uncertain numbers. A level is certain if all possible values of the number reach it.

  void JudgeWhatMayBe();

  /// Turns an error whose level is uncertain into a warning.
  void DoubtError(Judged& judged) const;

  // Evaluates one group.

  /// Evaluates `when`, metric, limits and gain; sets the level, its certainty, and the waiver.
  Judged Judge(const RowGroup& group);

  /// Turns an error into a certain warning if the rule's `sure_when` is false.
  void CheckSure(const RowGroup& group, Judged& out);

  /// Sets the group's fields and `let` names. Called again before texts, as groups share the data.
  void Prepare(const RowGroup& group, std::vector<TraceValue>& trace);

  /// Marks a group as not applicable, because of `outcome`, which may be a part of `out`.
  void MarkAbsent(Judged& out, const expr::Outcome& outcome) const;
  /// Explains why a number is absent.
  std::string WhyAbsent(const expr::Outcome& outcome) const;
  /// Evaluates `when`. False if it is false or unknown: then the group passes or is left out.
  bool CheckWhen(const RowGroup& group, Judged& out);

  /// Sets the highest level whose limit is exceeded. False if none is and a limit is unknown.
  bool CheckLimits(const RowGroup& group, Judged& out, std::optional<Level>& level);
  void TraceLimit(const CompiledRule::Limit& limit, const expr::Outcome& outcome,
                  std::vector<TraceValue>& trace) const;
  /// The highest level that the rule can reach with the policy's setting.
  Level MostLevel() const;
  /// The level that the policy sets for the rule; `own` if it sets none.
  Level Chosen(Level own) const;
  void TraceBound(Judged& out) const;
  /// The estimated saving, at most the rows' cost and an iteration; nothing if unknown.
  std::optional<CappedGain> GainOf(const Judged& judged) const;

  /// True if the saving is too small for an error or a warning. False if the policy sets a level or
  /// a limit.
  bool IsSmall(const Judged& judged) const;

  Unit MetricUnit() const { return expr::DisplayUnit(rule_.metric_display, rule_.metric->type()); }

  /// True if the measured number is too uncertain for an error.
  bool UsesLowConfidence() const { return rule_.metric && IsUncertain(*rule_.metric); }

  /// True if the program uses a value of low confidence, directly or through `let` names.
  bool IsUncertain(const expr::Program& value) const;

  /// The metric that shows how certain the name's value is; empty if it is certain.
  static std::string_view SureAs(const Binding& binding);
  /// Applies the first waiver that has not expired and whose condition is true for the group.
  void Waive(const RowGroup& group, Judged& out);

  // Makes findings from the groups.

  /// Returns the worst group's finding or, with `report: each`, one for each fired or waived group.
  std::vector<Finding> Report();
  /// Text for a rule that passed: the measured value, or the rows that were checked.
  std::string WhatIsFine(const Finding& found) const;
  /// The finding of one group with texts, rows and gain; texts only if they are shown.
  Finding Word(const Judged& judged);

  /// Sets the estimate of a passed rule: the time that its scenario would remove.
  void SetEstimate(const RowGroup& group, Finding& out);
  // Sets the saving of the fix: by the simulation of the rule's scenario, else by the estimate. The
  // simulated one may be larger, because idle time with other causes may disappear, too. A plan
  // uses the same number.
  void SetClaim(const Judged& judged, Finding& out);
  // Adds a sentence if the simulated saving is larger than the time that the rule measured.
  void AddExcess(const Judged& judged, Finding& out);

  const CompiledRule& rule_;
  RunData& run_;
  const RuleRunOptions& options_;
  MostGain most_gain_;
  expr::Data data_;
  std::vector<expr::RowId> rows_;
  std::size_t looked_at_ = 0;  ///< Number of rows before `where`.
  /// If `where` is unknown for some rows: the absent field, and the reason. Otherwise empty.
  std::string unknown_field_, unknown_because_;
  Grouping grouping_;
  std::vector<Judged> judged_;
  std::optional<ScenarioOutcome> simulated_;  ///< For all groups; set when first needed.
  Finding finding_;                           ///< Data shared by all findings of the rule.
};

}  // namespace profgauge::rules
