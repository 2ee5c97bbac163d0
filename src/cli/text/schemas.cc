#include "cli/text/schemas.h"

#include "report/report_schema.h"
#include "rules/shape_schema.h"

namespace profgauge::cli {

std::vector<NamedSchema> AllSchemas() {
  std::vector<NamedSchema> schemas;
  for (const FileShape& file : ConfigurationShapes()) {
    schemas.push_back({file.name, file.title, ConfigurationSchema(file)});
  }
  schemas.push_back(
      {"report",
       "report.json: content of reports, without single events and the rows counted in left_out",
       PrettyJson(report::ReportSchema()) + "\n"});
  schemas.push_back({"query", "the answer of `profgauge query --format json`",
                     std::string(EmbeddedSchema("rules/schemas/query.json"))});
  schemas.push_back({"lists", "lists that commands write with --json",
                     std::string(EmbeddedSchema("rules/schemas/lists.json"))});
  schemas.push_back({"run", "profgauge.run: the times of unrecorded iterations, and the process",
                     std::string(EmbeddedSchema("rules/schemas/run.json"))});
  return schemas;
}

}  // namespace profgauge::cli
