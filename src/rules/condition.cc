#include "rules/condition.h"

#include <fmt/format.h>

#include "base/format.h"
#include "expr/eval.h"
#include "expr/program.h"

namespace profgauge {
namespace {

/// Every metric of the catalogue, one value each.
const expr::Schema& MetricSchema() {
  static const expr::Schema kSchema = [] {
    expr::Schema schema;
    for (const MetricSpec& metric : MetricCatalogue()) {
      schema.Add(std::string(metric.id), metric.unit, expr::Scope::kGroup);
    }
    return schema;
  }();
  return kSchema;
}

std::string WhyUnknown(const std::string& field, const Analysis& analysis) {
  const Metric* metric = analysis.Find(field);
  if (metric == nullptr || metric->absent_because.empty()) return "this profile does not have it";
  return metric->absent_because;
}

/// "tensor_core.eligible_share is 3.2 %, profile.gpus is 1".
std::string ValuesOf(const expr::Program& program, const Analysis& analysis) {
  std::string text;
  for (const expr::Slot slot : program.Fields()) {
    const expr::Field& field = MetricSchema()[slot];
    const Metric* metric = analysis.Find(field.name);
    if (!text.empty()) text += ", ";
    text += fmt::format("{} is {}", field.name,
                        FormatValue(metric == nullptr ? Value{} : metric->value, field.unit));
  }
  return text;
}

}  // namespace

Errors PlacedErrors(std::vector<Error> errors, const SourceText& source) {
  for (Error& error : errors) error.where = source.At(error.where.offset, error.where.length);
  return errors;
}

Errors CheckCondition(const SourceText& condition) {
  if (condition.empty()) return {};
  auto program = expr::CompileCondition(condition.text, MetricSchema());
  return program ? Errors{} : PlacedErrors(std::move(program).error(), condition);
}

std::optional<std::string> WhyNotMet(const SourceText& condition, const Analysis& analysis) {
  if (condition.empty()) return std::nullopt;
  const auto program = expr::CompileCondition(condition.text, MetricSchema());
  if (!program) return "its condition is not an expression";
  const expr::Outcome outcome = expr::EvaluateCondition(*program, [&](std::string_view name) {
    const Metric* metric = analysis.Find(name);
    return metric == nullptr ? Value{} : metric->value;
  });
  if (IsAbsent(outcome.value)) {
    if (outcome.absent_field.empty()) {
      return fmt::format("`{}` cannot be told: {}", program->Text(), outcome.absent_because);
    }
    return fmt::format("`{}` cannot be told; {} is absent: {}", program->Text(),
                       outcome.absent_field, WhyUnknown(outcome.absent_field, analysis));
  }
  if (AsNumber(outcome.value, 0) != 0) return std::nullopt;
  return fmt::format("`{}` does not hold: {}", program->Text(), ValuesOf(*program, analysis));
}

bool IsUnknown(const SourceText& condition, const Analysis& analysis) {
  if (condition.empty()) return false;
  const auto program = expr::CompileCondition(condition.text, MetricSchema());
  if (!program) return false;
  const expr::Outcome outcome = expr::EvaluateCondition(*program, [&](std::string_view name) {
    const Metric* metric = analysis.Find(name);
    return metric == nullptr ? Value{} : metric->value;
  });
  return IsAbsent(outcome.value);
}

}  // namespace profgauge
