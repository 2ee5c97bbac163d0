// The innermost nn.Module around each host range, by Python frames.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::simulation {

/// Per row of the host table the name of the module ("nn.Module: Linear_0") that is running when it
/// starts, on its thread; of a backward op that of its forward op. Empty when no module is
/// recorded.
/// O(host rows + frames). Ids are of the profile's texts; invalid where no module runs.
std::vector<StringId> ModulesOfHost(const Profile& profile);

}  // namespace profgauge::analysis::simulation
