// Types, dimensions and contexts of a tree, checked before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/ast.h"
#include "expr/schema.h"
#include "profgauge/error.h"

namespace profgauge::expr {

struct Function;

/// The context of an expression: which fields it may name.
enum class Context : std::uint8_t {
  kRow,    ///< One row (where, order_by, columns); no aggregates.
  kGroup,  ///< All rows of a group (let, when, metric, message); row fields only in aggregates.
};

/// The checker's results for one node.
/// Data for evaluation that the tree does not have.
struct NodeInfo {
  Type type;
  const Function* function = nullptr;   ///< Only for a call.
  Slot slot = Schema::kNone;            ///< Only for a field.
  const Enumeration* values = nullptr;  ///< For a text: its possible values, where known.
  bool varies = false;                  ///< Differs from row to row.
  bool in_aggregate = false;            ///< Below an aggregate: evaluated over rows.
};

struct Checked {
  std::vector<NodeInfo> info;  ///< One per node; complete only when there are no errors.
  std::vector<Error>
      errors;  ///< By position; an error below a node hides those that follow from it.
  /// Texts that name a value of an enumeration, and the cell that represents it in the data.
  std::vector<std::pair<NodeId, std::string>> cells;
  std::vector<Error> warnings;  ///< Comparisons with values that nothing is known to have.
};

/// Fields that are first named here are taken from the schema's source, which makes it grow.
Checked Check(const Ast& ast, Schema& schema, Context context);

}  // namespace profgauge::expr
