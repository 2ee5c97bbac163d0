// Nsight Systems, as exported with `nsys export --type sqlite`.
#pragma once

#include <memory>

#include "readers/reader.h"

namespace profgauge::readers {

std::unique_ptr<Reader> MakeNsightReader();

}  // namespace profgauge::readers
