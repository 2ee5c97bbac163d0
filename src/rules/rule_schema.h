// Names that the expressions of one rule may use, and the source of each name's data.
//
// The first that knows a name wins: `$params`; columns of the rule's own rows (`kernel.mean`);
// columns of the rank, GPU or iteration that a row belongs to (`rank.id`, `gpu.idle`); metrics;
// facts; columns of ranks or GPUs that rows do not show apart, where all of them agree. Then `let`
// names, `metric` and `gain`.
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

/// Where the data of one slot comes from.
struct Binding {
  enum class Kind : std::uint8_t {
    kParam,     ///< `name` is that of the parameter, without `$`.
    kColumn,    ///< In the rule's own table.
    kJoined,    ///< Of `table`, in the row that belongs to the rule's row.
    kCommon,    ///< Of `table`, where all its rows agree.
    kMetric,    ///< `name` is the metric's id.
    kFact,      ///< `name` is the fact's.
    kComputed,  ///< let, metric, gain: set while a group is evaluated.
  };
  Kind kind = Kind::kComputed;
  const analysis::TableSpec* table = nullptr;
  std::string name;  ///< Name of the column, metric, fact or parameter.
};

struct RuleSchema {
  expr::Schema schema;                         ///< Gets the fields that expressions name.
  std::vector<Binding> bindings;               ///< One per slot, after Bind().
  const analysis::TableSpec* table = nullptr;  ///< The rows; nullptr for `for_each: profile`.
  /// Group keys. A key that is the `id` of a rank, GPU or iteration groups by that row; others by
  /// the value of a column of the rule's own rows.
  struct Key {
    const analysis::TableSpec* joined = nullptr;  ///< nullptr: own column.
    std::string column;
  };
  std::vector<Key> keys;

  expr::Slot Add(std::string name, Unit unit, expr::Scope scope, Binding binding,
                 const expr::Enumeration* values = nullptr);
  /// Finds out where the fields get their data that were named since the last call. REQUIRES: each
  /// field was found by the schema's source, or added by Add().
  void Bind();
};

/// The columns of `table` that link its rows to `enclosing` ("rank" and "gpu" for a GPU); empty
/// when they do not show.
std::vector<std::string_view> LinkColumns(const analysis::TableSpec& table,
                                          std::string_view enclosing);

/// nullptr: no table has rows of that name.
const analysis::TableSpec* FindTableByRow(std::string_view row_name);

/// Adds errors of for_each, params and group_by to `errors`; the schema then does not have them.
/// Fields join the schema when an expression names them, so that a rule with five names has five
/// slots, not a thousand. It does not point into `rule`.
RuleSchema BuildRuleSchema(const Rule& rule, Errors& errors);

}  // namespace profgauge::rules
