// report.json, schema 1. report/read_report.cc reads it back; the two change together.
#include <algorithm>
#include <optional>
#include <variant>

#include "render/json/json_sections.h"
#include "render/json/json_writer.h"
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "render/shared/words.h"
#include "report/first_screen.h"

namespace profgauge::render {
namespace {

using report::Quantity;
using Pairs = std::vector<std::pair<std::string, std::string>>;
using Style = JsonWriter::Style;

void TextList(JsonWriter& out, std::string_view key, const std::vector<std::string>& texts) {
  out.Key(key);
  out.BeginArray(Style::kInline);
  for (const std::string& text : texts) out.Text(text);
  out.EndArray();
}

void PairObject(JsonWriter& out, std::string_view key, const Pairs& pairs) {
  out.Key(key);
  out.BeginObject();
  for (const auto& [name, text] : pairs) out.Field(name, text);
  out.EndObject();
}

void WriteProfile(JsonWriter& out, const report::ProfileInfo& profile) {
  out.Key("profile");
  out.BeginObject();
  out.Field("name", profile.name);
  TextList(out, "source", profile.sources);
  out.Field("format", profile.format);
  out.Field("dialect", profile.dialect);
  out.Field("ranks", profile.ranks);
  out.Key("devices");
  out.BeginArray();
  for (const report::Device& device : profile.devices) {
    out.BeginObject(Style::kInline);
    out.Field("rank", device.rank);
    out.Field("id", device.id);
    out.Field("name", device.name);
    out.EndObject();
  }
  out.EndArray();
  if (profile.more_devices > 0) out.Field("more_devices", profile.more_devices);
  out.OptionalField("accelerator", profile.accelerator);
  out.Field("framework", profile.framework);
  PairObject(out, "versions", profile.versions);
  out.Field("captured", profile.captured);
  out.Field("selection", profile.selection);
  out.Field("iteration_source", profile.iteration_source.Text());
  out.Field("iterations_total", profile.iterations_total);
  out.Field("iterations_selected", profile.iterations_selected);
  out.EndObject();
}

void WriteVerdict(JsonWriter& out, const report::VerdictInfo& verdict) {
  out.Key("verdict");
  out.BeginObject();
  out.Field("status", report::NameOf(verdict.status));
  out.Key("counts");
  out.BeginObject(Style::kInline);
  out.Field("errors", verdict.errors);
  out.Field("warnings", verdict.warnings);
  out.Field("waived", verdict.waived);
  out.Field("passed", verdict.passed);
  out.Field("not_found", verdict.not_found);
  out.Field("not_applicable", verdict.not_applicable);
  out.Field("missing", verdict.missing);
  out.Field("open", verdict.open);
  if (verdict.cautions > 0) out.Field("cautions", verdict.cautions);
  out.EndObject();
  out.Key("reasons");
  out.BeginArray();
  for (const std::string& reason : verdict.reasons) out.Text(reason);
  out.EndArray();
  out.Field("policy", verdict.policy);
  out.OptionalField("policy_from", verdict.policy_from);
  out.OptionalField("config", verdict.config);
  if (!verdict.accepted.empty()) WriteAccepted(out, verdict.accepted);
  out.OptionalField("policy_hash", verdict.policy_hash);
  if (!verdict.loosened.empty()) WriteLoosened(out, verdict.loosened);
  if (!verdict.no_verdict.empty()) {
    WriteNoVerdict(out, verdict.no_verdict);
    out.Key("again"), out.Bool(verdict.again);
    if (verdict.needed > 0) {
      out.Field("recordings", verdict.recordings);
      out.Field("needed", verdict.needed);
    }
  }
  out.OptionalField("accept_line", verdict.accept_line);
  out.EndObject();
}

void WriteBaselineUse(JsonWriter& out, const report::BaselineUse& baseline) {
  out.Key("baseline");
  out.BeginObject();
  out.Field("state", baseline.state);
  out.OptionalField("source", baseline.source);
  if (baseline.wanted > 0) out.Field("wanted", baseline.wanted);
  out.Key("runs");
  out.BeginArray();
  for (const report::BaselineUse::Run& run : baseline.runs) {
    out.BeginObject(Style::kInline);
    if (run.id > 0) out.Field("id", run.id);
    out.OptionalField("commit", run.commit);
    out.Field("name", run.name);
    out.EndObject();
  }
  out.EndArray();
  out.Key("skipped");
  out.BeginArray();
  for (const auto& [id, why] : baseline.skipped) {
    out.BeginObject(Style::kInline);
    out.Field("id", id);
    out.Field("why", why);
    out.EndObject();
  }
  out.EndArray();
  out.OptionalField("level", baseline.level);
  out.OptionalField("learning_until", baseline.learning_until);
  out.OptionalField("anchor", baseline.anchor);
  out.Field("line", baseline.line);
  out.OptionalField("mark", baseline.mark);
  if (baseline.warns) out.Key("warns"), out.Bool(true);
  out.EndObject();
}

void WriteGateRow(JsonWriter& out, const report::GateRow& row) {
  out.BeginObject();
  out.Field("metric", row.metric);
  out.Field("title", row.title);
  QuantityFields(out, row.measured);
  out.Key("limit");
  out.BeginObject(Style::kInline);
  if (!IsAbsent(row.min)) out.Key("min"), out.Write(row.min);
  if (!IsAbsent(row.max)) out.Key("max"), out.Write(row.max);
  out.Field("text", row.limit);
  out.EndObject();
  OptionalQuantity(out, "margin", row.margin);
  OptionalQuantity(out, "baseline", row.baseline);
  OptionalQuantity(out, "change", row.change);
  out.Field("level", report::NameOf(row.level));
  out.Field("status", report::NameOf(row.status));
  out.OptionalField("reason", row.reason);
  out.OptionalField("counted_with", row.counted_with);
  OptionalQuantity(out, "recorded", row.recorded);
  out.EndObject();
}

void WriteMetric(JsonWriter& out, const report::Metric& metric) {
  out.Key(metric.id);
  out.BeginObject();
  QuantityFields(out, metric.quantity);
  out.Field("title", metric.title);
  out.Field("better", report::NameOf(metric.better));
  out.Field("definition", metric.definition);
  out.OptionalField("formula", metric.formula);
  out.OptionalField("source", metric.source);
  out.OptionalField("note", metric.note);
  out.EndObject();
}

// Without a value where it is unknown.
void WriteSaving(JsonWriter& out, std::string_view key, const report::Saving& saving) {
  if (saving.text.empty()) return;
  out.Key(key);
  out.BeginObject(Style::kInline);
  if (!IsAbsent(saving.value.value)) {
    out.Key("value"), out.Write(saving.value.value);
    out.Field("unit", UnitName(saving.value.unit));
  }
  out.Field("text", saving.text);
  out.Field("basis", NameOf(saving.basis));
  if (!IsAbsent(saving.low)) out.Key("low"), out.Write(saving.low);
  out.OptionalField("why", saving.why);
  out.EndObject();
}

void WriteRow(JsonWriter& out, const std::vector<Value>& row) {
  out.BeginArray(Style::kInline);
  for (const Value& cell : row) out.Write(cell);
  out.EndArray();
}

void WriteEvidence(JsonWriter& out, const report::Finding& finding) {
  out.Key("evidence");
  out.BeginObject();
  out.Key("columns");
  out.BeginArray();
  for (std::size_t i = 0; i < finding.evidence_heads.size(); ++i) {
    const bool has_unit = i < finding.evidence_units.size();
    out.BeginObject(Style::kInline);
    out.Field("unit", UnitName(has_unit ? finding.evidence_units[i] : Unit::kText));
    out.Field("title", finding.evidence_heads[i]);
    out.EndObject();
  }
  out.EndArray();
  out.Key("rows");
  out.BeginArray();
  for (const auto& row : finding.evidence) WriteRow(out, row);
  out.EndArray();
  out.EndObject();
}

void WriteParts(JsonWriter& out, const RichText& parts) {
  out.BeginArray();
  for (const TextPart& part : parts) {
    out.BeginObject(Style::kInline);
    out.Field("kind", TextPartName(part.kind));
    out.Field("text", part.text);
    if (part.value) {
      out.Key("value");
      out.Real(*part.value);
    }
    if (part.kind == TextPart::Kind::kNumber) out.Field("unit", UnitName(part.unit));
    out.OptionalField("href", part.href);
    out.EndObject();
  }
  out.EndArray();
}

// The place of a finding in the plan: its step, or the reason why it has none.
void WriteFindingPlan(JsonWriter& out, const report::Finding& finding, const report::Plan& plan) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto write = [&](std::string_view state, auto more) {
    out.Key("plan");
    out.BeginObject(Style::kInline);
    out.Field("state", state);
    more();
    out.EndObject();
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const report::PlanStep& step = plan.steps[i];
    if (!has(step.rules, finding.rule)) continue;
    return write(step.fired ? "step" : "limit_next", [&] {
      out.Field("step", static_cast<std::int64_t>(i + 1));
      if (const auto* saves = std::get_if<std::int64_t>(&step.saves.value.value)) {
        out.Field("saves", *saves);
      }
      if (step.needs_earlier) out.Field("after", static_cast<std::int64_t>(i));
    });
  }
  if (plan.steps.empty() || !report::HasFired(finding)) return;
  write(has(plan.no_effect, finding.key) ? "no_effect" : "not_simulated", [] {});
}

void WriteFinding(JsonWriter& out, const report::Finding& finding,
                  const std::optional<report::Plan>& plan) {
  out.BeginObject();
  out.Field("rule", finding.rule);
  out.OptionalField("key", finding.key);
  out.Field("level", report::NameOf(finding.level));
  out.Field("status", report::NameOf(finding.status));
  out.Field("title", finding.title);
  out.Field("message", finding.message);
  if (!finding.message_parts.empty()) {
    out.Key("message_parts");
    WriteParts(out, finding.message_parts);
  }
  OptionalQuantity(out, "metric", finding.metric);
  WriteSaving(out, "gain", finding.saves);
  TextList(out, "explains", finding.explains);
  out.OptionalField("advice", finding.advice);
  if (!finding.advice_parts.empty()) {
    out.Key("advice_parts");
    out.BeginArray();
    for (const RichText& point : finding.advice_parts) WriteParts(out, point);
    out.EndArray();
  }
  out.OptionalField("docs", finding.docs);
  out.OptionalField("next", finding.next);
  out.OptionalField("reason", finding.reason);
  out.OptionalField("counted_with", finding.counted_with);
  if (finding.rows_unknown > 0) out.Field("rows_unknown", finding.rows_unknown);
  if (plan) WriteFindingPlan(out, finding, *plan);
  if (finding.evidence_of > 0) out.Field("evidence_of", finding.evidence_of);
  if (!finding.evidence_heads.empty()) WriteEvidence(out, finding);
  out.EndObject();
}

void WriteTable(JsonWriter& out, const Table& table, const std::vector<std::size_t>& rows) {
  out.Key(table.id());
  out.BeginObject();
  out.Field("title", table.title());
  out.Field("row", table.row_name());
  out.Key("columns");
  out.BeginArray();
  for (const Column& column : table.columns()) {
    out.BeginObject(Style::kInline);
    out.Field("id", column.id());
    out.Field("unit", UnitName(column.unit()));
    out.Field("title", column.title());
    out.OptionalField("absent", column.absent_because());
    out.EndObject();
  }
  out.EndArray();
  out.Key("rows");
  out.BeginArray();
  for (const std::size_t row : rows) {
    out.BeginArray(Style::kInline);
    for (const Column& column : table.columns()) out.Write(table.At(row, column));
    out.EndArray();
  }
  out.EndArray();
  out.EndObject();
}

void WriteTables(JsonWriter& out, const report::Report& report) {
  out.Key("tables");
  out.BeginObject();
  std::vector<report::LeftOutTable> left_out = report.left_out;
  for (const Table& table : report.tables) {
    const std::vector<std::size_t> rows = report::RowsInJson(table);
    if (!rows.empty() || table.rows() == 0) WriteTable(out, table, rows);
    if (rows.size() == table.rows()) continue;
    left_out.push_back(
        {table.id(), table.title(), static_cast<std::int64_t>(table.rows() - rows.size())});
  }
  out.EndObject();
  PairObject(out, "absent_tables", report.absent_tables);
  out.Key("left_out");
  out.BeginArray();
  for (const report::LeftOutTable& table : left_out) {
    out.BeginObject(Style::kInline);
    out.Field("id", table.id);
    out.Field("title", table.title);
    out.Field("rows", table.rows);
    out.EndObject();
  }
  out.EndArray();
}

void WriteCertificate(JsonWriter& out, const Certificate& recording) {
  if (recording.checks.empty()) return;
  out.Key("recording");
  out.BeginObject();
  out.Field("trust", NameOf(recording.trust));
  out.Key("checks");
  out.BeginArray();
  for (const CertificateCheck& check : recording.checks) {
    out.BeginObject(Style::kInline);
    out.Field("id", check.id);
    out.Field("title", check.title);
    out.Field("status", NameOf(check.state));
    if (check.count > 0) out.Field("count", check.count);
    if (check.of > 0) out.Field("of", check.of);
    out.OptionalField("text", check.text);
    if (!check.affects.empty()) TextList(out, "affects", check.affects);
    out.OptionalField("do", check.advice);
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

void WriteImport(JsonWriter& out, const std::vector<report::ImportCounter>& counters) {
  out.Key("import");
  out.BeginObject();
  for (const report::ImportCounter& counter : counters) {
    out.Key(counter.name);
    out.BeginObject();
    out.Field("count", static_cast<std::int64_t>(counter.count));
    out.Field("severity", SeverityName(counter.severity));
    out.Field("text", counter.text);
    TextList(out, "examples", counter.examples);
    out.EndObject();
  }
  out.EndObject();
}

void WriteRemarks(JsonWriter& out, const std::vector<report::Remark>& remarks) {
  out.Key("remarks");
  out.BeginArray();
  for (const report::Remark& remark : remarks) {
    out.BeginObject(Style::kInline);
    out.Field("id", remark.id);
    out.Field("text", remark.text);
    out.EndObject();
  }
  out.EndArray();
}

void WritePlanStep(JsonWriter& out, const report::PlanStep& step) {
  out.BeginObject();
  TextList(out, "findings", step.findings);
  TextList(out, "rules", step.rules);
  out.Field("title", step.title);
  out.OptionalField("change", step.change);
  out.OptionalField("do", step.action);
  if (!step.time.text.empty()) {
    out.Key("time");
    out.BeginObject(Style::kInline);
    QuantityFields(out, step.time);
    if (!IsAbsent(step.high)) out.Key("high"), out.Write(step.high);
    out.EndObject();
  }
  WriteSaving(out, "saves", step.saves);
  OptionalQuantity(out, "alone", step.alone);
  out.Key("fired"), out.Write(Value{step.fired});
  out.Key("needs_earlier"), out.Write(Value{step.needs_earlier});
  out.EndObject();
}

void WriteFloor(JsonWriter& out, const report::Floor& floor) {
  if (floor.time.text.empty() && floor.absent_because.empty()) return;
  out.Key("floor");
  out.BeginObject();
  if (floor.time.text.empty()) {
    out.Field("absent", floor.absent_because);
  } else {
    OptionalQuantity(out, "time", floor.time);
    OptionalQuantity(out, "reachable", floor.reachable);
    OptionalQuantity(out, "counted", floor.counted);
  }
  out.EndObject();
}

void WritePlan(JsonWriter& out, const report::Plan& plan) {
  out.Key("plan");
  out.BeginObject();
  if (plan.steps.empty()) {
    out.Field("absent", plan.absent_because);
    WriteFloor(out, plan.floor);
    out.EndObject();
    return;
  }
  OptionalQuantity(out, "start", plan.start);
  OptionalQuantity(out, "first_calls", plan.first_calls);
  OptionalQuantity(out, "without_profiler", plan.without_profiler);
  OptionalQuantity(out, "end", plan.end);
  out.Key("complete"), out.Write(Value{plan.complete});
  out.Key("steps");
  out.BeginArray();
  for (const report::PlanStep& step : plan.steps) WritePlanStep(out, step);
  out.EndArray();
  TextList(out, "no_effect", plan.no_effect);
  out.Field("limits", plan.limits);
  WriteFloor(out, plan.floor);
  out.EndObject();
}

void WriteDiagnosis(JsonWriter& out, const report::Diagnosis& diagnosis) {
  if (diagnosis.text.empty() && diagnosis.reasons.empty()) return;
  out.Key("diagnosis");
  out.BeginObject();
  out.Field("bottleneck", diagnosis.bottleneck);
  out.Field("text", diagnosis.text);
  out.OptionalField("finding", diagnosis.finding);
  out.Key("reasons");
  out.BeginArray();
  for (const report::Reason& reason : diagnosis.reasons) {
    out.BeginObject(Style::kInline);
    out.Field("text", reason.text);
    out.Field("code", reason.code);
    out.OptionalField("finding", reason.finding);
    out.OptionalField("metric", reason.metric);
    out.Key("in_plan"), out.Write(Value(reason.in_plan));
    out.EndObject();
  }
  out.EndArray();
  out.EndObject();
}

void WriteReport(JsonWriter& out, const report::Report& report) {
  out.BeginObject();
  out.Field("schema", report.schema);
  out.Field("tool", report.tool);
  WriteProfile(out, report.profile);
  WriteVerdict(out, report.verdict);
  if (report.baseline) WriteBaselineUse(out, *report.baseline);
  out.Key("gate");
  out.BeginArray();
  for (const report::GateRow& row : report.gate) WriteGateRow(out, row);
  out.EndArray();
  out.Key("metrics");
  out.BeginObject();
  for (const report::Metric& metric : report.metrics) WriteMetric(out, metric);
  out.EndObject();
  out.Key("findings");
  out.BeginArray();
  for (const report::Finding& finding : report.findings) {
    WriteFinding(out, finding, report.plan);
  }
  out.EndArray();
  if (report.plan) WritePlan(out, *report.plan);
  WriteDiagnosis(out, report::Diagnose(report));
  WriteTables(out, report);
  if (report.comparison) WriteComparison(out, *report.comparison);
  WriteRemarks(out, report.remarks);
  WriteCertificate(out, report.recording);
  WriteImport(out, report.import);
  PairObject(out, "environment", report.environment);
  PairObject(out, "provenance", report.provenance);
  out.EndObject();
}

}  // namespace

std::string RenderJson(const report::Report& report) {
  JsonWriter out;
  WriteReport(out, report);
  return out.Take();
}

std::string RenderRunsJson(const report::Runs& runs) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", runs.runs.front().schema);
  out.Field("tool", runs.runs.front().tool);
  out.Key("runs");
  out.BeginArray();
  for (const report::Report& run : runs.runs) WriteReport(out, run);
  out.EndArray();
  out.Key("comparisons");
  out.BeginArray();
  for (const report::Runs::Pair& pair : runs.pairs) WriteReport(out, pair.report);
  out.EndArray();
  out.EndObject();
  return out.Take();
}

}  // namespace profgauge::render
