// Reads the binary traces (.pftrace) that PyTorch's profiler writes since 2.14, in Perfetto's
// format. Files of other programs in that format are refused by their contents, with the format to
// record instead.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakePftraceReader();

}  // namespace profgauge::readers
