// The sections of report.json, each described once (report/io.h).
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "report/io.h"
#include "report/report.h"

namespace profgauge::report {

/// The whole file. Of what is read, `diagnosis` follows from the rest; bulk tables are not there.
void Describe(Io& io, Report& report);
void Describe(Io& io, Comparison& comparison);

// Parts of verdict.json, too.
void DescribeAccepted(Io& io, std::vector<Accepted>& accepted);
void DescribeNoVerdict(Io& io, std::vector<NoVerdict>& reasons);
void DescribeLoosened(Io& io, std::vector<Loosened>& loosened);

/// Writes it as an object.
void Write(JsonWriter& out, const Report& report);

}  // namespace profgauge::report
