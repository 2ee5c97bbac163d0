// A copy of an SQLite export without data about persons or machines.
//
// An export holds the whole environment of the profiled program (and with it perhaps tokens), its
// command line, its output, user and host names. The copy is made of an allow-list of tables and
// columns: the data that reports need, and nothing else. Directories are cut off the paths that are
// in the texts of ranges and kernels.
#pragma once

#include <set>
#include <string>

#include "profgauge/error.h"
#include "readers/database/copy_tables.h"

namespace profgauge::readers {

/// Whether a database with these tables is an export.
bool IsExport(const std::set<std::string>& tables);

/// Copies `in` to `out`; `in` is never written to. Errors: kInput when it is no export of Nsight
/// Systems; kOutput "output/exists" when `out` exists, or when it cannot be written. Nothing is
/// left then.
Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out,
                             const Rename& rename = {});

}  // namespace profgauge::readers
