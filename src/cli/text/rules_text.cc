#include "cli/text/rules_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "base/format.h"
#include "base/text.h"
#include "expr/function.h"
#include "model/devices.h"
#include "render/shared/escape.h"
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

// Adds a place to a row. A place without a line is a whole file. Lines and columns count from 1.
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

// Adds a finding with its groups. Numbers are in base units and also as text; the unit is that of
// the rule's metric.
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

namespace {

using Out = std::back_insert_iterator<std::string>;

/// The levels that the rule can report: "warn, error".
std::string LevelsOf(const rules::Rule& rule) {
  if (rule.level) return std::string(rules::LevelName(*rule.level));
  if (!rule.metric) return "";
  const bool warn = rule.metric->warn_above || rule.metric->warn_below;
  const bool error = rule.metric->error_above || rule.metric->error_below;
  return warn && error ? "warn, error" : warn ? "warn" : "error";
}

std::string JoinedTexts(const std::vector<SourceText>& texts) {
  std::string out;
  for (const SourceText& text : texts) out += (out.empty() ? "" : ", ") + text.text;
  return out;
}

/// One `key  text` line; further lines of the text are indented to the first.
void Line(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  bool first = true;
  for (const std::string_view line : Lines(text)) {
    if (line.empty()) {
      out += '\n';
      continue;
    }
    fmt::format_to(Out(out), "  {:<12}{}\n", first ? key : std::string_view(), Printable(line));
    first = false;
  }
}

void LimitLine(std::string& out, std::string_view key, const std::optional<SourceText>& limit) {
  if (limit) Line(out, key, limit->text);
}

/// How a value is shown: "duration", "number:2"; empty if the unit decides.
std::string ShowAsText(const rules::ShowAs& show_as) {
  switch (show_as.kind) {
    case rules::ShowAs::Kind::kAuto:
      return "";
    case rules::ShowAs::Kind::kDuration:
      return "duration";
    case rules::ShowAs::Kind::kBytes:
      return "bytes";
    case rules::ShowAs::Kind::kPercent:
      return "percent";
    case rules::ShowAs::Kind::kNumber:
      return show_as.decimals < 0 ? "number" : fmt::format("number:{}", show_as.decimals);
  }
  return "";
}

void MetricLines(std::string& out, const rules::RuleMetric& metric) {
  const std::string shown = ShowAsText(metric.show_as);
  Line(out, "measures", metric.is);
  Line(out, "metric", metric.value.text + (shown.empty() ? "" : " | " + shown));
  LimitLine(out, "warn above", metric.warn_above);
  LimitLine(out, "error above", metric.error_above);
  LimitLine(out, "warn below", metric.warn_below);
  LimitLine(out, "error below", metric.error_below);
}

void ParamLines(std::string& out, const rules::Rule& rule, const rules::ActiveRule* active) {
  for (const rules::RuleParam& param : rule.params) {
    Literal value = param.default_value;
    if (active != nullptr) {
      const auto found = active->params.find(param.name);
      if (found != active->params.end()) value = found->second;
    }
    std::string text =
        fmt::format("${} = {}  {}", param.name, FormatLimit(value.value, value.unit), param.doc);
    if (value.value != param.default_value.value) {
      text += fmt::format(" (default {})",
                          FormatLimit(param.default_value.value, param.default_value.unit));
    }
    Line(out, "param", text);
  }
}

// The values of a trace: names in one column, and each expression below its value, so that a long
// expression does not move other values.
void TraceLines(std::string& out, const std::vector<rules::TraceValue>& trace,
                std::string_view indent) {
  std::size_t width = 12;
  for (const rules::TraceValue& value : trace) width = std::max(width, value.name.size());
  for (const rules::TraceValue& value : trace) {
    fmt::format_to(Out(out), "{}{:<{}}  {}\n", indent, Printable(value.name), width,
                   Printable(value.shown));
    if (value.expression.empty()) continue;
    fmt::format_to(Out(out), "{}{:<{}}  = {}\n", indent, "", width, Printable(value.expression));
  }
}

/// Why a group fired or did not: "metric 31.4 % is > 30 %".
std::string WhyGroup(const rules::GroupResult& group) {
  const std::string metric = group.metric_text.empty() ? "" : "metric " + group.metric_text;
  if (rules::Fired(group.status) && group.limit) {
    return fmt::format("{} is {}", metric, rules::LimitText(*group.limit));
  }
  if (rules::Fired(group.status))
    return "there are such rows" + (metric.empty() ? "" : ", " + metric);
  if (!group.reason.empty()) return Printable(group.reason);
  return fmt::format("{} is not {}", metric, group.limit ? rules::LimitText(*group.limit) : "");
}

std::string AnchorOf(const rules::Rule& rule) {
  std::string anchor = rule.id;
  std::replace(anchor.begin(), anchor.end(), '/', '-');
  return anchor;
}

}  // namespace

