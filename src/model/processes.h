// Recordings of several processes at once (`nsys profile torchrun …`): each that trains is a rank.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// The GPUs on which each process launched recorded work, by what the process is called; processes
/// that launched none are not listed. Names point into `profile`. O(rows of the device).
std::map<std::string_view, std::set<std::int32_t>> GpusOfProcesses(const Profile& profile);

/// One profile for each process that marks iterations, or communicates with others, and launches
/// work, in order of the first GPU that is its own, those of which no work was recorded last;
/// `profile` itself where fewer than two do, or processes share a GPU. A GPU is the process's that
/// has at least nine tenths of the time that it works for such processes; what others ran there is
/// the GPU's, without a launch, and counted. What other processes did (loaders, launchers) is of
/// the one on whose GPU they worked most, else the first one's, as are what no process can be told
/// of and what was skipped at reading. Each keeps the whole profile's extent and texts; which
/// recorded rank it is, nothing says. Where processes share a number of a GPU that may mean
/// several, that is counted: the machine has more, or kernels of two run at once.
///
/// Of one process, devices whose own steps (Profile::step_lanes) are apart in time are a rank
/// each.
std::vector<Profile> SplitProcesses(Profile profile);

}  // namespace profgauge
