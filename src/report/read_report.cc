// The twin of render/json/json.cc.
#include "report/read_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <memory>
#include <utility>

#include "base/format.h"
#include "report/build_sections.h"
#include "report/json_node.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

ProfileInfo ReadProfile(const JsonNode& node) {
  ProfileInfo profile;
  profile.name = node["name"].Text();
  profile.sources = node["source"].Texts();
  profile.format = node["format"].Text();
  profile.dialect = node["dialect"].Text();
  profile.ranks = node["ranks"].Integer();
  for (const JsonNode& device : node["devices"].Elements()) {
    profile.devices.push_back(
        {device["rank"].Integer(), device["id"].Integer(), device["name"].Text()});
  }
  profile.more_devices = node["more_devices"].Integer();
  profile.accelerator = node["accelerator"].Text();
  profile.framework = node["framework"].Text();
  profile.versions = node["versions"].TextPairs();
  profile.captured = node["captured"].Text();
  profile.selection = node["selection"].Text();
  profile.iteration_source = ParseIterationSource(node["iteration_source"].Text());
  profile.iterations_total = node["iterations_total"].Integer();
  profile.iterations_selected = node["iterations_selected"].Integer();
  return profile;
}

VerdictInfo ReadVerdict(const JsonNode& node) {
  VerdictInfo verdict;
  verdict.status = ReadState(node["status"], kRunStates, verdict.status);
  const JsonNode counts = node["counts"];
  verdict.errors = counts["errors"].Integer();
  verdict.warnings = counts["warnings"].Integer();
  verdict.waived = counts["waived"].Integer();
  verdict.passed = counts["passed"].Integer();
  verdict.not_applicable = counts["not_applicable"].Integer();
  verdict.missing = counts["missing"].Integer();
  if (counts["open"].exists()) verdict.open = counts["open"].Integer();
  verdict.not_found = counts["not_found"].Integer();
  if (counts["cautions"].exists()) verdict.cautions = counts["cautions"].Integer();
  verdict.reasons = node["reasons"].Texts();
  verdict.policy = node["policy"].Text();
  verdict.policy_from = node["policy_from"].Text();
  verdict.config = node["config"].Text();
  for (const JsonNode& one : node["accepted"].Elements()) {
    verdict.accepted.push_back({one["what"].Text(), ReadQuantity(one["change"]),
                                ReadQuantity(one["up_to"]), one["reason"].Text(),
                                one["owner"].Text(), one["until"].Text(), one["text"].Text()});
  }
  verdict.policy_hash = node["policy_hash"].Text();
  for (const JsonNode& one : node["no_verdict"].Elements()) {
    verdict.no_verdict.push_back({one["code"].Text(), one["text"].Text(), one["do"].Text()});
  }
  if (node["again"].exists()) verdict.again = node["again"].Bool();
  if (node["recordings"].exists()) verdict.recordings = node["recordings"].Integer();
  if (node["needed"].exists()) verdict.needed = node["needed"].Integer();
  verdict.accept_line = node["accept_line"].Text();
  for (const JsonNode& one : node["loosened"].Elements()) {
    verdict.loosened.push_back(
        {one["what"].Text(), one["before"].Text(), one["now"].Text(), one["text"].Text()});
  }
  return verdict;
}

BaselineUse ReadBaselineUse(const JsonNode& node) {
  BaselineUse baseline;
  constexpr std::string_view kStates[] = {
      "none", "used", "learning", "first", "lost", "none_comparable", "unknown_branch"};
  const auto state = node["state"].IndexAmong(kStates);
  if (state) baseline.state = kStates[*state];
  baseline.source = node["source"].Text();
  if (node["wanted"].exists()) baseline.wanted = node["wanted"].Integer();
  for (const JsonNode& run : node["runs"].Elements()) {
    const std::int64_t id = run["id"].exists() ? run["id"].Integer() : 0;
    baseline.runs.push_back({id, run["commit"].Text(), run["name"].Text()});
  }
  for (const JsonNode& run : node["skipped"].Elements()) {
    baseline.skipped.emplace_back(run["id"].Integer(), run["why"].Text());
  }
  baseline.level = node["level"].Text();
  baseline.anchor = node["anchor"].Text();
  baseline.line = node["line"].Text();
  baseline.mark = node["mark"].Text();
  baseline.learning_until = node["learning_until"].Text();
  if (node["warns"].exists()) baseline.warns = node["warns"].Bool();
  return baseline;
}