std::string RuleLines(const std::vector<rules::Rule>& rules) {
  std::size_t id_width = 0, category_width = 0;
  for (const rules::Rule& rule : rules) {
    id_width = std::max(id_width, rule.id.size());
    category_width = std::max(category_width, rule.category.size());
  }
  std::string out;
  for (const rules::Rule& rule : rules) {
    fmt::format_to(Out(out), "{:<{}}  {:<{}}  {:<11}  {}\n", rule.id, id_width, rule.category,
                   category_width, LevelsOf(rule), Printable(InGeneralWords(rule.title)));
  }
  return out;
}

std::string ExplainRule(const rules::Rule& rule, const rules::ActiveRule* active) {
  std::string out = fmt::format("{}\n  {}\n\n", rule.id, Printable(InGeneralWords(rule.title)));
  Line(out, "category", rule.category);
  Line(out, "family", rule.family);
  for (const std::string& former : rule.formerly) Line(out, "formerly", former);
  Line(out, "file", fmt::format("{}:{}", rule.place.file, rule.place.line));
  if (active == nullptr) Line(out, "policy", "switched off");
  Line(out, "for each", rule.for_each.text);
  Line(out, "needs", JoinedTexts(rule.needs));
  ParamLines(out, rule, active);
  if (rule.where) Line(out, "where", rule.where->text);
  Line(out, "group by", JoinedTexts(rule.group_by));
  if (rule.report == rules::GroupReport::kEach) Line(out, "report", "each group");
  for (const rules::RuleLet& let : rule.let) Line(out, "let", let.name + " = " + let.value.text);
  if (rule.when) Line(out, "when", rule.when->text);
  if (rule.metric) MetricLines(out, *rule.metric);
  if (rule.sure_when) Line(out, "sure when", rule.sure_when->text);
  if (rule.level) Line(out, "level", rules::LevelName(*rule.level));
  Line(out, "explains", JoinedTexts(rule.explains));
  if (rule.gain) {
    Line(out, "gain",
         fmt::format("{} ({})", rule.gain->value.text, rules::GainBoundName(rule.gain->bound)));
    Line(out, "", rule.gain->why);
    Line(out, "measured", rule.gain->measured);
    for (const rules::WhatIfScale& scale : rule.gain->scenario) {
      const std::string by = scale.by.empty() ? fmt::format("{}", scale.factor) : scale.by.text;
      Line(out, "scenario",
           fmt::format("{} {}", scale.where.text, scale.hides ? "beside computation" : "by " + by));
    }
    if (rule.gain->without_waiting) Line(out, "", "These collectives wait for no rank.");
    if (rule.gain->host_reacts) Line(out, "", "The host's other work may become slower.");
    if (rule.gain->keeps_up) Line(out, "", "Their rank arrives at each with the next to last.");
  }
  Line(out, "message", rules::TextOf(rule.message));
  if (!rule.advice.empty()) Line(out, "advice", rules::TextOf(rule.advice));
  if (rule.change) Line(out, "change", rule.change->text);
  if (rule.next) Line(out, "next", rule.next->text);
  Line(out, "source", rule.source);
  Line(out, "docs", rule.docs);
  return out;
}

