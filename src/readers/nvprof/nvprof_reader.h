// NVProf, as recorded with `nvprof -o FILE` (.nvvp, .sql, .prof): an SQLite database.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Errors: nvprof/no-strings, nvprof/no-gpu-activity, and sqlite/… for damaged files.
/// Text that nvprof prints ("==4242== ...") is refused with the option that writes a file.
std::unique_ptr<Reader> MakeNvprofReader();

}  // namespace profgauge::readers
