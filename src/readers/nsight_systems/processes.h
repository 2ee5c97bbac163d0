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

/// Finds the processes that communicate with each other. If no table states their GPUs, each gets
/// separate GPUs. Call it after ReadMetadata() and before ReadDevice().
Status ReadProcesses(Import& import);

/// If a process communicates but marks no iterations (`if rank == 0:`), copies the iterations of a
/// process that does; their clock is the same. Call it after ReadApi() and ReadNvtx().
void ShareMarkers(Import& import);
/// The main thread of each process that communicates with others. Call it after ReadApi().
std::vector<ThreadId> ThreadsOfRanks(Import& import);

}  // namespace profgauge::readers::nsight