GateRow ReadGateRow(const JsonNode& node) {
  GateRow row;
  row.metric = node["metric"].Text();
  row.title = node["title"].Text();
  row.measured = ReadQuantity(node);
  row.min = node["limit"]["min"].Any();
  row.max = node["limit"]["max"].Any();
  row.limit = node["limit"]["text"].Text();
  row.margin = ReadQuantity(node["margin"]);
  row.baseline = ReadQuantity(node["baseline"]);
  row.change = ReadQuantity(node["change"]);
  row.level = ReadState(node["level"], kLevels);
  row.status = ReadState(node["status"], kLimitStates);
  row.reason = node["reason"].Text();
  row.counted_with = node["counted_with"].Text();
  row.recorded = ReadQuantity(node["recorded"]);
  return row;
}

Certificate ReadCertificate(const JsonNode& node) {
  Certificate certificate;
  certificate.trust = ReadWord<Trust>(node["trust"], kTrustNames);
  for (const JsonNode& check : node["checks"].Elements()) {
    certificate.checks.push_back({check["id"].Text(), check["title"].Text(),
                                  ReadWord<CheckState>(check["status"], kCheckStateNames),
                                  check["count"].Integer(), check["of"].Integer(),
                                  check["text"].Text(), check["affects"].Texts(),
                                  check["do"].Text()});
  }
  return certificate;
}

Metric ReadMetric(const std::string& id, const JsonNode& node) {
  Metric metric;
  metric.id = id;
  metric.quantity = ReadQuantity(node);
  metric.title = node["title"].Text();
  metric.better = ReadWord<Better>(node["better"], kBetterNames);
  metric.definition = node["definition"].Text();
  metric.formula = node["formula"].Text();
  metric.source = node["source"].Text();
  metric.note = node["note"].Text();
  return metric;
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
    part.href = element["href"].Text();
    if (element["unit"].exists()) part.unit = element["unit"].UnitNamed();
    if (element["value"].exists()) part.value = AsNumber(element["value"].Any(), 0);
  }
  return parts;
}

Saving ReadSaving(const JsonNode& node) {
  Saving saving;
  if (!node.exists()) return saving;
  saving.basis = ReadWord<rules::Basis>(node["basis"], rules::kBasisNames);
  // What is not known has neither value nor unit, as BuildSaving() makes it.
  saving.value = {{}, Unit::kTime, "–", ""};
  if (node["value"].exists()) {
    saving.value = ReadQuantity(node);
    saving.value.text = FormatDuration(AsNumber(saving.value.value, 0));
  }
  if (node["low"].exists()) saving.low = node["low"].Any();
  saving.text = node["text"].Text();
  saving.why = node["why"].Text();
  return saving;
}

Finding ReadFinding(const JsonNode& node) {
  Finding finding;
  finding.rule = node["rule"].Text();
  finding.level = ReadState(node["level"], kLevels);
  finding.status = ReadState(node["status"], kRuleStates);
  finding.title = node["title"].Text();
  finding.key = node["key"].Text();
  finding.message = node["message"].Text();
  finding.metric = ReadQuantity(node["metric"]);
  finding.saves = ReadSaving(node["gain"]);
  finding.explains = node["explains"].Texts();
  finding.advice = node["advice"].Text();
  // Reports that have no parts, as earlier programs wrote them.
  finding.message_parts =
      node["message_parts"].exists() ? ReadParts(node["message_parts"]) : PartsOf(finding.message);
  if (node["advice_parts"].exists()) {
    for (const JsonNode& point : node["advice_parts"].Elements()) {
      finding.advice_parts.push_back(ReadParts(point));
    }
  } else {
    finding.advice_parts = PointsOf(finding.advice);
  }
  finding.docs = node["docs"].Text();
  finding.next = node["next"].Text();
  finding.reason = node["reason"].Text();
  finding.counted_with = node["counted_with"].Text();
  if (node["rows_unknown"].exists()) finding.rows_unknown = node["rows_unknown"].Integer();
  for (const JsonNode& column : node["evidence"]["columns"].Elements()) {
    finding.evidence_heads.push_back(column["title"].Text());
    finding.evidence_units.push_back(column["unit"].UnitNamed());
  }
  if (node["evidence_of"].exists()) finding.evidence_of = node["evidence_of"].Integer();
  for (const JsonNode& row : node["evidence"]["rows"].Elements()) {
    finding.evidence.push_back(row.Cells(finding.evidence_heads.size()));
  }
  return finding;
}

