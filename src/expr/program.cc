#include "expr/program.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace profgauge::expr {
namespace {

/// Memory limit of a compiled pattern; larger patterns are refused.
constexpr std::int64_t kPatternMemory = 1 << 20;

tl::unexpected<std::vector<Error>> One(Error error) {
  return tl::unexpected(std::vector<Error>{std::move(error)});
}

Error Unwanted(const Ast& ast, const Type& type, Want want) {
  const char* what = want == Want::kCondition ? "a condition" : "a number";
  return ErrorAt(ast.nodes.back().range, "expr/type",
                 fmt::format("expected {}, found {}", what, TypeName(type)));
}

bool Fits(const Type& type, Want want) {
  if (want == Want::kCondition) return type.kind == Kind::kBool;
  return want == Want::kAnything || type.kind == Kind::kNumber;
}

}  // namespace

struct Compiler {
  static CompileResult Finish(Ast ast, Schema& schema, Context context, Want want) {
    Checked checked = Check(ast, schema, context);
    auto body = std::make_shared<Program::Body>();
    for (NodeId id = 0; id < ast.nodes.size(); ++id) {
      if (ast.nodes[id].op == Op::kMatches) Pattern(ast, id, *body, checked.errors);
    }
    if (checked.errors.empty() && !Fits(checked.info.back().type, want)) {
      checked.errors.push_back(Unwanted(ast, checked.info.back().type, want));
    }
    if (!checked.errors.empty()) return tl::unexpected(std::move(checked.errors));
    // Rules name values by their ids, the data has the cells that people read. The tree keeps both:
    // `text` is compared, `spelled` is printed.
    for (auto& [id, cell] : checked.cells) {
      ast.nodes[id].spelled = std::exchange(ast.nodes[id].text, std::move(cell));
    }
    body->ast = std::move(ast);
    body->info = std::move(checked.info);
    body->warnings = std::move(checked.warnings);
    Program program;
    program.body_ = std::move(body);
    return program;
  }

  static void Pattern(const Ast& ast, NodeId id, Program::Body& body, std::vector<Error>& errors) {
    const Node& pattern = ast.nodes[ast.nodes[id].children[1]];
    if (pattern.op != Op::kText) return;
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kPatternMemory);
    auto compiled = std::make_shared<const re2::RE2>(pattern.text, options);
    if (!compiled->ok()) {
      errors.push_back(ErrorAt(pattern.range, "expr/pattern",
                               fmt::format("not a regular expression: {}", compiled->error())));
      return;
    }
    body.patterns.emplace_back(id, std::move(compiled));
  }

  static void Descend(Program& program) { program.descending_ = true; }
};

std::vector<Slot> Program::Fields() const {
  std::vector<Slot> fields;
  for (const NodeInfo& node : info()) {
    if (node.slot == Schema::kNone) continue;
    if (std::find(fields.begin(), fields.end(), node.slot) == fields.end()) {
      fields.push_back(node.slot);
    }
  }
  return fields;
}

const re2::RE2* Program::PatternOf(NodeId id) const {
  for (const auto& [node, pattern] : body_->patterns) {
    if (node == id) return pattern.get();
  }
  return nullptr;
}

CompileResult Compile(std::string_view text, Schema& schema, Context context, Want want) {
  Result<Ast> ast = Parse(text);
  if (!ast) return One(std::move(ast).error());
  return Compiler::Finish(*std::move(ast), schema, context, want);
}

CompileResult CompileOrder(std::string_view text, Schema& schema) {
  Result<Order> order = ParseOrder(text);
  if (!order) return One(std::move(order).error());
  CompileResult program =
      Compiler::Finish(std::move(order->ast), schema, Context::kRow, Want::kAnything);
  if (program && order->descending) Compiler::Descend(*program);
  return program;
}

CompileResult CompileCondition(std::string_view text, Schema& schema) {
  return Compile(text, schema, Context::kGroup, Want::kCondition);
}

}  // namespace profgauge::expr
