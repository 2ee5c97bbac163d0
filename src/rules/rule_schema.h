// The names that the expressions of a rule may use, and where their data comes from.
//
// A name is looked up in this order: `$params`; columns of the rule's own rows (`kernel.mean`);
// columns of the row's rank, GPU or iteration (`rank.id`, `gpu.idle`); metrics; facts; columns of
// ranks or GPUs to which rows have no link, if all ranks or GPUs agree; then `let` names, `metric`
// and `gain`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "expr/schema.h"
#include "rules/rule.h"

namespace profgauge::rules {

/// The source of the data of one slot.
struct Binding {
  enum class Kind : std::uint8_t {
    kParam,     ///< A parameter; `name` is without `$`.
    kColumn,    ///< A column of the rule's own table.
    kJoined,    ///< A column of `table`, in the row to which the rule's row belongs.
    kCommon,    ///< A column of `table` in which all rows have the same value.
    kMetric,    ///< A metric; `name` is its id.
    kFact,      ///< A fact; `name` is its name.
    kComputed,  ///< A let, metric or gain: set while a group is evaluated.
  };
  Kind kind = Kind::kComputed;
  const analysis::TableSpec* table = nullptr;
  std::string name;  ///< Name of the column, metric, fact or parameter.
};

struct RuleSchema {
  expr::Schema schema;                         ///< Has the fields that expressions name.
  std::vector<Binding> bindings;               ///< One per slot, set by Bind().
  const analysis::TableSpec* table = nullptr;  ///< Table of the rows; nullptr: `profile`.
  /// A group key. The `id` of a rank, GPU or iteration groups by its row. Other keys are columns of
  /// the rule's own rows, and group by their values.
  struct Key {
    const analysis::TableSpec* joined = nullptr;  ///< nullptr: own column.
    std::string column;
  };
  std::vector<Key> keys;

  expr::Slot Add(std::string name, Unit unit, expr::Scope scope, Binding binding,
                 const expr::Enumeration* values = nullptr);
  /// Finds the data sources of the fields that were named since the last call. REQUIRES: each field
  /// was found by the schema's source, or added by Add().
  void Bind();
};

/// The columns of `table` that link its rows to `enclosing`, e.g. "rank" and "gpu" to a GPU; empty
/// if there are none.
std::vector<std::string_view> LinkColumns(const analysis::TableSpec& table,
                                          std::string_view enclosing);

/// The table whose rows have this name in rules; nullptr if there is none.
const analysis::TableSpec* FindTableByRow(std::string_view row_name);

/// Builds the schema. Errors in for_each, params and group_by go to `errors`, and the schema omits
/// the wrong parts. A field joins the schema when an expression names it, so a rule with five names
/// has five slots, not a thousand. The result does not point into `rule`.
RuleSchema BuildRuleSchema(const Rule& rule, Errors& errors);

}  // namespace profgauge::rules
