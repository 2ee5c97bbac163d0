#include "rules/condition.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/analysis.h"
#include "base/format.h"
#include "base/text.h"
#include "expr/eval.h"
#include "expr/program.h"
#include "knowledge/thresholds.h"
#include "model/devices.h"
#include "rules/baseline_decode.h"
#include "rules/policy_decode.h"

namespace profgauge::rules {
namespace {

/// A schema with every metric of the catalog, one value each.
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

/// The metric's title, with placeholders for device words; its id if it has no title.
std::string TitleOf(const std::string& field) {
  const analysis::MetricSpec* spec = analysis::FindMetric(field);
  return spec == nullptr ? field : std::string(spec->title);
}

/// The values of the metrics in an expression: "Tensor Core eligible time is 3.2 %, GPUs is 1".
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

/// Compiles a part of an expression as an expression.
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

/// Narrows a false condition to the part that is false: for `a and b` the first false one, for
/// `if(known(x), a, b)` the branch that applies.
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
    // A part without names, e.g. `false`, explains less than the whole condition.
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

// Decodes `thresholds:` of a policy (limits on metrics) and `thresholds_of_analysis:` (numbers of
// the analysis).

namespace {

// A limit that no value or every value of the metric misses probably has a wrong unit or side.
void DecodeLimit(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
                 std::string_view what, std::optional<double>& target) {
  Set(target, decoder.NumberOf(
                  node, what, metric.unit,
                  fmt::format("help: `{}` is {}; write for example `{}: {}`", metric.id,
                              InGeneralWords(metric.title), what, ExampleLiteral(metric.unit))));
  if (!target) return;
  const std::string beyond = BeyondRange(metric, *target);
  if (beyond.empty()) return;
  const bool all_miss = (what == "min") == (*target > metric.range.most);
  Error& error = decoder.Add(
      node, "policy/out-of-range",
      fmt::format("`{}` {}: `{}` is {}, so {} this limit", what, FormatLimit(*target, metric.unit),
                  metric.id, beyond, all_miss ? "every run misses" : "no run can miss"));
  if (!all_miss) {
    error.notes.push_back(fmt::format("help: `{}: off` takes limits of presets away", metric.id));
  }
}

void DecodeThreshold(Decoder& decoder, const YamlNode& node, const analysis::MetricSpec& metric,
                     std::vector<Threshold>& out) {
  Threshold threshold;
  bool any_side = false;
  threshold.metric = metric.id;
  threshold.where = decoder.document().At(node);
  const Decoder::Key kKeys[] = {
      {"min", [&](const YamlNode& n) { DecodeLimit(decoder, n, metric, "min", threshold.min); }},
      {"max", [&](const YamlNode& n) { DecodeLimit(decoder, n, metric, "max", threshold.max); }},
      {"level",
       [&](const YamlNode& n) { Set(threshold.level, decoder.OneOf<Level>(n, "level", kLevels)); }},
      {"on_missing",
       [&](const YamlNode& n) {
         Set(threshold.on_missing, decoder.OneOf<OnMissing>(n, "on_missing", kOnMissing));
       }},
      {"when",
       [&](const YamlNode& n) {
         Set(threshold.when, decoder.Source(n, "when"));
         decoder.AddAll(CheckCondition(threshold.when));
       }},
      {"side", [&](const YamlNode& n) { any_side = DecodeSide(decoder, n); }},
  };
  decoder.Map(node, "a limit", kKeys);
  if (node.kind != YamlNode::Kind::kMap) return;
  if (node.Find("min") == nullptr && node.Find("max") == nullptr) {
    decoder
        .Add(node, "policy/no-limit",
             fmt::format("the limit on `{}` has neither `min` nor `max`", metric.id))
        .notes.push_back(
            fmt::format("help: write for example `{{{}: {}}}`",
                        metric.direction == analysis::Direction::kHigherIsBetter ? "min" : "max",
                        ExampleLiteral(metric.unit)));
    return;
  }
  if (threshold.min && threshold.max && *threshold.min > *threshold.max) {
    decoder.Add(node, "policy/empty-range",
                fmt::format("no value is above `min` {} and below `max` {}",
                            FormatLimit(*threshold.min, metric.unit),
                            FormatLimit(*threshold.max, metric.unit)));
    return;
  }
  CheckSide(decoder, node, metric, threshold.max.has_value(), threshold.min.has_value(), any_side,
            "max", "min");
  out.push_back(std::move(threshold));
}

}  // namespace

void DecodeThresholds(Decoder& decoder, const YamlNode& node, Policy& policy) {
  decoder.EachNamed(
      node, "`thresholds`", LimitedMetrics(), [&](const YamlNode& key, const YamlNode& value) {
        const std::shared_ptr<const analysis::MetricSpec> metric = MetricOf(decoder, key);
        if (metric == nullptr) return;
        std::erase_if(policy.thresholds,
                      [&](const Threshold& t) { return t.metric == metric->id; });
        if (decoder.Is(value, "off")) return;
        if (value.kind == YamlNode::Kind::kList) {
          decoder.EachItem(value, "limits", [&](const YamlNode& item) {
            DecodeThreshold(decoder, item, *metric, policy.thresholds);
          });
        } else {
          DecodeThreshold(decoder, value, *metric, policy.thresholds);
        }
      });
}

namespace {

/// A threshold as written in files: "20 us", "12.5 %", "3".
std::string ThresholdText(double value, const knowledge::ThresholdRow& row) {
  return FormatLimit(value, row.unit);
}

/// The row of rules/knowledge/thresholds.yaml that a policy may set; an error if there is none.
const knowledge::ThresholdRow* TunableRowOf(Decoder& decoder, const YamlNode& key,
                                            std::span<const std::string_view> tunable) {
  const knowledge::ThresholdRow* row = knowledge::FindThreshold(key.text);
  if (row != nullptr && row->tunable) return row;
  const std::string id = PrintableShort(key.text);
  Error& error =
      row == nullptr
          ? decoder.Add(key, "policy/unknown-threshold", fmt::format("unknown threshold `{}`", id))
          : decoder.Add(key, "policy/fixed-threshold",
                        fmt::format("`{}` is fixed: no policy can set it", id));
  AddSuggestion(error, key.text, tunable);
  if (error.notes.empty()) {
    error.notes.emplace_back("help: `profgauge thresholds list` shows which a policy can set");
  }
  return nullptr;
}

void DecodeAnalysisThreshold(Decoder& decoder, const YamlNode& node,
                             const knowledge::ThresholdRow& row,
                             knowledge::TunableThresholds& out) {
  const auto value = decoder.NumberOf(node, row.id, row.unit);
  if (!value) return;
  const bool is_whole = row.unit != Unit::kCount || *value == std::floor(*value);
  if (is_whole && *value >= row.least && *value <= row.most) return row.set(out, *value);
  decoder
      .Add(node, "policy/out-of-range",
           fmt::format("`{}`: expected {}{} to {}, found {}", row.id,
                       row.unit == Unit::kCount ? "a whole number from " : "",
                       ThresholdText(row.least, row), ThresholdText(row.most, row),
                       ThresholdText(*value, row)))
      .notes.push_back(fmt::format("help: the default is {}; `profgauge thresholds explain {}` "
                                   "says why",
                                   ThresholdText(row.value, row), row.id));
}

}  // namespace

void DecodeAnalysisThresholds(Decoder& decoder, const YamlNode& node,
                              knowledge::TunableThresholds& out) {
  std::vector<std::string_view> tunable;
  for (const knowledge::ThresholdRow& row : knowledge::Thresholds()) {
    if (row.tunable) tunable.push_back(row.id);
  }
  decoder.EachNamed(node, "`thresholds_of_analysis`", tunable,
                    [&](const YamlNode& key, const YamlNode& value) {
                      if (const auto* row = TunableRowOf(decoder, key, tunable)) {
                        DecodeAnalysisThreshold(decoder, value, *row, out);
                      }
                    });
}

}  // namespace profgauge::rules
