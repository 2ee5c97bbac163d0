// The section `comparison` of report.json; report/read_comparison.cc reads it back.
#include <array>

#include "render/json/json_sections.h"

namespace profgauge::render {
namespace {

using Style = JsonWriter::Style;

void Flag(JsonWriter& out, std::string_view key, bool value) {
  out.Key(key);
  out.Bool(value);
}

void Real(JsonWriter& out, std::string_view key, double value) {
  out.Key(key);
  out.Real(value);
}

void WriteMetric(JsonWriter& out, const report::ComparedMetric& metric) {
  out.BeginObject();
  out.Field("metric", metric.metric);
  out.Field("title", metric.title);
  OptionalQuantity(out, "base", metric.base);
  OptionalQuantity(out, "current", metric.current);
  OptionalQuantity(out, "change", metric.change);
  OptionalQuantity(out, "low", metric.low);
  OptionalQuantity(out, "high", metric.high);
  OptionalQuantity(out, "total", metric.total);
  OptionalQuantity(out, "total_limit", metric.total_limit);
  OptionalQuantity(out, "chance", metric.chance);
  OptionalQuantity(out, "sees", metric.sees);
  out.OptionalField("limit", metric.limit);
  out.OptionalField("level", report::NameOf(metric.level));
  out.Field("result", report::NameOf(metric.result));
  out.OptionalField("note", metric.note);
  out.EndObject();
}

void WriteValue(JsonWriter& out, const report::PairedValue& value) {
  out.BeginObject(Style::kInline);
  out.Field("metric", value.metric);
  out.Field("title", value.title);
  out.Field("better", report::NameOf(value.better));
  OptionalQuantity(out, "base", value.base);
  OptionalQuantity(out, "current", value.current);
  OptionalQuantity(out, "change", value.change);
  out.EndObject();
}

// One step of the waterfall. `parent` is the index of the step above, -1 for a category; times are
// ns per iteration.
void WriteStep(JsonWriter& out, const report::ComparisonStep& step) {
  out.BeginObject(Style::kInline);
  out.Field("level", gate::NameOf(step.level));
  out.Field("name", step.name);
  out.Field("parent", step.parent);
  out.Field("change", gate::NameOf(step.change));
  out.Field("base", step.base);
  out.Field("current", step.current);
  out.Field("delta", step.delta);
  out.Field("count_effect", step.count_effect);
  out.Field("duration_effect", step.duration_effect);
  Real(out, "base_count", step.base_count);
  Real(out, "current_count", step.current_count);
  Flag(out, "significant", step.significant);
  out.EndObject();
}

// Rows are lists in the order of `columns`: there may be a thousand of them.
constexpr std::array<std::string_view, 13> kColumns = {
    "name",       "change",       "base_count",      "current_count",
    "base",       "current",      "base_host",       "current_host",
    "delta",      "count_effect", "duration_effect", "p_value",
    "significant"};

void WriteTable(JsonWriter& out, std::string_view key, const report::PairedTable& table) {
  if (table.rows.empty()) return;
  out.Key(key);
  out.BeginObject();
  out.Field("measure", report::NameOf(table.measure));
  out.Field("base", table.base);
  out.Field("current", table.current);
  out.Field("delta", table.delta);
  out.Key("columns");
  out.BeginArray(Style::kInline);
  for (const std::string_view column : kColumns) out.Text(column);
  out.EndArray();
  out.Key("rows");
  out.BeginArray();
  for (const report::PairedWork& row : table.rows) {
    out.BeginArray(Style::kInline);
    out.Text(row.name);
    out.Text(gate::NameOf(row.change));
    out.Real(row.base_count);
    out.Real(row.current_count);
    for (const std::int64_t time : {row.base, row.current, row.base_host, row.current_host,
                                    row.delta, row.count_effect, row.duration_effect}) {
      out.Integer(time);
    }
    out.Write(row.p_value);
    out.Bool(row.significant);
    out.EndArray();
  }
  out.EndArray();
  out.EndObject();
}

void WriteMovement(JsonWriter& out, const report::Movement& movement) {
  out.Key("movement");
  out.BeginObject();
  out.Field("kind", gate::NameOf(movement.kind));
  out.Field("text", movement.text);
  out.Key("evidence");
  out.BeginArray();
  for (const std::string& one : movement.evidence) out.Text(one);
  out.EndArray();
  out.EndObject();
}

// A quantity that no one set has no value, no text and no reason.
bool IsSet(const report::Quantity& quantity) {
  return !IsAbsent(quantity.value) || !quantity.text.empty() || !quantity.absent_because.empty();
}

}  // namespace

void QuantityFields(JsonWriter& out, const report::Quantity& quantity) {
  if (IsAbsent(quantity.value)) {
    out.Field("absent", quantity.absent_because);
  } else {
    out.Key("value");
    out.Write(quantity.value);
  }
  out.Field("unit", UnitName(quantity.unit));
  if (!IsAbsent(quantity.value)) out.Field("text", quantity.text);
}

void WriteAccepted(JsonWriter& out, const std::vector<report::Accepted>& accepted) {
  out.Key("accepted");
  out.BeginArray();
  for (const report::Accepted& one : accepted) {
    out.BeginObject();
    out.Field("what", one.what);
    OptionalQuantity(out, "change", one.change);
    OptionalQuantity(out, "up_to", one.up_to);
    out.Field("reason", one.reason);
    out.Field("owner", one.owner);
    out.OptionalField("until", one.until);
    out.Field("text", one.text);
    out.EndObject();
  }
  out.EndArray();
}

void WriteNoVerdict(JsonWriter& out, const std::vector<report::NoVerdict>& reasons) {
  out.Key("no_verdict");
  out.BeginArray();
  for (const report::NoVerdict& reason : reasons) {
    out.BeginObject();
    out.Field("code", reason.code);
    out.Field("text", reason.text);
    out.OptionalField("do", reason.act);
    out.EndObject();
  }
  out.EndArray();
}

void WriteLoosened(JsonWriter& out, const std::vector<report::Loosened>& loosened) {
  out.Key("loosened");
  out.BeginArray();
  for (const report::Loosened& one : loosened) {
    out.BeginObject();
    out.Field("what", one.what);
    out.Field("before", one.before);
    out.Field("now", one.now);
    out.Field("text", one.text);
    out.EndObject();
  }
  out.EndArray();
}

void OptionalQuantity(JsonWriter& out, std::string_view key, const report::Quantity& quantity) {
  if (!IsSet(quantity)) return;
  out.Key(key);
  out.BeginObject(Style::kInline);
  QuantityFields(out, quantity);
  out.EndObject();
}

//   differences, alike   which properties of the runs differ, and which do not
//   movement             what kind of movement, where a limit is missed
//   metrics              those with a limit on their change
//   waterfall            steps of the iteration time, in ns
//   kernels, ops         paired work; left out where there is none
//   values               metrics side by side
void WriteComparison(JsonWriter& out, const report::Comparison& comparison) {
  out.Key("comparison");
  out.BeginObject();
  out.Field("baseline", comparison.baseline);
  out.Field("candidate", comparison.candidate);
  out.Field("baseline_runs", comparison.baseline_runs);
  out.Field("current_runs", comparison.current_runs);
  Flag(out, "comparable", comparison.comparable);
  out.OptionalField("work", comparison.work);
  out.OptionalField("work_gone", comparison.work_gone);
  out.OptionalField("work_come", comparison.work_come);
  if (comparison.movement) WriteMovement(out, *comparison.movement);
  out.OptionalField("slow_rank", comparison.slow_rank);
  if (comparison.rank >= 0) out.Field("rank", comparison.rank);
  out.Key("differences");
  out.BeginArray();
  for (const report::Difference& difference : comparison.differences) {
    out.BeginObject(Style::kInline);
    out.Field("property", difference.property);
    out.Field("base", difference.base);
    out.Field("current", difference.current);
    Flag(out, "blocks", difference.blocks);
    out.EndObject();
  }
  out.EndArray();
  out.Key("alike");
  out.BeginObject();
  for (const auto& [property, value] : comparison.alike) out.Field(property, value);
  out.EndObject();
  out.Key("metrics");
  out.BeginArray();
  for (const report::ComparedMetric& metric : comparison.metrics) WriteMetric(out, metric);
  out.EndArray();
  out.Field("unit", "ns");
  out.Field("base", comparison.base);
  out.Field("current", comparison.current);
  out.Field("delta", comparison.delta);
  out.Key("waterfall");
  out.BeginArray();
  for (const report::ComparisonStep& step : comparison.waterfall) WriteStep(out, step);
  out.EndArray();
  WriteTable(out, "kernels", comparison.kernels);
  WriteTable(out, "ops", comparison.ops);
  out.Key("values");
  out.BeginArray();
  for (const report::PairedValue& value : comparison.values) WriteValue(out, value);
  out.EndArray();
  out.EndObject();
}

}  // namespace profgauge::render
