// Checks types, dimensions and contexts of a tree before it is evaluated.
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

/// The context of an expression: the fields that it may name.
enum class Context : std::uint8_t {
  kRow,    ///< One row (where, order_by, columns); no aggregates.
  kGroup,  ///< All rows of a group (let, when, metric, message); row fields only in aggregates.
};

/// The checker's results for one node, which evaluation needs besides the tree.
struct NodeInfo {
  Type type;
  const Function* function = nullptr;   ///< Only for a call.
  Slot slot = Schema::kNone;            ///< Only for a field.
  const Enumeration* values = nullptr;  ///< For a text: its possible values, if known.
  bool varies = false;                  ///< Differs from row to row.
  bool in_aggregate = false;            ///< Below an aggregate: evaluated over rows.
};

struct Checked {
  std::vector<NodeInfo> info;  ///< One per node; complete only if there are no errors.
  std::vector<Error> errors;  ///< By position; an error in a node hides errors that follow from it.
  /// Texts that name a value of an enumeration, and the cell that represents the value in the data.
  std::vector<std::pair<NodeId, std::string>> cells;
  std::vector<Error> warnings;  ///< Comparisons with values that are not known to occur.
};

/// Fields that are named for the first time are added to the schema from its source.
Checked Check(const Ast& ast, Schema& schema, Context context);

// Determines types from the leaves up. Each error names the faulty part.

/// Checks once. The arguments must outlive it. A node whose parts have errors gets no error.
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

  /// Checks the whole tree; call it once. Children have lower numbers than their parents, so one
  /// pass is enough. O(nodes), except for aggregates, which mark their subtree.
  Checked Run();

 private:
  const Type& TypeAt(NodeId id) const { return out_.info[id].type; }

  /// Adds an error at `range`. The node then has no type, so nodes above it get no errors.
  void Fault(NodeId id, Range range, std::string code, std::string message,
             std::vector<std::string> notes = {});
  void TypeFault(NodeId id, std::string message, std::vector<std::string> notes = {}) {
    Fault(id, ast_.nodes[id].range, "expr/type", std::move(message), std::move(notes));
  }

  /// Marks the subtree of a call that is evaluated over rows.
  void MarkAggregate(NodeId id);
  /// Determines the type of a node whose children have types.
  void One(NodeId id, const Node& node);
  void FieldNode(NodeId id, const Node& node);
  void UnknownField(NodeId id, const Node& node);
  // Operators, by the types that they combine:

  void Logical(NodeId id, const Node& node);

  /// Help for a plain number that needs a unit.
  std::vector<std::string> UnitHelp(const Node& node) const;
  void Additive(NodeId id, const Node& node);
  void Multiplicative(NodeId id, const Node& node);
  void Comparison(NodeId id, const Node& node);

  /// If `what` has known values and `literal` is a text: stores the cell that the text names.
  void NameValue(NodeId what, NodeId literal);

  /// Adds an error only if all values are known.
  void NeverEqual(NodeId what, NodeId literal, const Enumeration& values);
  /// Both sides must have one dimension: `x default 0` for a time needs a unit.
  void Default(NodeId id, const Node& node);
  void In(NodeId id, const Node& node);
  /// The pattern of `matches` must be a literal, because it is compiled once.
  void TextTest(NodeId id, const Node& node);

  // Calls of functions:

  void CallNode(NodeId id, const Node& node);
  void UnknownFunction(NodeId id, const Node& node, Range name);
  /// Returns false and adds an error if an argument has another kind.
  bool NeedsArgument(NodeId id, const Node& node, std::size_t index, Kind kind);
  /// An aggregate, whose argument must differ between rows. The last argument may be a condition.
  void Aggregate(NodeId id, const Node& node, const Function& function);
  bool PercentileRank(NodeId id, const Node& node);
  /// A function of one row; the arguments of `if`, `least` and the like must have one dimension.
  void Scalar(NodeId id, const Node& node, const Function& function);

  const Ast& ast_;
  Schema& schema_;
  Context context_;
  std::vector<bool> failed_;
  std::vector<bool> below_unknown_;  ///< Inside a call of an unknown function.
  Checked out_;
};

}  // namespace profgauge::expr

// A checked expression that can be evaluated any number of times.
//
//   auto program = Compile("gpu.idle.mean > 15%", schema, Context::kGroup, Want::kCondition);
//
// The condition of a threshold needs no rows:
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

/// The purpose of an expression. The error names it if the expression's type does not fit.
enum class Want : std::uint8_t { kAnything, kCondition, kNumber };

/// A default-constructed program is empty and may only be assigned to. Copies are cheap and share
/// one body; several threads may evaluate it.
class Program {
 public:
  /// The type of the whole expression.
  const Type& type() const { return info().back().type; }
  /// True for an order_by with `desc`.
  bool descending() const { return descending_; }
  /// Canonical text.
  std::string Text() const { return Print(ast()); }
  /// The fields that it names, each once, by first appearance.
  std::vector<Slot> Fields() const;

  const Ast& ast() const { return body_->ast; }
  const std::vector<NodeInfo>& info() const { return body_->info; }
  /// Comparisons with values that are not known to occur.
  const std::vector<Error>& warnings() const { return body_->warnings; }
  /// The pattern of a `matches` node; nullptr for other nodes.
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

/// The program, or all errors: kConfig; where.offset and where.length are bytes of `text`. The
/// names in an expression are added to `schema`, which may grow later; the program stores their
/// slots.
using CompileResult = tl::expected<Program, std::vector<Error>>;
/// Compiles an expression and its patterns of `matches`, with at most 1 MiB each; RE2 takes time
/// linear in the text, whatever the pattern.
CompileResult Compile(std::string_view text, Schema& schema, Context context,
                      Want want = Want::kAnything);
/// Compiles `expr [asc|desc]`, in row context.
CompileResult CompileOrder(std::string_view text, Schema& schema);
/// Compiles a condition without row fields.
CompileResult CompileCondition(std::string_view text, Schema& schema);

}  // namespace profgauge::expr
