// PyProf's net.dict: one Python dictionary per kernel, for scripts that read PyProf's own.
#pragma once

#include <string>

#include "exports/selected.h"

namespace profgauge::pyprof {

/// A line for each kernel launch, with the keys of PyProf's parse stage and in their order.
std::string NetDict(const SelectedRank& rank);

}  // namespace profgauge::pyprof
