#include "report/read_report.h"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>

#include "report/describe.h"
#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

/// The first error of a run that ended without a report.
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
  Io io(root);
  Describe(io, report);
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

namespace {

json::object SchemaOf(const JsonShape& shape) {
  json::object schema;
  if (shape.types.size() == 1) schema["type"] = *shape.types.begin();
  if (shape.types.size() > 1) schema["type"] = json::array(shape.types.begin(), shape.types.end());
  if (!shape.words.empty()) schema["enum"] = json::array(shape.words.begin(), shape.words.end());
  if (!shape.keys.empty()) {
    json::object properties;
    for (const auto& entry : shape.keys) properties[entry->key] = SchemaOf(entry->shape);
    schema["properties"] = std::move(properties);
  }
  if (shape.others != nullptr) schema["additionalProperties"] = SchemaOf(*shape.others);
  if (shape.items != nullptr) {
    json::object items = SchemaOf(*shape.items);
    if (!items.empty()) schema["items"] = std::move(items);
  }
  return schema;
}

}  // namespace

json::object ReportSchema() {
  json::object schema{
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "profgauge report"},
      {"description",
       "report.json: content of reports, without single events and the rows counted in left_out"},
      {"required", {"schema", "verdict"}},
      {"anyOf", {{{"required", {"profile"}}}, {{"required", {"errors"}}}}}};
  for (auto& entry : SchemaOf(ReportShape())) schema.insert_or_assign(entry.key(), entry.value());
  schema["properties"].as_object()["schema"] = {{"enum", {kSchema, kEndingSchema}}};
  return schema;
}

}  // namespace profgauge::report
