#include "report/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "report/build_comparison.h"
#include "report/build_sections.h"
#include "report/diagnosis.h"

namespace profgauge::report {
namespace {

void WriteRow(JsonWriter& out, const std::vector<Value>& row) {
  out.BeginArray(Io::Style::kInline);
  for (const Value& cell : row) out.Write(cell);
  out.EndArray();
}

void Describe(Io& io, ProfileInfo& profile) {
  io.Field("name", profile.name);
  io.Field("source", profile.sources);
  io.Field("format", profile.format);
  io.Field("dialect", profile.dialect);
  io.Field("runs", profile.runs, If::kSet);
  io.Field("ranks", profile.ranks);
  io.List("devices", profile.devices, [](Io& one, Device& device) {
    one.Field("rank", device.rank);
    one.Field("id", device.id);
    one.Field("name", device.name);
  });
  io.Field("more_devices", profile.more_devices, If::kSet);
  io.Field("accelerator", profile.accelerator, If::kSet);
  io.Field("framework", profile.framework);
  io.Field("versions", profile.versions);
  io.Field("captured", profile.captured);
  io.Field("selection", profile.selection);
  std::string source = profile.iteration_source.Text();
  io.Field("iteration_source", source);
  if (!io.writes()) profile.iteration_source = ParseIterationSource(source);
  io.Field("iterations_total", profile.iterations_total);
  io.Field("iterations_selected", profile.iterations_selected);
}

void Describe(Io& io, VerdictInfo& verdict) {
  io.Word("status", verdict.status, kRunStates);
  io.Object(
      "counts",
      [&](Io& counts) {
        counts.Field("errors", verdict.errors);
        counts.Field("warnings", verdict.warnings);
        counts.Field("waived", verdict.waived);
        counts.Field("passed", verdict.passed);
        counts.Field("not_found", verdict.not_found);
        counts.Field("not_applicable", verdict.not_applicable);
        counts.Field("missing", verdict.missing);
        counts.Field("open", verdict.open);
        counts.Field("cautions", verdict.cautions, If::kSet);
      },
      Io::Style::kInline);
  io.Field("reasons", verdict.reasons, Io::Style::kLines);
  io.Field("policy", verdict.policy);
  io.Field("policy_from", verdict.policy_from, If::kSet);
  io.Field("config", verdict.config, If::kSet);
  if (io.Has("accepted", !verdict.accepted.empty())) DescribeAccepted(io, verdict.accepted);
  io.Field("policy_hash", verdict.policy_hash, If::kSet);
  if (io.Has("loosened", !verdict.loosened.empty())) DescribeLoosened(io, verdict.loosened);
  if (io.Has("no_verdict", !verdict.no_verdict.empty())) {
    DescribeNoVerdict(io, verdict.no_verdict);
    io.Field("again", verdict.again);
    if (io.Has("needed", verdict.needed > 0)) {
      io.Field("recordings", verdict.recordings);
      io.Field("needed", verdict.needed);
    }
  }
  io.Field("accept_line", verdict.accept_line, If::kSet);
}

void Describe(Io& io, BaselineUse& baseline) {
  constexpr std::array<std::string_view, 7> kStates = {
      "none", "used", "learning", "first", "lost", "none_comparable", "unknown_branch"};
  const auto found = std::ranges::find(kStates, baseline.state);
  auto state = static_cast<std::size_t>(found - kStates.begin()) % kStates.size();
  io.Word("state", state, kStates);
  baseline.state = kStates[state];
  io.Field("source", baseline.source, If::kSet);
  io.Field("wanted", baseline.wanted, If::kSet);
  io.List("runs", baseline.runs, [](Io& one, BaselineUse::Run& run) {
    one.Field("id", run.id, If::kSet);
    one.Field("commit", run.commit, If::kSet);
    one.Field("name", run.name);
  });
  io.List("skipped", baseline.skipped, [](Io& one, std::pair<std::int64_t, std::string>& run) {
    one.Field("id", run.first);
    one.Field("why", run.second);
  });
  io.Field("level", baseline.level, If::kSet);
  io.Field("learning_until", baseline.learning_until, If::kSet);
  io.Field("anchor", baseline.anchor, If::kSet);
  io.Field("line", baseline.line);
  io.Field("mark", baseline.mark, If::kSet);
  io.Field("warns", baseline.warns, If::kSet);
}

void Describe(Io& io, GateRow& row) {
  io.Field("metric", row.metric);
  io.Field("title", row.title);
  io.Fields(row.measured);
  io.Object(
      "limit",
      [&](Io& limit) {
        limit.Field("min", row.min);
        limit.Field("max", row.max);
        limit.Field("text", row.limit);
      },
      Io::Style::kInline);
  io.Field("margin", row.margin);
  io.Field("baseline", row.baseline);
  io.Field("change", row.change);
  io.Word("level", row.level, kLevels);
  io.Word("status", row.status, kLimitStates);
  io.Field("reason", row.reason, If::kSet);
  io.Field("counted_with", row.counted_with, If::kSet);
  io.Field("recorded", row.recorded);
}

void Describe(Io& io, Metric& metric) {
  io.Fields(metric.quantity);
  io.Field("title", metric.title);
  io.Word("better", metric.better, kBetterNames);
  io.Field("definition", metric.definition);
  io.Field("formula", metric.formula, If::kSet);
  io.Field("source", metric.source, If::kSet);
  io.Field("note", metric.note, If::kSet);
}

// Describes a saving, which has no value if it is unknown.
void DescribeSaving(Io& io, std::string_view key, Saving& saving) {
  if (!io.Has(key, !saving.text.empty())) return;
  if (!io.writes()) saving.value = {{}, Unit::kTime, kAbsentText, ""};
  io.Object(
      key,
      [&](Io& one) {
        if (one.Has("value", !IsAbsent(saving.value.value))) {
          one.Field("value", saving.value.value);
          one.Field("unit", saving.value.unit);
        }
        one.Field("text", saving.text);
        one.Word("basis", saving.basis, rules::kBasisNames);
        one.Field("low", saving.low);
        one.Field("why", saving.why, If::kSet);
      },
      Io::Style::kInline);
  if (!io.writes() && !IsAbsent(saving.value.value)) {
    saving.value.text = FormatDuration(AsNumber(saving.value.value, 0));
  }
}

void WriteParts(JsonWriter& out, const RichText& parts) {
  out.BeginArray();
  for (const TextPart& part : parts) {
    out.BeginObject(Io::Style::kInline);
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

RichText ReadParts(const JsonNode& node) {
  RichText parts;
  for (const JsonNode& element : node.Elements()) {
    TextPart& part = parts.emplace_back();
    const std::string kind = element["kind"].Text();
    for (const auto known :
         {TextPart::Kind::kCode, TextPart::Kind::kNumber, TextPart::Kind::kLink}) {
      if (kind == TextPartName(known)) part.kind = known;
    }
    part.text = element["text"].Text();
    if (element["value"].exists()) part.value = AsNumber(element["value"].Any(), 0);
    if (element["unit"].exists()) part.unit = element["unit"].UnitNamed();
    part.href = element["href"].Text();
  }
  return parts;
}

void DescribeParts(Io& io, Finding& finding) {
  if (!io.writes()) return void(finding.message_parts = ReadParts(io.node()["message_parts"]));
  if (finding.message_parts.empty()) return;
  io.out().Key("message_parts");
  WriteParts(io.out(), finding.message_parts);
}

void DescribePoints(Io& io, Finding& finding) {
  if (!io.writes()) {
    for (const JsonNode& point : io.node()["advice_parts"].Elements()) {
      finding.advice_parts.push_back(ReadParts(point));
    }
    return;
  }
  if (finding.advice_parts.empty()) return;
  io.out().Key("advice_parts");
  io.out().BeginArray();
  for (const RichText& point : finding.advice_parts) WriteParts(io.out(), point);
  io.out().EndArray();
}

// Writes the place of a finding in the plan: its step, or why it has none. It is derived from the
// plan, so it is not read.
void WritePlace(JsonWriter& out, const Finding& finding, const Plan& plan) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto write = [&](std::string_view state, auto more) {
    out.Key("plan");
    out.BeginObject(Io::Style::kInline);
    out.Field("state", state);
    more();
    out.EndObject();
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (!has(step.rules, finding.rule)) continue;
    return write(step.fired ? "step" : "limit_next", [&] {
      out.Field("step", static_cast<std::int64_t>(i + 1));
      if (const auto* saves = std::get_if<std::int64_t>(&step.saves.value.value)) {
        out.Field("saves", *saves);
      }
      if (step.needs_earlier) out.Field("after", static_cast<std::int64_t>(i));
    });
  }
  if (plan.steps.empty() || !HasFired(finding)) return;
  write(has(plan.no_effect, finding.key) ? "no_effect" : "not_simulated", [] {});
}

struct EvidenceColumn {
  Unit unit = Unit::kText;
  std::string title;
};

void DescribeEvidence(Io& io, Finding& finding) {
  std::vector<EvidenceColumn> columns;
  for (std::size_t i = 0; i < finding.evidence_heads.size(); ++i) {
    const bool has_unit = i < finding.evidence_units.size();
    columns.push_back(
        {has_unit ? finding.evidence_units[i] : Unit::kText, finding.evidence_heads[i]});
  }
  if (!io.Has("evidence", !columns.empty())) return;
  io.Object("evidence", [&](Io& evidence) {
    evidence.List("columns", columns, [](Io& one, EvidenceColumn& column) {
      one.Field("unit", column.unit);
      one.Field("title", column.title);
    });
    if (evidence.writes()) {
      evidence.out().Key("rows");
      evidence.out().BeginArray();
      for (const auto& row : finding.evidence) WriteRow(evidence.out(), row);
      evidence.out().EndArray();
      return;
    }
    for (const EvidenceColumn& column : columns) {
      finding.evidence_heads.push_back(column.title);
      finding.evidence_units.push_back(column.unit);
    }
    for (const JsonNode& row : evidence.node()["rows"].Elements()) {
      finding.evidence.push_back(row.Cells(columns.size()));
    }
  });
}

void Describe(Io& io, Finding& finding, const std::optional<Plan>& plan) {
  io.Field("rule", finding.rule);
  io.Field("key", finding.key, If::kSet);
  io.Word("level", finding.level, kLevels);
  io.Word("status", finding.status, kRuleStates);
  io.Field("title", finding.title);
  io.Field("message", finding.message);
  DescribeParts(io, finding);
  io.Field("metric", finding.metric);
  io.Field("metric_of", finding.metric_of, If::kSet);
  DescribeSaving(io, "gain", finding.saves);
  io.Field("explains", finding.explains);
  io.Field("advice", finding.advice, If::kSet);
  DescribePoints(io, finding);
  io.Field("docs", finding.docs, If::kSet);
  io.Field("next", finding.next, If::kSet);
  io.Field("reason", finding.reason, If::kSet);
  io.Field("counted_with", finding.counted_with, If::kSet);
  io.Field("rows_unknown", finding.rows_unknown, If::kSet);
  if (io.writes() && plan) WritePlace(io.out(), finding, *plan);
  io.Field("evidence_of", finding.evidence_of, If::kSet);
  io.Field("evidence_table", finding.evidence_table, If::kSet);
  DescribeEvidence(io, finding);
}

void Describe(Io& io, PlanStep& step) {
  io.Field("findings", step.findings);
  io.Field("rules", step.rules);
  io.Field("title", step.title);
  io.Field("change", step.change, If::kSet);
  io.Field("do", step.action, If::kSet);
  if (io.Has("time", !step.time.text.empty())) {
    io.Object(
        "time",
        [&](Io& time) {
          time.Fields(step.time);
          time.Field("high", step.high);
        },
        Io::Style::kInline);
  }
  if (!io.writes()) {
    step.time_text = IsAbsent(step.high)
                         ? step.time.text
                         : rules::RangeText(AsNumber(step.time.value, 0), AsNumber(step.high, 0));
  }
  DescribeSaving(io, "saves", step.saves);
  io.Field("alone", step.alone);
  io.Field("fired", step.fired);
  io.Field("needs_earlier", step.needs_earlier);
}

void Describe(Io& io, Floor& floor) {
  io.Field("absent", floor.absent_because, If::kSet);
  io.Field("time", floor.time);
  io.Field("reachable", floor.reachable);
  io.Field("counted", floor.counted);
}

void Describe(Io& io, Plan& plan) {
  const bool has_steps = !plan.steps.empty();
  if (!io.writes() || !has_steps) io.Field("absent", plan.absent_because);
  if (!io.writes() || has_steps) {
    io.Field("start", plan.start);
    io.Field("with_pauses", plan.with_pauses, If::kSet);
    io.Field("first_calls", plan.first_calls);
    io.Field("without_profiler", plan.without_profiler);
    io.Field("end", plan.end);
    io.Field("complete", plan.complete);
    io.List(
        "steps", plan.steps, [](Io& one, PlanStep& step) { Describe(one, step); },
        Io::Style::kLines);
    io.Field("no_effect", plan.no_effect);
    io.Field("not_simulated", plan.not_simulated, If::kSet);
    io.Field("not_simulated_saves", plan.not_simulated_saves, If::kSet);
    io.Field("not_simulated_rule", plan.not_simulated_rule, If::kSet);
    io.Field("limits", plan.limits);
  }
  const Floor& floor = plan.floor;
  if (!io.Has("floor", !floor.time.text.empty() || !floor.absent_because.empty())) return;
  io.Object("floor", [&](Io& one) { Describe(one, plan.floor); });
}

// Written, and read only for the schema, since it is derived from the other fields.
void DescribeDiagnosis(Io& io, const Report& report) {
  Diagnosis diagnosis;
  if (io.writes()) diagnosis = Diagnose(report);
  if (!io.Has("diagnosis", !diagnosis.text.empty() || !diagnosis.reasons.empty())) return;
  io.Object("diagnosis", [&](Io& one) {
    std::string bottleneck(diagnosis.bottleneck);
    one.Field("bottleneck", bottleneck);
    one.Field("text", diagnosis.text);
    one.Field("finding", diagnosis.finding, If::kSet);
    one.List("reasons", diagnosis.reasons, [](Io& each, Reason& reason) {
      each.Field("text", reason.text);
      each.Field("code", reason.code);
      each.Field("finding", reason.finding, If::kSet);
      each.Field("metric", reason.metric, If::kSet);
      each.Field("in_plan", reason.in_plan);
    });
  });
}

std::string_view KindOf(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return "a text";
  if (std::holds_alternative<bool>(value)) return "true or false";
  return std::holds_alternative<double>(value) ? "a fraction" : "a whole number";
}

// Adds a cell; false if its type is not the column's.
bool AddCell(Table& table, Column& column, const Value& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const auto* text = std::get_if<std::string>(&value);
  const auto* flag = std::get_if<bool>(&value);
  if (IsAbsent(value)) {
    column.AddAbsent();
  } else if (column.type() == CellType::kText && text != nullptr) {
    column.AddText(table.strings().Intern(*text));
  } else if (column.type() == CellType::kReal && (real != nullptr || integer != nullptr)) {
    column.AddReal(real != nullptr ? *real : static_cast<double>(*integer));
  } else if (column.unit() == Unit::kBool && flag != nullptr) {
    column.AddInteger(*flag ? 1 : 0);
  } else if (column.type() == CellType::kInteger && integer != nullptr) {
    column.AddInteger(*integer);
  } else {
    column.AddAbsent();
    return false;
  }
  return true;
}

Table ReadTable(const std::string& id, const JsonNode& node) {
  Table table(id, node["row"].Text(), node["title"].Text(), std::make_shared<StringPool>());
  for (const JsonNode& spec : node["columns"].Elements()) {
    const std::string column_id = spec["id"].Text(), title = spec["title"].Text();
    table.AddColumn({column_id, title, spec["unit"].UnitNamed(), {}})
        .MarkAbsent(spec["absent"].Text());
  }
  for (const JsonNode& row : node["rows"].Elements()) {
    const std::vector<Value> cells = row.Cells(table.columns().size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Column& column = table.columns()[i];
      if (AddCell(table, column, cells[i])) continue;
      row.Expected(fmt::format("a value in `{}` for `{}`", UnitName(column.unit()), column.id()),
                   KindOf(cells[i]));
    }
  }
  return table;
}

void WriteTable(JsonWriter& out, const Table& table, const std::vector<std::size_t>& rows) {
  out.Key(table.id());
  out.BeginObject();
  out.Field("title", table.title());
  out.Field("row", table.row_name());
  out.Key("columns");
  out.BeginArray();
  for (const Column& column : table.columns()) {
    out.BeginObject(Io::Style::kInline);
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
    out.BeginArray(Io::Style::kInline);
    for (const Column& column : table.columns()) out.Write(table.At(row, column));
    out.EndArray();
  }
  out.EndArray();
  out.EndObject();
}

// Tables store cells by column, so they are not described by fields but read and written here.
void DescribeTables(Io& io, Report& report) {
  std::vector<LeftOutTable> left_out = report.left_out;
  if (io.writes()) {
    io.out().Key("tables");
    io.out().BeginObject();
    for (const Table& table : report.tables) {
      const std::vector<std::size_t> rows = RowsInJson(table);
      if (!rows.empty() || table.rows() == 0) WriteTable(io.out(), table, rows);
      if (rows.size() == table.rows()) continue;
      left_out.push_back(
          {table.id(), table.title(), static_cast<std::int64_t>(table.rows() - rows.size())});
    }
    io.out().EndObject();
  } else {
    for (const auto& [id, table] : io.node()["tables"].Entries()) {
      report.tables.push_back(ReadTable(id, table));
    }
  }
  io.Field("absent_tables", report.absent_tables);
  io.List("left_out", left_out, [](Io& one, LeftOutTable& table) {
    one.Field("id", table.id);
    one.Field("title", table.title);
    one.Field("rows", table.rows);
  });
  if (!io.writes()) report.left_out = std::move(left_out);
}

void Describe(Io& io, Certificate& recording) {
  io.Word("trust", recording.trust, kTrustNames);
  io.List("checks", recording.checks, [](Io& one, CertificateCheck& check) {
    one.Field("id", check.id);
    one.Field("title", check.title);
    one.Word("status", check.state, kCheckStateNames);
    one.Field("count", check.count, If::kSet);
    one.Field("of", check.of, If::kSet);
    one.Field("text", check.text, If::kSet);
    one.Field("affects", check.affects, Io::Style::kInline, If::kSet);
    one.Field("do", check.advice, If::kSet);
  });
}

void Describe(Io& io, ImportCounter& counter) {
  constexpr std::array kSeverities = {Severity::kInfo, Severity::kRepaired, Severity::kSkipped,
                                      Severity::kDataLoss};
  std::array<std::string_view, kSeverities.size()> names;
  std::transform(kSeverities.begin(), kSeverities.end(), names.begin(), SeverityName);
  auto count = static_cast<std::int64_t>(counter.count);
  io.Field("count", count);
  counter.count = static_cast<std::uint64_t>(count);
  auto severity = static_cast<std::size_t>(std::ranges::find(kSeverities, counter.severity) -
                                           kSeverities.begin());
  io.Word("severity", severity, names);
  counter.severity = kSeverities[severity];
  io.Field("text", counter.text);
  io.Field("examples", counter.examples);
}

void Describe(Io& io, ComparedMetric& metric) {
  io.Field("metric", metric.metric);
  io.Field("title", metric.title);
  io.Field("base", metric.base);
  io.Field("current", metric.current);
  io.Field("change", metric.change);
  io.Field("low", metric.low);
  io.Field("high", metric.high);
  io.Field("total", metric.total);
  io.Field("total_limit", metric.total_limit);
  io.Field("chance", metric.chance);
  io.Field("sees", metric.sees);
  io.Field("limit", metric.limit, If::kSet);
  io.Word("level", metric.level, kLevels, If::kSet);
  io.Word("result", metric.result, kChangeStates);
  io.Field("note", metric.note, If::kSet);
}

void Describe(Io& io, PairedValue& value) {
  io.Field("metric", value.metric);
  io.Field("title", value.title);
  io.Word("better", value.better, kBetterNames);
  io.Field("base", value.base);
  io.Field("current", value.current);
  io.Field("change", value.change);
}

// `parent` is the index of the part above, -1 for a category; times are ns per iteration.
void Describe(Io& io, ComparisonStep& step) {
  io.Word("level", step.level, gate::kPartLevelNames);
  io.Field("name", step.name);
  io.Field("parent", step.parent);
  io.Word("change", step.change, gate::kPartChangeNames);
  io.Field("base", step.base);
  io.Field("current", step.current);
  io.Field("delta", step.delta);
  io.Field("count_effect", step.count_effect);
  io.Field("duration_effect", step.duration_effect);
  io.Field("base_count", step.base_count);
  io.Field("current_count", step.current_count);
  io.Field("significant", step.significant);
}

// Rows are lists in the order of `columns`, since there may be a thousand.
constexpr std::array<std::string_view, 13> kPairedColumns = {
    "name",       "change",       "base_count",      "current_count",
    "base",       "current",      "base_host",       "current_host",
    "delta",      "count_effect", "duration_effect", "p_value",
    "significant"};

void WriteWork(JsonWriter& out, const PairedWork& row) {
  out.BeginArray(Io::Style::kInline);
  out.Text(row.name);
  out.Text(gate::NameOf(row.change));
  out.Real(row.base_count);
  out.Real(row.current_count);
  for (const std::int64_t time : {row.base, row.current, row.base_host, row.current_host, row.delta,
                                  row.count_effect, row.duration_effect}) {
    out.Integer(time);
  }
  out.Write(row.p_value);
  out.Bool(row.significant);
  out.EndArray();
}

PairedWork ReadWork(const JsonNode& node) {
  PairedWork work;
  const std::vector<JsonNode> cells = node.Elements();
  if (cells.size() != kPairedColumns.size()) {
    node.Expected(fmt::format("a list of {} cells", kPairedColumns.size()));
    return work;
  }
  work.name = cells[0].Text();
  work.change =
      static_cast<gate::PartChange>(cells[1].IndexAmong(gate::kPartChangeNames).value_or(0));
  work.base_count = AsNumber(cells[2].Any(), 0);
  work.current_count = AsNumber(cells[3].Any(), 0);
  std::size_t cell = 4;
  for (std::int64_t* time : {&work.base, &work.current, &work.base_host, &work.current_host,
                             &work.delta, &work.count_effect, &work.duration_effect}) {
    *time = cells[cell++].Integer();
  }
  work.p_value = cells[cell++].Any();
  work.significant = cells[cell].Bool();
  return work;
}

void DescribePaired(Io& io, std::string_view key, PairedTable& table) {
  if (!io.Has(key, !table.rows.empty())) return;
  io.Object(key, [&](Io& one) {
    one.Word("measure", table.measure, kMeasureNames);
    one.Field("base", table.base);
    one.Field("current", table.current);
    one.Field("delta", table.delta);
    if (!one.writes()) {
      for (const JsonNode& row : one.node()["rows"].Elements()) table.rows.push_back(ReadWork(row));
      return;
    }
    std::vector<std::string> columns(kPairedColumns.begin(), kPairedColumns.end());
    one.Field("columns", columns);
    one.out().Key("rows");
    one.out().BeginArray();
    for (const PairedWork& row : table.rows) WriteWork(one.out(), row);
    one.out().EndArray();
  });
}

}  // namespace

void DescribeAccepted(Io& io, std::vector<Accepted>& accepted) {
  io.List(
      "accepted", accepted,
      [](Io& one, Accepted& miss) {
        one.Field("what", miss.what);
        one.Field("change", miss.change);
        one.Field("up_to", miss.up_to);
        one.Field("reason", miss.reason);
        one.Field("owner", miss.owner);
        one.Field("until", miss.until, If::kSet);
        one.Field("text", miss.text);
      },
      Io::Style::kLines);
}

void DescribeNoVerdict(Io& io, std::vector<NoVerdict>& reasons) {
  io.List(
      "no_verdict", reasons,
      [](Io& one, NoVerdict& reason) {
        one.Field("code", reason.code);
        one.Field("text", reason.text);
        one.Field("do", reason.act, If::kSet);
      },
      Io::Style::kLines);
}

void DescribeLoosened(Io& io, std::vector<Loosened>& loosened) {
  io.List(
      "loosened", loosened,
      [](Io& one, Loosened& setting) {
        one.Field("what", setting.what);
        one.Field("before", setting.before);
        one.Field("now", setting.now);
        one.Field("text", setting.text);
      },
      Io::Style::kLines);
}

//   differences, alike   different and equal properties of the runs
//   movement             kind of movement, if a limit is missed
//   metrics              those with a limit on their change
//   waterfall            parts of the iteration time's change, in ns
//   kernels, ops         paired work; omitted if there is none
//   values               metrics of both runs
void Describe(Io& io, Comparison& comparison) {
  io.Field("baseline", comparison.baseline);
  io.Field("candidate", comparison.candidate);
  io.Field("baseline_runs", comparison.baseline_runs);
  io.Field("current_runs", comparison.current_runs);
  io.Field("comparable", comparison.comparable);
  io.Field("work", comparison.work, If::kSet);
  io.Field("work_gone", comparison.work_gone, If::kSet);
  io.Field("work_come", comparison.work_come, If::kSet);
  if (io.Has("movement", comparison.movement.has_value())) {
    Movement& movement = comparison.movement ? *comparison.movement : comparison.movement.emplace();
    io.Object("movement", [&](Io& one) {
      one.Word("kind", movement.kind, gate::kMovementKindNames);
      one.Field("text", movement.text);
      one.Field("evidence", movement.evidence, Io::Style::kLines);
    });
  }
  io.Field("benchmarks", comparison.benchmarks, If::kSet);
  io.Field("slow_rank", comparison.slow_rank, If::kSet);
  if (io.Has("rank", comparison.rank >= 0)) io.Field("rank", comparison.rank);
  io.List("differences", comparison.differences, [](Io& one, Difference& difference) {
    one.Field("property", difference.property);
    one.Field("base", difference.base);
    one.Field("current", difference.current);
    one.Field("blocks", difference.blocks);
  });
  io.Field("alike", comparison.alike);
  io.List(
      "metrics", comparison.metrics, [](Io& one, ComparedMetric& metric) { Describe(one, metric); },
      Io::Style::kLines);
  if (io.writes()) io.out().Field("unit", "ns");
  io.Field("base", comparison.base);
  io.Field("current", comparison.current);
  io.Field("delta", comparison.delta);
  std::int64_t index = 0;
  io.List("waterfall", comparison.waterfall, [&](Io& one, ComparisonStep& step) {
    Describe(one, step);
    // Parents must precede their parts, so that drawing the tree ends.
    const bool is_earlier = step.parent >= -1 && step.parent < index++;
    if (!one.writes() && !is_earlier) {
      one.node()["parent"].Expected("the index of an earlier step");
    }
  });
  DescribePaired(io, "kernels", comparison.kernels);
  DescribePaired(io, "ops", comparison.ops);
  io.List("values", comparison.values, [](Io& one, PairedValue& value) { Describe(one, value); });
}

void Describe(Io& io, Report& report) {
  if (io.writes()) io.out().Field("schema", report.schema);
  io.Field("tool", report.tool);
  io.Object("profile", [&](Io& one) { Describe(one, report.profile); });
  io.Object("verdict", [&](Io& one) { Describe(one, report.verdict); });
  const auto optional = [&io](std::string_view key, auto& section) {
    if (!io.Has(key, section.has_value())) return;
    auto& its = section ? *section : section.emplace();
    io.Object(key, [&](Io& one) { Describe(one, its); });
  };
  optional("baseline", report.baseline);
  io.List(
      "gate", report.gate, [](Io& one, GateRow& row) { Describe(one, row); }, Io::Style::kLines);
  io.Map("metrics", report.metrics, &Metric::id,
         [](Io& one, Metric& metric) { Describe(one, metric); });
  io.List(
      "findings", report.findings,
      [&](Io& one, Finding& finding) { Describe(one, finding, report.plan); }, Io::Style::kLines);
  optional("plan", report.plan);
  DescribeDiagnosis(io, report);
  DescribeTables(io, report);
  optional("comparison", report.comparison);
  if (!io.writes() && report.comparison) {
    std::string& accelerator = report.comparison->accelerator;
    accelerator = report.profile.accelerator;
    if (accelerator.empty()) accelerator = AcceleratorOf(*report.comparison);
  }
  io.List("remarks", report.remarks, [](Io& one, Remark& remark) {
    one.Field("id", remark.id);
    one.Field("text", remark.text);
  });
  if (io.Has("recording", !report.recording.checks.empty())) {
    io.Object("recording", [&](Io& one) { Describe(one, report.recording); });
  }
  io.Map("import", report.import, &ImportCounter::name,
         [](Io& one, ImportCounter& counter) { Describe(one, counter); });
  io.Field("environment", report.environment);
  io.Field("provenance", report.provenance);
}

void Write(JsonWriter& out, const Report& report) {
  out.BeginObject();
  Io io(out);
  Describe(io, const_cast<Report&>(report));  // Writing changes nothing.
  out.EndObject();
}

}  // namespace profgauge::report
