// A copy of an NVProf database with only the tables and columns that reports need.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"

namespace profgauge::readers::nvprof {

/// Copies the database without command lines and host names, and without tables that no report
/// needs. Errors: those of CopyTables().
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers::nvprof