PlanStep ReadPlanStep(const JsonNode& node) {
  PlanStep step;
  step.findings = node["findings"].Texts();
  step.rules = node["rules"].Texts();
  step.title = node["title"].Text();
  step.change = node["change"].Text();
  step.action = node["do"].Text();
  step.time = ReadQuantity(node["time"]);
  if (node["time"]["high"].exists()) step.high = node["time"]["high"].Any();
  step.time_text = IsAbsent(step.high)
                       ? step.time.text
                       : rules::RangeText(AsNumber(step.time.value, 0), AsNumber(step.high, 0));
  step.saves = ReadSaving(node["saves"]);
  step.alone = ReadQuantity(node["alone"]);
  step.fired = node["fired"].Bool();
  step.needs_earlier = node["needs_earlier"].Bool();
  return step;
}

Floor ReadFloor(const JsonNode& node) {
  Floor floor;
  floor.absent_because = node["absent"].Text();
  floor.time = ReadQuantity(node["time"]);
  floor.reachable = ReadQuantity(node["reachable"]);
  floor.counted = ReadQuantity(node["counted"]);
  return floor;
}

Plan ReadPlan(const JsonNode& node) {
  Plan plan;
  plan.absent_because = node["absent"].Text();
  plan.start = ReadQuantity(node["start"]);
  plan.first_calls = ReadQuantity(node["first_calls"]);
  plan.without_profiler = ReadQuantity(node["without_profiler"]);
  plan.end = ReadQuantity(node["end"]);
  plan.complete = node["complete"].Bool();
  for (const JsonNode& step : node["steps"].Elements()) plan.steps.push_back(ReadPlanStep(step));
  plan.no_effect = node["no_effect"].Texts();
  plan.limits = node["limits"].Text();
  plan.floor = ReadFloor(node["floor"]);
  return plan;
}

std::string_view KindOf(const Value& value) {
  if (std::holds_alternative<std::string>(value)) return "a text";
  if (std::holds_alternative<bool>(value)) return "true or false";
  return std::holds_alternative<double>(value) ? "a fraction" : "a whole number";
}

// False when the cell's type is not the column's.
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

Severity ReadSeverity(const JsonNode& node) {
  constexpr std::array kSeverities = {Severity::kInfo, Severity::kRepaired, Severity::kSkipped,
                                      Severity::kDataLoss};
  std::array<std::string_view, kSeverities.size()> names;
  std::transform(kSeverities.begin(), kSeverities.end(), names.begin(), SeverityName);
  return kSeverities[node.IndexAmong(names).value_or(0)];
}

void ReadNotes(const JsonNode& root, Report& report) {
  for (const JsonNode& remark : root["remarks"].Elements()) {
    report.remarks.push_back({remark["id"].Text(), remark["text"].Text()});
  }
  report.recording = ReadCertificate(root["recording"]);
  for (const auto& [name, counter] : root["import"].Entries()) {
    report.import.push_back({name, ReadSeverity(counter["severity"]), counter["text"].Text(),
                             static_cast<std::uint64_t>(counter["count"].Integer()),
                             counter["examples"].Texts()});
  }
  report.environment = root["environment"].TextPairs();
  report.provenance = root["provenance"].TextPairs();
}

/// Why there is no report.
std::string ReadErrors(const JsonNode& root) {
  std::string first;
  for (const JsonNode& error : root["errors"].Elements()) {
    error["code"].Text(), error["where"].Text(), error["notes"].Texts();
    const std::string message = error["message"].Text();
    if (first.empty()) first = message;
  }
  return first;
}

std::string FirstMessage(const json::value& document) {
  std::optional<BadField> bad;
  const std::string message = ReadErrors(JsonNode(document, bad));
  return message.empty() ? "the run ended early" : message;
}

