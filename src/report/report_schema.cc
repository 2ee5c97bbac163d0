#include "report/read_report.h"

#include <boost/json/array.hpp>

#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {
namespace {

namespace json = boost::json;

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
