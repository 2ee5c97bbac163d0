#include "rules/condition.h"

#include <fmt/format.h>

#include "base/format.h"
#include "expr/eval.h"
#include "expr/program.h"

namespace profgauge::rules {
namespace {

/// Every metric of the catalog, one value each.
expr::Schema MetricSchema() {
  expr::Schema schema;
  schema.SetSource({MetricField, MetricNames});
  return schema;
}

std::string WhyUnknown(const std::string& field, const analysis::Analysis& analysis) {
  const analysis::Metric* metric = analysis.Find(field);
  if (metric == nullptr || metric->absent_because.empty()) return "this profile does not have it";
  return metric->absent_because;
}

/// The metric's title, for the words of a device to be put in; else its id.
std::string TitleOf(const std::string& field) {
  const analysis::MetricSpec* spec = analysis::FindMetric(field);
  return spec == nullptr ? field : std::string(spec->title);
}

/// "Tensor Core eligible time is 3.2 %, GPUs is 1".
std::string ValuesOf(const expr::Program& program, const expr::Schema& schema,
                     const analysis::Analysis& analysis) {
  std::string text;
  for (const expr::Slot slot : program.Fields()) {
    const expr::Field& field = schema[slot];
    const analysis::Metric* metric = analysis.Find(field.name);
    if (!text.empty()) text += ", ";
    text += fmt::format("{} is {}", TitleOf(field.name),
                        FormatValue(metric == nullptr ? Value{} : metric->value, field.unit));
  }
  return text;
}

Value LookUp(const analysis::Analysis& analysis, std::string_view name) {
  const analysis::Metric* metric = analysis.Find(name);
  return metric == nullptr ? Value{} : metric->value;
}

/// A part of an expression, as a separate expression.
std::optional<expr::Program> PartOf(const expr::Ast& ast, expr::NodeId id, expr::Schema& schema) {
  expr::Ast part;
  const expr::NodeId first = ast.nodes[id].first;
  for (expr::NodeId at = first; at <= id; ++at) {
    expr::Node node = ast.nodes[at];
    node.first -= first;
    for (expr::NodeId& child : node.children) child -= first;
    part.nodes.push_back(std::move(node));
  }
  auto program = expr::CompileCondition(expr::Print(part), schema);
  return program ? std::optional(*std::move(program)) : std::nullopt;
}

/// The false part: of `a and b` the first that is false, of `if(known(x), a, b)`
/// the branch that applies.
expr::Program WhatFails(expr::Program program, expr::Schema& schema,
                        const analysis::Analysis& analysis) {
  const auto holds = [&](const expr::Program& part) {
    const auto outcome = expr::EvaluateCondition(
        part, [&](std::string_view name) { return LookUp(analysis, name); });
    return !IsAbsent(outcome.value) && AsNumber(outcome.value, 0) != 0;
  };
  for (;;) {
    const expr::Ast& ast = program.ast();
    const expr::Node& root = ast.nodes[ast.root()];
    std::optional<expr::Program> narrower;
    if (root.op == expr::Op::kAnd) {
      for (const expr::NodeId child : root.children) {
        narrower = PartOf(ast, child, schema);
        if (!narrower || !holds(*narrower)) break;
      }
    } else if (root.op == expr::Op::kCall && root.text == "if" && root.children.size() == 3) {
      const auto condition = PartOf(ast, root.children[0], schema);
      if (condition) narrower = PartOf(ast, root.children[holds(*condition) ? 1 : 2], schema);
    }
    // A part that is unclear without its context, e.g. a plain `false`, says less than the whole.
    if (!narrower || narrower->Fields().empty()) return program;
    program = *std::move(narrower);
  }
}

}  // namespace

std::optional<expr::Field> MetricField(std::string_view name) {
  const analysis::MetricSpec* metric = analysis::FindMetric(name);
  if (metric == nullptr) return std::nullopt;
  return expr::Field{std::string(name), metric->unit, expr::Scope::kGroup};
}

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (const analysis::MetricSpec& metric : analysis::MetricCatalogue())
    names.emplace_back(metric.id);
  return names;
}

Errors PlacedErrors(std::vector<Error> errors, const SourceText& source) {
  for (Error& error : errors) error.where = source.At(error.where.offset, error.where.length);
  return errors;
}

Errors CheckCondition(const SourceText& condition) {
  if (condition.empty()) return {};
  expr::Schema schema = MetricSchema();
  auto program = expr::CompileCondition(condition.text, schema);
  return program ? Errors{} : PlacedErrors(std::move(program).error(), condition);
}

std::optional<std::string> WhyNotMet(const SourceText& condition,
                                     const analysis::Analysis& analysis) {
  if (condition.empty()) return std::nullopt;
  expr::Schema schema = MetricSchema();
  const auto program = expr::CompileCondition(condition.text, schema);
  if (!program) return "its condition is not an expression";
  const expr::Outcome outcome = expr::EvaluateCondition(*program, [&](std::string_view name) {
    const analysis::Metric* metric = analysis.Find(name);
    return metric == nullptr ? Value{} : metric->value;
  });
  if (IsAbsent(outcome.value)) {
    if (outcome.absent_field.empty()) {
      return fmt::format("whether it applies is unknown: {}", outcome.absent_because);
    }
    return fmt::format("whether it applies is unknown; {} is missing: {}",
                       TitleOf(outcome.absent_field), WhyUnknown(outcome.absent_field, analysis));
  }
  if (AsNumber(outcome.value, 0) != 0) return std::nullopt;
  const expr::Program failing = WhatFails(*program, schema, analysis);
  const std::string text = failing.Text();
  constexpr std::string_view kUnknown = "not known(";
  if (text.starts_with(kUnknown) && failing.Fields().size() == 1) {
    return fmt::format("used only where {} is unknown",
                       TitleOf(schema[failing.Fields().front()].name));
  }
  return fmt::format("not for such a run: {}", ValuesOf(failing, schema, analysis));
}

bool IsUnknown(const SourceText& condition, const analysis::Analysis& analysis) {
  if (condition.empty()) return false;
  expr::Schema schema = MetricSchema();
  const auto program = expr::CompileCondition(condition.text, schema);
  if (!program) return false;
  const expr::Outcome outcome = expr::EvaluateCondition(*program, [&](std::string_view name) {
    const analysis::Metric* metric = analysis.Find(name);
    return metric == nullptr ? Value{} : metric->value;
  });
  return IsAbsent(outcome.value);
}

}  // namespace profgauge::rules
