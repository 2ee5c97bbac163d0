#include "cli/text/schemas.h"

#include "report/report_schema.h"
#include "rules/shape_schema.h"

namespace profgauge::cli {

std::vector<NamedSchema> AllSchemas() {
  std::vector<NamedSchema> schemas;
  for (const FileShape& file : ConfigurationShapes()) {
    schemas.push_back({file.name, file.title, ConfigurationSchema(file)});
  }
  schemas.push_back({"report",
                     "report.json: what reports show, but for events one by one and the rows that "
                     "left_out counts",
                     PrettyJson(report::ReportSchema()) + "\n"});
  schemas.push_back({"run", "profgauge.run: the times of unrecorded iterations, and the process",
                     std::string(EmbeddedSchema("rules/schemas/run.json"))});
  return schemas;
}

}  // namespace profgauge::cli
