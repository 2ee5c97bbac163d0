// Databases of AMD's rocprofv3 (`*_results.db`, its default output since ROCm 7.0) and of
// rocprof-sys (`rocpd.db`): SQLite, the tables of each process under names with its own suffix
// (an id).
//
// A process is a profile; its rank comes from the environment. Times are the computer's uptime in
// nanoseconds: those of two computers are unrelated.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors: kInput "rocpd/interrupted" (a journal is beside the file), "rocpd/too-many" processes,
/// "rocprofv3/no-events", and those of CheckLayout().
std::unique_ptr<Reader> MakeRocpdReader();

}  // namespace profgauge::readers
