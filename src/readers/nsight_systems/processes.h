#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/interval.h"
#include "model/profile_builder.h"
#include "readers/database/sqlite_table.h"
#include "readers/nsight_systems/import.h"

namespace profgauge::readers::nsight {

/// Which processes communicate with each other and, where nothing else says it, that each has GPUs
/// separate GPUs. After ReadMetadata(), before ReadDevice().
Status ReadProcesses(Import& import);

/// Gives processes that communicate and mark no iterations those of one that does (`if rank ==
/// 0:`): the clock is the same. After ReadApi() and ReadNvtx().
void ShareMarkers(Import& import);
/// A thread of each process that communicates with others. After ReadApi().
std::vector<ThreadId> ThreadsOfRanks(Import& import);

}  // namespace profgauge::readers::nsight
