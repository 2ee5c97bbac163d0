#include "cli/text/rules_text.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "model/devices.h"
#include "rules/catalogue_words.h"
#include "rules/facts.h"
#include "rules/rule_decode.h"

namespace profgauge::cli {
namespace {

void TextsField(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.Key(key);
  out.BeginArray();
  for (const std::string& text : texts) out.Text(text);
  out.EndArray();
}

// A place without a line is of a whole file. Line and column count from 1.
void PlaceFields(JsonWriter& out, const Where& where) {
  out.OptionalField("file", where.file);
  if (where.line == 0) return;
  out.Field("line", std::int64_t{where.line});
  if (where.column > 0) out.Field("column", std::int64_t{where.column});
}

void OptionalSource(JsonWriter& out, std::string_view key, const std::optional<SourceText>& text) {
  if (text) out.OptionalField(key, text->text);
}

void LimitsField(JsonWriter& out, const rules::Rule& rule) {
  if (!rule.metric) return;
  out.Field("metric", rule.metric->value.text);
  out.Key("limits");
  out.BeginObject(JsonWriter::Style::kInline);
  OptionalSource(out, "warn_above", rule.metric->warn_above);
  OptionalSource(out, "error_above", rule.metric->error_above);
  OptionalSource(out, "warn_below", rule.metric->warn_below);
  OptionalSource(out, "error_below", rule.metric->error_below);
  out.EndObject();
}

void ParamsField(JsonWriter& out, const rules::Rule& rule, const rules::ActiveRule* active) {
  out.Key("params");
  out.BeginArray();
  for (const rules::RuleParam& param : rule.params) {
    Literal value = param.default_value;
    if (active != nullptr) {
      const auto found = active->params.find(param.name);
      if (found != active->params.end()) value = found->second;
    }
    out.BeginObject(JsonWriter::Style::kInline);
    out.Field("name", param.name);
    out.Key("value"), out.Real(value.value);
    out.Key("default"), out.Real(param.default_value.value);
    out.Field("unit", UnitName(param.default_value.unit));
    out.Field("doc", param.doc);
    out.EndObject();
  }
  out.EndArray();
}

void TraceField(JsonWriter& out, const std::vector<rules::TraceValue>& trace) {
  out.Key("values");
  out.BeginArray();
  for (const rules::TraceValue& value : trace) {
    out.BeginObject(JsonWriter::Style::kInline);
    out.Field("name", value.name);
    out.OptionalField("expression", value.expression);
    out.Field("text", value.shown);
    out.EndObject();
  }
  out.EndArray();
}

void MetricFields(JsonWriter& out, const Value& metric, const std::string& text,
                  const std::optional<rules::RuleLimit>& limit) {
  out.Key("measured"), out.Write(metric);
  out.OptionalField("measured_text", text);
  if (limit) out.Key("limit"), out.Real(limit->value);
}

void GroupsField(JsonWriter& out, const rules::Finding& finding) {
  out.Key("groups");
  out.BeginArray();
  for (const rules::GroupResult& group : finding.groups) {
    out.BeginObject();
    out.OptionalField("group", group.label);
    out.Field("status", rules::FindingStatusName(group.status));
    out.Field("rows", static_cast<std::int64_t>(group.rows));
    MetricFields(out, group.metric, group.metric_text, group.limit);
    out.OptionalField("because", group.reason);
    TraceField(out, group.trace);
    out.EndObject();
  }
  out.EndArray();
}

// A finding with its groups. Numbers are in base units, beside their text; the unit is that of the
// rule's metric.
void WriteFinding(JsonWriter& out, const rules::Finding& finding) {
  out.BeginObject();
  out.Field("key", finding.key);
  out.Field("status", rules::FindingStatusName(finding.status));
  out.OptionalField("group", finding.group);
  MetricFields(out, finding.metric, finding.metric_text, finding.limit);
  if (finding.rule->metric) out.Field("unit", UnitName(finding.metric_unit));
  out.OptionalField("because", finding.reason);
  out.OptionalField("message", finding.message);
  out.OptionalField("next", finding.next);
  if (finding.claim.is_known()) out.Key("gain"), out.Real(finding.claim.saves);
  out.OptionalField("saving", rules::ClaimText(finding.claim));
  out.Field("rows_unknown", static_cast<std::int64_t>(finding.rows_unknown));
  TraceField(out, finding.trace);
  GroupsField(out, finding);
  out.EndObject();
}

void WriteMistakes(JsonList& list, const rules::Errors& mistakes, std::string_view severity) {
  for (const Error& error : mistakes) {
    JsonWriter& row = list.Row();
    row.Field("severity", severity);
    row.Field("code", error.code);
    row.Field("message", error.message);
    PlaceFields(row, error.where);
    TextsField(row, "notes", error.notes);
  }
}

void WriteColumn(JsonList& list, const std::string& name, Unit unit, std::string_view title,
                 std::string_view doc) {
  JsonWriter& row = list.Row();
  row.Field("name", name);
  row.Field("unit", UnitName(unit));
  row.OptionalField("title", InGeneralWords(title));
  row.Field("doc", InGeneralWords(doc));
  const expr::Enumeration* values = rules::KnownValuesOf(name);
  if (values == nullptr) return;
  std::vector<std::string> ids;
  for (const expr::EnumValue& value : values->values) ids.emplace_back(value.id);
  TextsField(row, "values", ids);
}

}  // namespace

JsonList ExplainList(const rules::Rule& rule, const rules::ActiveRule* active,
                     std::span<const rules::Finding* const> findings) {
  JsonList list("rules-explain");
  JsonWriter& row = list.Row();
  row.Field("id", rule.id);
  row.Field("title", InGeneralWords(rule.title));
  row.Field("category", rule.category);
  row.OptionalField("family", rule.family);
  PlaceFields(row, rule.place);
  row.Key("active"), row.Bool(active != nullptr);
  row.OptionalField("for_each", rule.for_each.text);
  OptionalSource(row, "where", rule.where);
  OptionalSource(row, "when", rule.when);
  LimitsField(row, rule);
  ParamsField(row, rule, active);
  row.Field("message", rules::TextOf(rule.message));
  if (!rule.advice.empty()) row.Field("advice", rules::TextOf(rule.advice));
  row.OptionalField("docs", rule.docs);
  row.Key("findings");
  row.BeginArray();
  for (const rules::Finding* finding : findings) WriteFinding(row, *finding);
  row.EndArray();
  return list;
}

JsonList MistakeList(const rules::Errors& errors, const rules::Errors& warnings) {
  JsonList list("rules-check");
  WriteMistakes(list, errors, "error");
  WriteMistakes(list, warnings, "warning");
  return list;
}

JsonList TestList(const std::vector<rules::RuleTestResult>& results) {
  JsonList list("rules-test");
  for (const rules::RuleTestResult& result : results) {
    JsonWriter& row = list.Row();
    row.Field("name", result.name);
    Where place = result.where;
    place.file = result.file;
    PlaceFields(row, place);
    row.Field("status", result.failures.empty() ? "pass" : "fail");
    TextsField(row, "failures", result.failures);
  }
  return list;
}

JsonList ColumnList(std::string_view row) {
  JsonList list("rules-columns");
  if (row == "profile") {
    for (const rules::FactSpec& fact : rules::FactCatalogue()) {
      WriteColumn(list, std::string(fact.name), fact.unit, "", fact.doc);
    }
    return list;
  }
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (table.row_name.empty()) continue;
    if (row.empty()) {
      JsonWriter& kind = list.Row();
      kind.Field("name", table.row_name);
      kind.Field("title", InGeneralWords(table.title));
    } else if (table.row_name == row) {
      for (const ColumnSpec& column : table.columns) {
        WriteColumn(list, fmt::format("{}.{}", row, column.id), column.unit, column.title,
                    column.doc);
      }
    }
  }
  if (!row.empty()) return list;
  for (const auto& [name, text] : rules::BuiltinWordTexts()) {
    JsonWriter& word = list.Row();
    word.Field("name", name);
    word.Field("expression", text);
  }
  return list;
}

}  // namespace profgauge::cli
