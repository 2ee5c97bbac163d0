// Interprets the names of runtime calls and copies, which are the same in all formats.
#pragma once

#include <string_view>

#include "model/tables.h"

namespace profgauge::readers {

/// The kind of a runtime or driver call by its name: CUDA, HIP, XPU (Level Zero, SYCL), MTIA….
/// Parts of the name decide, so variants (_v2, Async, Peer) need no separate list. Launches of host
/// callbacks are kOther, because they run no device work.
ApiKind ApiKindOf(std::string_view call);

/// The direction in "Memcpy HtoD (Pageable -> Device)" and similar names. kUnknown for a name
/// without one.
CopyKind CopyKindOf(std::string_view copy);
HostMemory HostMemoryOf(std::string_view copy);

}  // namespace profgauge::readers
