// Reads report.json back, so that a report can be drawn again without its profile.
//
// Only report::kSchema is read. Unknown keys are ignored, so that a file with fields that are newer
// than the program can still be rendered. Data that report.json does not have (bulk tables) is
// named in Report::left_out.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "report/json_node.h"
#include "report/report.h"

namespace profgauge::report {

/// The file that replaces a report if a run ended without one: `errors`, and no `profile`.
inline constexpr int kEndingSchema = 2;

/// Parses report.json; `name` is used in messages. RenderJson of the result gives `text` again when
/// this version wrote it. Errors (kInput): "report/not-json" with its offset,
/// "report/not-a-report", "report/ended-early" where there is none, "report/newer-schema", and
/// "report/bad-field" with the JSON path.
Result<Report> ReadReport(std::string_view text, const std::string& name);

/// The input of ReadReport, for the schema of report.json.
JsonShape ReportShape();

// report.json as JSON Schema (2020-12): the input of ReadReport, reported by itself.
//
// Only types are said: keys that are unknown are ignored by the reader, so a newer minor
// version's file is valid too.

boost::json::object ReportSchema();

}  // namespace profgauge::report
