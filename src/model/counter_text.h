// What a counter of the import log says beside its number.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/import_log.h"

namespace profgauge {

/// "warnings of the profiler about its recording"; of one "warning of the …".
std::string_view CounterText(Counter counter, std::uint64_t count);

}  // namespace profgauge