Report Decode(const JsonNode& root) {
  Report report;
  report.tool = root["tool"].Text();
  report.profile = ReadProfile(root["profile"]);
  report.verdict = ReadVerdict(root["verdict"]);
  if (root["baseline"].exists()) report.baseline = ReadBaselineUse(root["baseline"]);
  for (const JsonNode& row : root["gate"].Elements()) report.gate.push_back(ReadGateRow(row));
  for (const auto& [id, metric] : root["metrics"].Entries()) {
    report.metrics.push_back(ReadMetric(id, metric));
  }
  for (const JsonNode& finding : root["findings"].Elements()) {
    report.findings.push_back(ReadFinding(finding));
  }
  if (root["plan"].exists()) report.plan = ReadPlan(root["plan"]);
  // The diagnosis follows from the rest (report/first_screen.h); it is read for the schema.
  root["diagnosis"]["bottleneck"].Text();
  root["diagnosis"]["text"].Text();
  root["diagnosis"]["finding"].Text();
  for (const JsonNode& reason : root["diagnosis"]["reasons"].Elements()) {
    for (const char* name : {"text", "code", "finding", "metric"}) reason[name].Text();
    reason["in_plan"].Any();
  }
  for (const auto& [id, table] : root["tables"].Entries()) {
    report.tables.push_back(ReadTable(id, table));
  }
  report.absent_tables = root["absent_tables"].TextPairs();
  for (const JsonNode& table : root["left_out"].Elements()) {
    report.left_out.push_back({table["id"].Text(), table["title"].Text(), table["rows"].Integer()});
  }
  if (root["comparison"].exists()) {
    report.comparison = ReadComparison(root["comparison"]);
    std::string& accelerator = report.comparison->accelerator;
    accelerator = report.profile.accelerator;
    if (accelerator.empty()) accelerator = AcceleratorOf(*report.comparison);
  }
  ReadNotes(root, report);
  return report;
}

Error MakeError(const std::string& name, std::string code, std::string message) {
  Error error;
  error.kind = ErrorKind::kInput;
  error.code = "report/" + std::move(code);
  error.message = std::move(message);
  error.where.file = name;
  return error;
}

}  // namespace

JsonShape ReportShape() {
  JsonShape shape;
  std::optional<BadField> ignored;
  Decode(JsonNode(shape, ignored));
  ReadErrors(JsonNode(shape, ignored));
  return shape;
}

Result<Report> ReadReport(std::string_view text, const std::string& name) {
  PROFGAUGE_TRY(const json::value document, ParseJsonDocument(text, name));
  const json::object* object = document.if_object();
  const json::value* schema = object == nullptr ? nullptr : object->if_contains("schema");
  if (object != nullptr && object->contains("runs") && !object->contains("profile")) {
    Error error = MakeError(name, "several-runs", "expected the report of one run, found several");
    error.notes = {
        "help: `runs` contains them separately: `jq '.runs[0]' runs.json > report.json`"};
    return Fail(std::move(error));
  }
  if (object != nullptr && object->contains("errors") && !object->contains("profile")) {
    Error error = MakeError(name, "ended-early", "there is no report: " + FirstMessage(document));
    error.notes = {"help: judge the profile again with `profgauge check`"};
    return Fail(std::move(error));
  }
  if (schema == nullptr || !schema->is_int64() || !object->contains("profile") ||
      !object->contains("verdict")) {
    Error error = MakeError(name, "not-a-report",
                            "expected a report.json with `schema`, `profile` and `verdict`");
    error.notes = {"help: to read a profile, use `profgauge report`"};
    return Fail(std::move(error));
  }
  if (schema->get_int64() != kSchema) {
    const bool is_old = schema->get_int64() < kSchema;
    Error error =
        MakeError(name, is_old ? "old-schema" : "newer-schema",
                  fmt::format("expected schema {}, found {}", kSchema, schema->get_int64()));
    error.where.path = "schema";
    error.notes = {is_old ? "help: judge the profile again with `profgauge report`"
                          : "help: render it with the version of profgauge that wrote it"};
    return Fail(std::move(error));
  }
  std::optional<BadField> bad;
  Report report = Decode(JsonNode(document, bad));
  if (!bad) return report;
  Error error =
      MakeError(name, "bad-field", fmt::format("expected {}, found {}", bad->expected, bad->found));
  error.where.path = bad->path;
  return Fail(std::move(error));
}

}  // namespace profgauge::report
