// A copy of a rocpd database without data about persons or machines.
//
// The database has the command line, the whole environment, host and machine id. The copy has the
// columns that reports need, of the environment the rank and the profiler's switches.
#pragma once

#include <string>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"

namespace profgauge::readers::rocpd {

/// REQUIRES: `in` is a database with tables of rocpd. Errors: as CopyTables() and CheckLayout().
Result<Scrubbed> ScrubDatabase(const std::string& in, const std::string& out, const Rename& rename);

}  // namespace profgauge::readers::rocpd
