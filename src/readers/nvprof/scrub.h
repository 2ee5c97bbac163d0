// A copy of a database of NVProf that has the tables and columns that reports need.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"

namespace profgauge::readers::nvprof {

/// Errors: as CopyTables().
/// Command lines, host names and all tables that no report needs are left out.
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers::nvprof
