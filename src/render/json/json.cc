// report.json, schema 1; report/describe.h describes its sections.
#include "render/shared/renderer.h"
#include "render/shared/runs_table.h"
#include "report/describe.h"

namespace profgauge::render {

std::string RenderJson(const report::Report& report) {
  JsonWriter out;
  report::Write(out, report);
  return out.Take();
}

std::string RenderRunsJson(const report::Runs& runs) {
  JsonWriter out;
  out.BeginObject();
  out.Field("schema", runs.runs.front().schema);
  out.Field("tool", runs.runs.front().tool);
  out.Key("runs");
  out.BeginArray();
  for (const report::Report& run : runs.runs) report::Write(out, run);
  out.EndArray();
  out.Key("comparisons");
  out.BeginArray();
  for (const report::Runs::Pair& pair : runs.pairs) report::Write(out, pair.report);
  out.EndArray();
  out.EndObject();
  return out.Take();
}

}  // namespace profgauge::render
