// PyProf's net.dict: one Python dictionary per line and kernel, with durations but no times.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

/// Lines are parsed as literals, never evaluated. A bad line is counted with its place; more than
/// one in ten is an error. Errors: pyprof/bad-lines, pyprof/line-too-long.
std::unique_ptr<Reader> MakeNetDictReader();

}  // namespace profgauge::readers