// The result of the whole rule with its expressions' values, then each group with its values.
std::string ExplainFinding(const rules::Finding& finding) {
  std::string out = fmt::format("  {:<12}{}", "result", rules::FindingStatusName(finding.status));
  if (!finding.metric_text.empty()) fmt::format_to(Out(out), ", metric {}", finding.metric_text);
  if (finding.limit) fmt::format_to(Out(out), " (limit {})", rules::LimitText(*finding.limit));
  if (!finding.group.empty()) fmt::format_to(Out(out), ", {}", Printable(finding.group));
  out += '\n';
  Line(out, "because", finding.reason);
  Line(out, "says", finding.message);
  Line(out, "next", finding.next);
  Line(out, "gain", rules::ClaimText(finding.claim));
  if (finding.rows_unknown > 0) {
    Line(out, "unknown",
         fmt::format("{} rows were skipped: `where` is unknown for them",
                     FormatCount(static_cast<std::int64_t>(finding.rows_unknown))));
  }
  TraceLines(out, finding.trace, "  ");
  for (const rules::GroupResult& group : finding.groups) {
    fmt::format_to(Out(out), "  {}: {}, {} row{}: {}\n",
                   group.label.empty() ? "all rows" : Printable(group.label),
                   rules::FindingStatusName(group.status),
                   FormatCount(static_cast<std::int64_t>(group.rows)), group.rows == 1 ? "" : "s",
                   WhyGroup(group));
    TraceLines(out, group.trace, "    ");
  }
  return out;
}

std::string RuleDocs(const std::vector<rules::Rule>& rules) {
  std::string out;
  for (const rules::Rule& rule : rules) {
    fmt::format_to(Out(out), "### {}\n\n`{}`: **{}** ({}; {})\n\n", AnchorOf(rule), rule.id,
                   InGeneralWords(rule.title), rule.category, LevelsOf(rule));
    if (rule.metric) fmt::format_to(Out(out), "Measures `{}`", rule.metric->value.text);
    if (rule.metric && !rule.for_each.empty()) {
      fmt::format_to(Out(out), " over each `{}`", rule.for_each.text);
    }
    if (rule.metric && rule.where) fmt::format_to(Out(out), " where `{}`", rule.where->text);
    if (rule.metric) out += ".\n\n";
    if (!rule.needs.empty()) fmt::format_to(Out(out), "Needs `{}`.\n\n", JoinedTexts(rule.needs));
    for (const rules::RuleParam& param : rule.params) {
      fmt::format_to(Out(out), "- `{}` (default {}): {}\n", param.name,
                     FormatLimit(param.default_value.value, param.default_value.unit), param.doc);
    }
    if (!rule.params.empty()) out += '\n';
    if (!rule.advice.empty()) out += InGeneralWords(Trim(rules::TextOf(rule.advice))) + "\n\n";
    if (rule.gain && !rule.gain->why.empty()) {
      fmt::format_to(Out(out), "Estimated gain ({}): {}\n\n",
                     rules::GainBoundName(rule.gain->bound), rule.gain->why);
    }
    if (!rule.explains.empty()) {
      fmt::format_to(Out(out), "Explains `{}`.\n\n", JoinedTexts(rule.explains));
    }
    if (!rule.source.empty()) fmt::format_to(Out(out), "Source: {}\n\n", rule.source);
  }
  return out;
}

std::string LanguageDocs() {
  std::string out = "## Functions\n\n| function | rows | meaning |\n|---|---|---|\n";
  for (const expr::Function& function : expr::Functions()) {
    fmt::format_to(Out(out), "| `{}{}` | {} | {} |\n", function.name, function.arguments,
                   function.is_aggregate ? "of a group" : "", function.doc);
  }
  out += "\n## Units\n\n";
  for (const UnitSuffix& suffix : UnitSuffixes()) fmt::format_to(Out(out), "`{}` ", suffix.text);
  out += "\n\n## Facts about the profile\n\n| name | unit | meaning |\n|---|---|---|\n";
  for (const rules::FactSpec& fact : rules::FactCatalogue()) {
    fmt::format_to(Out(out), "| `{}` | {} | {} |\n", fact.name, UnitName(fact.unit), fact.doc);
  }
  out += "\nEvery metric (`profgauge metrics list`) can be named too.\n";
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (table.row_name.empty()) continue;
    fmt::format_to(Out(out), "\n## Rows `{}`\n\n{}\n\n| column | unit | meaning |\n|---|---|---|\n",
                   table.row_name, InGeneralWords(table.doc.empty() ? table.title : table.doc));
    for (const ColumnSpec& column : table.columns) {
      fmt::format_to(Out(out), "| `{}.{}` | {} | {} |\n", table.row_name, column.id,
                     UnitName(column.unit), InGeneralWords(column.doc));
    }
  }
  return out;
}

