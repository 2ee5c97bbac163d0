// Types, dimensions and contexts of a tree, checked before anything runs.
#pragma once

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expr/ast.h"
#include "expr/function.h"
#include "expr/parser.h"
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

// The types of one expression, node by node from the leaves up; errors name the part that is wrong.

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

// A checked expression, ready to be evaluated any number of times.
//
//   auto program = Compile("gpu.idle.mean > 15%", schema, Context::kGroup, Want::kCondition);
//
// A threshold's condition needs no rows:
//
//   expr::Schema schema;
//   for (const MetricSpec& metric : MetricCatalogue()) {
//     schema.Add(std::string(metric.id), metric.unit, expr::Scope::kGroup);
//   }
//   auto condition = expr::CompileCondition(text, schema);            // or all its errors
//   expr::Outcome outcome = expr::EvaluateCondition(*condition, [&](std::string_view name) {
//     return analysis.Find(name)->value;                              // monostate: absent
//   });                                                               // (in expr/eval.h)

namespace re2 {
class RE2;
}

namespace profgauge::expr {

/// The purpose of an expression. The error states it when its type does not fit.
enum class Want : std::uint8_t { kAnything, kCondition, kNumber };

/// A default-constructed program is empty: only assignment is allowed. Copies are cheap and share
/// one body; several threads may evaluate it.
class Program {
 public:
  /// Type of the whole expression.
  const Type& type() const { return info().back().type; }
  /// Whether it is an order_by with `desc`.
  bool descending() const { return descending_; }
  /// Canonical text.
  std::string Text() const { return Print(ast()); }
  /// The fields it names, each once, by first appearance.
  std::vector<Slot> Fields() const;

  const Ast& ast() const { return body_->ast; }
  const std::vector<NodeInfo>& info() const { return body_->info; }
  /// Comparisons with values that nothing is known to have.
  const std::vector<Error>& warnings() const { return body_->warnings; }
  /// Pattern of a `matches` node; nullptr for other nodes.
  const re2::RE2* PatternOf(NodeId id) const;

 private:
  friend struct Compiler;
  struct Body {
    Ast ast;
    std::vector<NodeInfo> info;
    std::vector<std::pair<NodeId, std::shared_ptr<const re2::RE2>>> patterns;
    std::vector<Error> warnings;
  };
  std::shared_ptr<const Body> body_;  ///< Shared by copies; never changes.
  bool descending_ = false;
};

/// Errors: all of them, kConfig; where.offset and where.length are bytes of `text`. The program
/// keeps slots of `schema`, which may grow afterwards and grows by the names in the expression.
using CompileResult = tl::expected<Program, std::vector<Error>>;
/// Patterns of `matches` are compiled here, with at most 1 MiB each; RE2 takes time linear in the
/// text, whatever the pattern.
CompileResult Compile(std::string_view text, Schema& schema, Context context,
                      Want want = Want::kAnything);
/// `expr [asc|desc]`, in row context.
CompileResult CompileOrder(std::string_view text, Schema& schema);
/// A condition over names that are the same everywhere.
CompileResult CompileCondition(std::string_view text, Schema& schema);

}  // namespace profgauge::expr
