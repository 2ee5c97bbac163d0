// PyProf's net.dict: one Python dictionary per kernel, for scripts that read PyProf's own.
#pragma once

#include <string>

#include "model/profile.h"

namespace profgauge::pyprof {

/// A line for each kernel launch, with the keys of PyProf's parse stage and in their order.
std::string NetDict(const Profile& profile);

}  // namespace profgauge::pyprof