std::string RowKinds() {
  std::string out = "profile          facts of the whole run\n";
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (table.row_name.empty()) continue;
    fmt::format_to(Out(out), "{:<16} {}\n", table.row_name, InGeneralWords(table.title));
  }
  out += "\nwords of every rule file:\n";
  for (const auto& [name, text] : rules::BuiltinWordTexts()) {
    fmt::format_to(Out(out), "{:<16} {}\n", name, text);
  }
  return out;
}

namespace {

void ColumnLine(std::string& out, const std::string& name, Unit unit, std::string_view title,
                std::string_view doc) {
  fmt::format_to(Out(out), "{:<34} {:<7} {}{}{}\n", name, UnitName(unit), InGeneralWords(title),
                 title.empty() ? "" : ": ", InGeneralWords(doc));
  const expr::Enumeration* values = rules::KnownValuesOf(name);
  if (values == nullptr) return;
  std::string list;
  for (const expr::EnumValue& value : values->values) {
    list += (list.empty() ? "" : ", ") + std::string(value.id);
    if (value.cell != value.id && !value.cell.empty()) {
      list += fmt::format(" (shown as {})", value.cell);
    }
  }
  fmt::format_to(Out(out), "{:<42} values: {}{}\n", "", list, values->is_open ? ", …" : "");
}

}  // namespace

std::string ColumnLines(std::string_view row) {
  std::string out;
  if (row == "profile") {
    for (const rules::FactSpec& fact : rules::FactCatalogue()) {
      ColumnLine(out, std::string(fact.name), fact.unit, "", fact.doc);
    }
    return out;
  }
  for (const analysis::TableSpec& table : analysis::TableCatalogue()) {
    if (table.row_name != row) continue;
    for (const ColumnSpec& column : table.columns) {
      ColumnLine(out, fmt::format("{}.{}", row, column.id), column.unit, column.title, column.doc);
    }
  }
  return out;
}

std::string TestLines(const std::vector<rules::RuleTestResult>& results, int verbosity) {
  std::string out;
  std::size_t failed = 0;
  for (const rules::RuleTestResult& result : results) {
    const bool passed = result.failures.empty();
    if (!passed) ++failed;
    if (passed && verbosity < 1) continue;
    fmt::format_to(Out(out), "{}  {}:{}  {}\n", passed ? "pass" : "FAIL", result.file,
                   result.where.line, Printable(result.name));
    for (const std::string& failure : result.failures)
      fmt::format_to(Out(out), "      {}\n", failure);
  }
  if (failed == 0) {
    fmt::format_to(Out(out), "{} rule tests passed\n", results.size());
  } else {
    fmt::format_to(Out(out), "{} of {} rule tests failed\n", failed, results.size());
  }
  return out;
}

std::string TestJunit(const std::vector<rules::RuleTestResult>& results) {
  const auto failed =
      std::count_if(results.begin(), results.end(),
                    [](const rules::RuleTestResult& r) { return !r.failures.empty(); });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n  <testsuite name=\"profgauge rules\" tests=\"{}\" failures=\"{}\">\n",
      results.size(), failed);
  for (const rules::RuleTestResult& result : results) {
    fmt::format_to(Out(out), "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"",
                   render::EscapeHtml(result.file), render::EscapeHtml(result.name),
                   render::EscapeHtml(result.file), result.where.line);
    if (result.failures.empty()) {
      out += "/>\n";
      continue;
    }
    out += ">\n";
    const std::string text = fmt::format("{}", fmt::join(result.failures, "\n"));
    fmt::format_to(Out(out), "      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                   render::EscapeHtml(result.failures.front()), render::EscapeHtml(text));
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace profgauge::cli
