// Meaning of the names of runtime calls and copies, the same in all formats that record them.
#pragma once

#include <string_view>

#include "model/tables.h"

namespace profgauge::readers {

/// The kind of a runtime or driver call by its name: CUDA, HIP, XPU (Level Zero, SYCL), MTIA….
/// By parts of the name, so that variants (_v2, Async, Peer) need no separate list. Launches of
/// callbacks on the host are kOther: they run no device work.
ApiKind ApiKindOf(std::string_view call);

/// "Memcpy HtoD (Pageable -> Device)" and similar names.
/// kUnknown for a name without a direction.
CopyKind CopyKindOf(std::string_view copy);
HostMemory HostMemoryOf(std::string_view copy);

}  // namespace profgauge::readers
