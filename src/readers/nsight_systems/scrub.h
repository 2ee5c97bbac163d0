// A copy of an SQLite export without data about persons or machines.
//
// An export holds the whole environment of the profiled program (and with it perhaps tokens), its
// command line, its output, user and host names. The copy is made of an allow-list of tables and
// columns: the data that reports need, and nothing else. Directories are cut off the paths that are
// in the texts of ranges and kernels.
#pragma once

#include <cstdint>
#include <string>

#include "profgauge/error.h"

namespace profgauge::readers {

/// The contents of the copy, for the message to the user.
struct Scrubbed {
  std::int64_t tables_kept = 0, tables_left_out = 0;
  std::int64_t texts_changed = 0;  ///< Texts in which a path was cut.
};

/// Copies `in` to `out`; `in` is never written to. Errors: kInput when it is no export of Nsight
/// Systems; kOutput "output/exists" when `out` exists, or when it cannot be written. Nothing is
/// left then.
Result<Scrubbed> ScrubExport(const std::string& in, const std::string& out);

}  // namespace profgauge::readers
