// Reads the binary traces (.pftrace) that PyTorch's profiler writes since 2.14, in Perfetto's
// format. What other programs write in that format is refused by its content, with what to record
// instead.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakePftraceReader();

}  // namespace profgauge::readers
