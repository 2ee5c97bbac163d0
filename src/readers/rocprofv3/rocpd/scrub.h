// A copy of a rocpd database without personal and machine data.
//
// The database contains the command line, the whole environment, host and machine id. The copy has
// only columns that reports need and, of the environment, the rank and the profiler's settings.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"

namespace profgauge::readers::rocpd {

/// Copies the rocpd database `in` to `out`. Errors: those of CopyTables() and CheckLayout().
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers::rocpd
