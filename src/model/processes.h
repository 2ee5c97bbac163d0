// Profiles of several processes (`nsys profile torchrun …`): each process that trains is a rank.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "model/profile.h"

namespace profgauge {

/// The GPUs on which each process launched recorded work, by the name of the process; processes
/// that launched none are not listed. Names point into `profile`. O(rows of the device).
std::map<std::string_view, std::set<std::int32_t>> GpusOfProcesses(const Profile& profile);

/// One profile for each process that marks iterations, or communicates with others, and launches
/// work, in order of the first GPU that is its own, those of which no work was recorded last;
/// `profile` itself where fewer than two do, or processes share a GPU. A GPU is the process's that
/// has at least nine tenths of its time for such processes; work of others there belongs to the
/// GPU, without a launch, and is counted. Rows of other processes (loaders, launchers) belong to
/// the one on whose GPU they worked most, else to the first one, like rows of unknown processes and
/// rows skipped by the reader. Each part keeps the whole profile's extent and texts; its recorded
/// rank is unknown. If processes share a number of a GPU that may mean several GPUs, that is
/// counted: the machine has more, or kernels of two run simultaneously.
///
/// Devices of one process whose own steps (Profile::step_lanes) are apart in time are a rank each.
std::vector<Profile> SplitProcesses(Profile profile);

}  // namespace profgauge
