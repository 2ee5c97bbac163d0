// Reads the JSON traces that PyTorch's profiler (Kineto) writes, of every version since 2020.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeKinetoReader();

}  // namespace profgauge::readers
