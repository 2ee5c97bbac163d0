#include "rules/condition.h"

#include <fmt/format.h>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/format.h"
#include "expr/eval.h"
#include "expr/program.h"

namespace profgauge {
namespace {

/// Every metric of the catalogue, one value each.
expr::Schema MetricSchema() {
  expr::Schema schema;
  schema.SetSource({MetricField, MetricNames});
  return schema;
}

std::string WhyUnknown(const std::string& field, const Analysis& analysis) {
  const Metric* metric = analysis.Find(field);
  if (metric == nullptr || metric->absent_because.empty()) return "this profile does not have it";
  return metric->absent_because;
}

/// "tensor_core.eligible_share is 3.2 %, profile.gpus is 1".
std::string ValuesOf(const expr::Program& program, const expr::Schema& schema,
                     const Analysis& analysis) {
  std::string text;
  for (const expr::Slot slot : program.Fields()) {
    const expr::Field& field = schema[slot];
    const Metric* metric = analysis.Find(field.name);
    if (!text.empty()) text += ", ";
    text += fmt::format("{} is {}", field.name,
                        FormatValue(metric == nullptr ? Value{} : metric->value, field.unit));
  }
  return text;
}

}  // namespace

std::optional<expr::Field> MetricField(std::string_view name) {
  static const auto kUnits = [] {
    boost::unordered_flat_map<std::string_view, Unit> units;
    for (const MetricSpec& metric : MetricCatalogue()) units.emplace(metric.id, metric.unit);
    return units;
  }();
  const auto unit = kUnits.find(name);
  if (unit == kUnits.end()) return std::nullopt;
  return expr::Field{std::string(name), unit->second, expr::Scope::kGroup};
}

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (const MetricSpec& metric : MetricCatalogue()) names.emplace_back(metric.id);
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

std::optional<std::string> WhyNotMet(const SourceText& condition, const Analysis& analysis) {
  if (condition.empty()) return std::nullopt;
  expr::Schema schema = MetricSchema();
  const auto program = expr::CompileCondition(condition.text, schema);
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
  return fmt::format("`{}` does not hold: {}", program->Text(),
                     ValuesOf(*program, schema, analysis));
}

bool IsUnknown(const SourceText& condition, const Analysis& analysis) {
  if (condition.empty()) return false;
  expr::Schema schema = MetricSchema();
  const auto program = expr::CompileCondition(condition.text, schema);
  if (!program) return false;
  const expr::Outcome outcome = expr::EvaluateCondition(*program, [&](std::string_view name) {
    const Metric* metric = analysis.Find(name);
    return metric == nullptr ? Value{} : metric->value;
  });
  return IsAbsent(outcome.value);
}

}  // namespace profgauge
