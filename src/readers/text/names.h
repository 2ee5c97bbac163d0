// Meaning of the names of runtime calls and copies, the same in all formats that record them.
#pragma once

#include <string_view>

#include "model/tables.h"

namespace profgauge::readers {

/// The kind of a runtime or driver call by its name: CUDA, HIP, XPU (Level Zero, SYCL), MTIA….
ApiKind ApiKindOf(std::string_view call);

/// "Memcpy HtoD (Pageable -> Device)" and similar names.
CopyKind CopyKindOf(std::string_view copy);
HostMemory HostMemoryOf(std::string_view copy);

}  // namespace profgauge::readers
