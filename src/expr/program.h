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
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "expr/check.h"
#include "expr/parser.h"

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
