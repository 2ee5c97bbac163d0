// Reads NVProf's profiles, recorded with `nvprof -o FILE` (.nvvp, .sql, .prof): SQLite databases.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Makes the reader. Errors: nvprof/no-strings, nvprof/no-gpu-activity, and sqlite/… for damaged
/// files. It rejects text that nvprof prints ("==4242== ..."), with the option that writes a file.
std::unique_ptr<Reader> MakeNvprofReader();

}  // namespace profgauge::readers
