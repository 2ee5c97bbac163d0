// Describes the sections of report.json, each once (report/io.h).
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "report/io.h"
#include "report/report.h"

namespace profgauge::report {

/// The whole file. When reading, `diagnosis` is recomputed, and bulk tables are missing.
void Describe(Io& io, Report& report);
void Describe(Io& io, Comparison& comparison);

// Sections that verdict.json also has.
void DescribeAccepted(Io& io, std::vector<Accepted>& accepted);
void DescribeNoVerdict(Io& io, std::vector<NoVerdict>& reasons);
void DescribeLoosened(Io& io, std::vector<Loosened>& loosened);

/// Writes the report as an object.
void Write(JsonWriter& out, const Report& report);

}  // namespace profgauge::report
