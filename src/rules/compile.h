// Rules compiled against the catalogue of metrics and tables: every expression checked, before any
// profile is read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/message.h"
#include "expr/program.h"
#include "rules/rule.h"
#include "rules/rule_schema.h"
#include "rules/selection.h"

namespace profgauge {

struct CompiledRule {
  struct Let {
    expr::Slot slot = 0;
    expr::Program value;
  };
  struct Limit {
    Level level = Level::kWarn;
    bool above = true;
    expr::Program value;
  };
  struct Column {
    expr::Program value;
    expr::Display display;
  };
  struct Waived {
    const Waiver* waiver = nullptr;
    std::optional<expr::Program> where;
  };

  const Rule* rule = nullptr;
  ActiveRule active;  ///< Parameters and level that the policy gives it.
  RuleSchema names;
  std::vector<expr::Slot> needs;
  std::optional<expr::Program> where, when, metric, gain;
  std::vector<Let> lets;
  std::vector<Limit> limits;
  expr::Display metric_display;
  expr::Slot metric_slot = expr::Schema::kNone, gain_slot = expr::Schema::kNone;
  expr::Message message, advice;
  std::optional<expr::Program> order_by;
  std::vector<Column> columns;
  std::vector<Waived> waivers;
  std::vector<std::size_t> symptoms;  ///< Rules (by index) that this one explains.
};

/// Compiles what is to be evaluated. `rules` and `policy` must outlive the result. Errors: all of
/// all rules, with their places; also `explains` that name no rule or run in a circle, and waivers
/// whose condition does not fit their rule.
tl::expected<std::vector<CompiledRule>, Errors> CompileRules(std::span<const ActiveRule> rules,
                                                             const Policy& policy);

/// The errors of one rule alone, for `rules check`.
Errors CheckRule(const Rule& rule);

}  // namespace profgauge
