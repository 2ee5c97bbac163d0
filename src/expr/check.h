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

/// Where an expression stands: what it may see.
enum class Context : std::uint8_t {
  kRow,    ///< One row (where, order_by, columns); no aggregates.
  kGroup,  ///< All rows of a group (let, when, metric, message); row fields only in aggregates.
};

/// What the checker found out about one node.
struct NodeInfo {
  Type type;
  const Function* function = nullptr;   ///< Of a call.
  Slot slot = Schema::kNone;            ///< Of a field.
  const Enumeration* values = nullptr;  ///< Of a text: what it may be, where that is known.
  bool varies = false;                  ///< Differs from row to row.
  bool in_aggregate = false;            ///< Below an aggregate: evaluated over rows.
};

struct Checked {
  std::vector<NodeInfo> info;  ///< One per node; complete only when there are no errors.
  std::vector<Error>
      errors;  ///< By position; an error below a node hides those that follow from it.
  /// Texts that name a value of an enumeration, and what the data has for it.
  std::vector<std::pair<NodeId, std::string>> cells;
  std::vector<Error> warnings;  ///< Comparisons with values that nothing is known to have.
};

Checked Check(const Ast& ast, Schema& schema, Context context);

}  // namespace profgauge::expr
