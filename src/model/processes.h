// Recordings of several processes at once (`nsys profile torchrun …`): each that trains is a rank.
#pragma once

#include <vector>

#include "model/profile.h"

namespace profgauge {

/// One profile for each process that marks iterations and launches device work, by the first GPU
/// that it uses; `profile` itself where fewer than two do, or processes share a GPU. What other
/// processes did (loaders, launchers), what no process can be told of and what was skipped at
/// reading is the first one's. Each keeps the whole recording's extent and texts; which recorded
/// rank it is, nothing says.
std::vector<Profile> SplitProcesses(Profile profile);

}  // namespace profgauge
