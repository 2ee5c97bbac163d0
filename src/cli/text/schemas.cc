#include "cli/text/schemas.h"

#include "report/report_schema.h"
#include "rules/shape_schema.h"

namespace profgauge::cli {

std::vector<NamedSchema> AllSchemas() {
  std::vector<NamedSchema> schemas;
  for (const FileShape& file : ConfigurationShapes()) {
    schemas.push_back({file.name, file.title, ConfigurationSchema(file)});
  }
  schemas.push_back({"report", "report.json, which holds everything that reports show",
                     PrettyJson(report::ReportSchema()) + "\n"});
  return schemas;
}

}  // namespace profgauge::cli
