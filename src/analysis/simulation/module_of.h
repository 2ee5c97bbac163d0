// The innermost nn.Module around each host range, by Python frames.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge::analysis::simulation {

/// Returns, for each row of the host table, the name of the innermost module ("nn.Module:
/// Linear_0") that runs on its thread when the row starts; for a backward operator, that of its
/// forward operator. Names are ids of the profile's strings, invalid outside modules. Empty if no
/// module is recorded. O(host rows + frames).
std::vector<StringId> ModulesOfHost(const Profile& profile);

}  // namespace profgauge::analysis::simulation
