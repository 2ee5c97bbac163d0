// The names that the expressions of a rule may use, and where their data comes from.
//
// A name is looked up in this order: `$params`; columns of the rule's own rows (`kernel.mean`);
// columns of the rank, GPU or iteration of a row (`rank.id`, `gpu.idle`); metrics; facts; columns
// of ranks or GPUs that rows do not distinguish, if all of these agree. Then `let` names, `metric`
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
    kJoined,    ///< A column of `table`, in the row that the rule's row belongs to.
    kCommon,    ///< A column of `table` whose rows all agree.
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
  /// Group keys. The `id` of a rank, GPU or iteration groups by that row; other keys group by the
  /// value of a column of the rule's own rows.
  struct Key {
    const analysis::TableSpec* joined = nullptr;  ///< nullptr: own column.
    std::string column;
  };
  std::vector<Key> keys;

  expr::Slot Add(std::string name, Unit unit, expr::Scope scope, Binding binding,
                 const expr::Enumeration* values = nullptr);
  /// Finds the data sources of fields that were named since the last call. REQUIRES: each field was
  /// found by the schema's source or added by Add().
  void Bind();
};

/// The columns of `table` that link its rows to `enclosing` ("rank" and "gpu" for a GPU); empty if
/// there are none.
std::vector<std::string_view> LinkColumns(const analysis::TableSpec& table,
                                          std::string_view enclosing);

/// Finds the table with rows of this name; nullptr: none.
const analysis::TableSpec* FindTableByRow(std::string_view row_name);

/// Builds the schema. Errors in for_each, params and group_by go to `errors`, and the schema omits
/// these. Fields join it when an expression names them, so a rule with five names has five slots,
/// not a thousand. It does not point into `rule`.
RuleSchema BuildRuleSchema(const Rule& rule, Errors& errors);

}  // namespace profgauge::rules
