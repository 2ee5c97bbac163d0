// Reads report.json back, so that a report can be drawn again without its profile.
//
// Every schema up to report::kSchema is read. Unknown keys are ignored, so that a newer minor
// version's file still draws. What report.json leaves out (bulk tables) is named in
// Report::left_out.
#pragma once

#include <string>
#include <string_view>

#include "profgauge/error.h"
#include "report/json_shape.h"
#include "report/report.h"

namespace profgauge::report {

/// Of what represents a report where a run ended without one: `errors`, and no `profile`.
inline constexpr int kEndingSchema = 2;

/// Parses report.json; `name` is used in messages. RenderJson of the result gives `text` again when
/// this version wrote it. Errors (kInput): "report/not-json" with its offset,
/// "report/not-a-report", "report/ended-early" where there is none, "report/newer-schema", and
/// "report/bad-field" with the JSON path.
Result<Report> ReadReport(std::string_view text, const std::string& name);

/// What ReadReport takes, for the schema of report.json.
JsonShape ReportShape();

}  // namespace profgauge::report
