// NVProf, as recorded with `nvprof -o FILE` (.nvvp, .sql, .prof): an SQLite database.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors: nvprof/no-strings, nvprof/no-gpu-activity, and sqlite/… for damaged files.
std::unique_ptr<Reader> MakeNvprofReader();

}  // namespace profgauge::readers
