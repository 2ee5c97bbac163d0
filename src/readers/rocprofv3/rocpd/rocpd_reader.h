// Databases of AMD's rocprofv3 (`*_results.db`, what it writes by default since ROCm 7.0) and of
// rocprof-sys (`rocpd.db`): SQLite, the tables of each process under names with a suffix of its
// own.
//
// A process is a profile; its rank is what the environment said. Times are the computer's uptime in
// nanoseconds: those of two computers say nothing of each other.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeRocpdReader();

}  // namespace profgauge::readers
