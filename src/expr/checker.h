// The types of one expression, node by node from the leaves up; errors name the part that is wrong.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "expr/check.h"
#include "expr/function.h"
#include "expr/schema.h"

namespace profgauge::expr {

/// For one use. All three must outlive it; a node whose parts have errors gets none of its own.
class Checker {
 public:
  Checker(const Ast& ast, Schema& schema, Context context)
      : ast_(ast),
        schema_(schema),
        context_(context),
        failed_(ast.nodes.size(), false),
        below_unknown_(ast.nodes.size(), false) {
    out_.info.resize(ast.nodes.size());
  }

  /// Once. Children have lower numbers than their parents, so that one pass is enough. O(nodes),
  /// but for aggregates, which mark what is below them.
  Checked Run();

 private:
  const Type& TypeAt(NodeId id) const { return out_.info[id].type; }

  /// An error at `range`. The node has no type from then on, and those above it no errors of their
  /// own.
  void Fault(NodeId id, Range range, std::string code, std::string message,
             std::vector<std::string> notes = {});
  void TypeFault(NodeId id, std::string message, std::vector<std::string> notes = {}) {
    Fault(id, ast_.nodes[id].range, "expr/type", std::move(message), std::move(notes));
  }

  /// Marks all below a call that covers rows.
  void MarkAggregate(NodeId id);
  /// The type of a node whose children have theirs.
  void One(NodeId id, const Node& node);
  void FieldNode(NodeId id, const Node& node);
  void UnknownField(NodeId id, const Node& node);
  // Operators, by the types that they combine.

  void Logical(NodeId id, const Node& node);

  /// Help for a plain number where a number with a unit was needed.
  std::vector<std::string> UnitHelp(const Node& node) const;
  void Additive(NodeId id, const Node& node);
  void Multiplicative(NodeId id, const Node& node);
  void Comparison(NodeId id, const Node& node);

  /// Where `what` has known values and `literal` is a text: the cell that the text names.
  void NameValue(NodeId what, NodeId literal);

  /// An error only where all values are known.
  void NeverEqual(NodeId what, NodeId literal, const Enumeration& values);
  /// Both sides have one dimension: `x default 0` of a time needs a unit.
  void Default(NodeId id, const Node& node);
  void In(NodeId id, const Node& node);
  /// The pattern of `matches` is compiled once, so it must be written out.
  void TextTest(NodeId id, const Node& node);

  // Calls.

  void CallNode(NodeId id, const Node& node);
  void UnknownFunction(NodeId id, const Node& node, Range name);
  /// False, with an error, where an argument is of another kind.
  bool NeedsArgument(NodeId id, const Node& node, std::size_t index, Kind kind);
  /// Over rows, so its argument must differ from row to row. A last argument may be a condition.
  void Aggregate(NodeId id, const Node& node, const Function& function);
  bool PercentileRank(NodeId id, const Node& node);
  /// Over one row: arguments of `if`, `least` and their kind have one dimension.
  void Scalar(NodeId id, const Node& node, const Function& function);

  const Ast& ast_;
  Schema& schema_;
  Context context_;
  std::vector<bool> failed_;
  std::vector<bool> below_unknown_;  ///< Inside a call of an unknown function.
  Checked out_;
};

}  // namespace profgauge::expr
