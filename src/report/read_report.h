// Reads report.json, so that a report can be rendered again without its profile.
//
// Only report::kSchema is read. Unknown keys are ignored, so files with newer fields can be
// rendered. Report::left_out lists data that report.json does not have (bulk tables).
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {

/// Schema of the file that replaces a report if a run ended early: `errors` and no `profile`.
inline constexpr int kEndingSchema = 2;

/// Parses report.json. Messages use `name`. If this version wrote `text`, RenderJson() of the
/// result gives it again. Errors (kInput): "report/not-json" with an offset, "report/not-a-report",
/// "report/ended-early" (there is no report), "report/newer-schema", "report/bad-field" with a
/// path.
Result<Report> ReadReport(std::string_view text, const std::string& name);

/// The shape that ReadReport() accepts, for the schema of report.json.
JsonShape ReportShape();

// The JSON Schema (2020-12) of report.json, made from the shape that ReadReport() reports. It has
// only types. The reader ignores unknown keys, so files of newer minor versions are valid, too.

boost::json::object ReportSchema();

}  // namespace profgauge::report
